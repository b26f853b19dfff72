#include "base/error_catalog.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(ErrorCatalog, CodesAreInOrderAndUnique) {
  const auto entries = ErrorCatalog();
  ASSERT_FALSE(entries.empty());
  for (std::size_t i = 1; i < entries.size(); ++i) {
    EXPECT_LT(entries[i - 1].code, entries[i].code) << ToString(entries[i].code);
  }
}

TEST(ErrorCatalog, EveryEntryIsCompleteAndEndsWithADocumentedCode) {
  for (const ErrorCatalogEntry& entry : ErrorCatalog()) {
    EXPECT_FALSE(entry.meaning.empty() || entry.cause.empty() || entry.remedy.empty())
        << ToString(entry.code);
    switch (entry.exit_code) {
      case exit_code::kFailed:
      case exit_code::kRefused:
      case exit_code::kUnhealthy:
      case exit_code::kUsage:
      case exit_code::kBadData:
      case exit_code::kUnavailable:
      case exit_code::kTemporary:
      case exit_code::kConfig:
        break;
      default:
        ADD_FAILURE() << ToString(entry.code) << " exits with " << entry.exit_code;
    }
  }
}

TEST(ErrorCatalog, FindsAnEntryByItsCode) {
  const ErrorCatalogEntry* entry = FindError(ErrorCode::kStorageFull);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->exit_code, exit_code::kTemporary);
  EXPECT_EQ(FindError(ErrorCode::kNone), nullptr);
}

TEST(ErrorCatalog, CodesPrintWithFourDigits) {
  EXPECT_EQ(ToString(ErrorCode::kYamlSyntax), "WEIR0101");
  EXPECT_EQ(ToString(ErrorCode::kNone), "");
}

}  // namespace
}  // namespace weir
