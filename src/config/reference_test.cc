#include "config/reference.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/kafka_options.h"
#include "config/keys.h"
#include "config/project_files.h"

namespace weir::config {
namespace {

using testing::HasSubstr;

TEST(ReferenceTest, TheCommittedPageIsTheGeneratedOne) {
  const std::string path = "docs/CONFIG.md";
  if (UpdatesGolden()) WriteProjectFile(path, ReferenceMarkdown());
  EXPECT_EQ(ReadProjectFile(path), ReferenceMarkdown())
      << "run this test with WEIR_UPDATE_GOLDEN=1 and commit " << path;
}

TEST(ReferenceTest, NamesEveryKeyAndOption) {
  const std::string text = ReferenceMarkdown();
  for (const MappingDescriptor* mapping : AllMappings()) {
    for (const KeyDescriptor& key : mapping->keys) {
      EXPECT_THAT(text, HasSubstr("`" + std::string(key.key) + "`"));
    }
  }
  for (const KafkaOption& option : KafkaOptions()) {
    EXPECT_THAT(text, HasSubstr("| `" + std::string(option.name) + "` |"));
  }
}

}  // namespace
}  // namespace weir::config
