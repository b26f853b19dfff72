#include "config/descriptor.h"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/keys.h"
#include "config/quantity.h"

namespace weir::config {
namespace {

using testing::ElementsAre;

TEST(DescriptorTest, EveryKeyIsDocumentedAndUnique) {
  std::set<std::string_view> mapping_names;
  for (const MappingDescriptor* mapping : AllMappings()) {
    EXPECT_TRUE(mapping_names.insert(mapping->name).second) << mapping->name;
    EXPECT_FALSE(mapping->doc.empty());
    std::set<std::string_view> keys;
    for (const KeyDescriptor& key : mapping->keys) {
      EXPECT_TRUE(keys.insert(key.key).second) << mapping->name << "." << key.key;
      EXPECT_FALSE(key.doc.empty()) << mapping->name << "." << key.key;
    }
  }
}

TEST(DescriptorTest, NestedMappingsAreListed) {
  const auto all = AllMappings();
  for (const MappingDescriptor* mapping : all) {
    for (const KeyDescriptor& key : mapping->keys) {
      const bool nests = key.kind == ValueKind::kMapping || key.kind == ValueKind::kNamed;
      EXPECT_EQ(nests, key.mapping != nullptr) << mapping->name << "." << key.key;
      const bool listed = std::find(all.begin(), all.end(), key.mapping) != all.end();
      EXPECT_EQ(nests, listed) << key.key;
    }
  }
}

// Whether a default is one that the key would take from a file.
bool TakesDefault(const KeyDescriptor& key) {
  const auto in_range = [&key](const Result<std::int64_t>& number) {
    return number.has_value() && *number >= key.min && *number <= key.max;
  };
  switch (key.kind) {
    case ValueKind::kChoice: {
      const auto choices = Choices(key.choices);
      return std::find(choices.begin(), choices.end(), key.fallback) != choices.end();
    }
    case ValueKind::kBoolean:
      return key.fallback == "true" || key.fallback == "false";
    case ValueKind::kCount:
      return in_range(ParseCount(key.fallback));
    case ValueKind::kDuration:
      return in_range(ParseDuration(key.fallback));
    case ValueKind::kSize:
      return in_range(ParseSize(key.fallback));
    default:
      return key.kind == ValueKind::kText;
  }
}

TEST(DescriptorTest, DefaultsAreValues) {
  int defaults = 0;
  for (const MappingDescriptor* mapping : AllMappings()) {
    for (const KeyDescriptor& key : mapping->keys) {
      if (key.fallback.empty()) continue;
      ++defaults;
      EXPECT_TRUE(TakesDefault(key)) << mapping->name << "." << key.key;
      EXPECT_FALSE(key.required) << mapping->name << "." << key.key;
    }
  }
  EXPECT_GT(defaults, 20);
}

TEST(DescriptorTest, ChoicesAreSplit) {
  EXPECT_THAT(Choices("a|b|c"), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(Choices("").empty());
  for (const KeyDescriptor& key : kTableKeys.keys) {
    EXPECT_EQ(key.kind == ValueKind::kChoice, !key.choices.empty()) << key.key;
  }
}

TEST(DescriptorTest, KeysOfLaterVersionsAreNotOffered) {
  const auto allowed = AllowedKeys(kPipelineKeys);
  EXPECT_EQ(std::count(allowed.begin(), allowed.end(), "checks"), 0);
  EXPECT_EQ(std::count(allowed.begin(), allowed.end(), "epoch"), 1);
  EXPECT_NE(kPipelineKeys.Find("checks"), nullptr);
  EXPECT_EQ(kPipelineKeys.Find("nothing"), nullptr);
}

TEST(DescriptorTest, SuggestsOnlyWhatIsNear) {
  constexpr std::string_view kKnown[] = {"partition_by", "sort_by", "from"};
  EXPECT_EQ(ClosestTo("partiton_by", kKnown), "partition_by");
  EXPECT_EQ(ClosestTo("form", kKnown), "from");
  EXPECT_EQ(ClosestTo("xyzzy", kKnown), "");
  EXPECT_EQ(ClosestTo("", kKnown), "");
  EXPECT_EQ(ClosestTo(std::string(100'000, 'x'), kKnown), "");
}

}  // namespace
}  // namespace weir::config
