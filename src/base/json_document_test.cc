#include "base/json_document.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace weir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Json Parsed(std::string_view text) { return ParseJson(text).value(); }

TEST(JsonDocument, IsOneObjectThatIsShallow) {
  for (const char* text : {"", "[]", "1", "{", "{} {}", "{\"a\":}"}) {
    const auto json = ParseJson(text);
    ASSERT_FALSE(json) << text;
    EXPECT_EQ(json.error().kind, ErrorKind::kCorrupt) << text;
    EXPECT_EQ(json.error().code, ErrorCode::kMetadataCorrupt) << text;
  }
  const std::string deep = "{\"a\":" + std::string(10'000, '[') + std::string(10'000, ']') + "}";
  EXPECT_THAT(ParseJson(deep).error().message, HasSubstr("too deep"));
}

TEST(JsonDocument, KeepsOrderAndWhatItDoesNotKnow) {
  const std::string text = R"({"z":1,"a":{"y":null,"b":"ü"}})";
  EXPECT_EQ(DumpJson(Parsed(text)), text);
}

TEST(JsonDocument, NamesTheKeyThatIsWrong) {
  const Json json = Parsed(R"({"text":"t","big":18446744073709551615,"many":4294967296,
                               "null":null,"list":["a",1],"map":{"a":1}})");
  EXPECT_THAT(LongAt(json, "text").error().message, HasSubstr("\"text\" is not a whole number"));
  EXPECT_THAT(LongAt(json, "none").error().message, HasSubstr("\"none\" is missing"));
  EXPECT_FALSE(LongAt(json, "big"));
  EXPECT_FALSE(IntAt(json, "many"));
  EXPECT_EQ(*LongAt(json, "many"), 4'294'967'296);
  EXPECT_FALSE(TextAt(json, "null"));
  EXPECT_FALSE(TextsAt(json, "list"));
  EXPECT_FALSE(TextMapAt(json, "map"));
  EXPECT_FALSE(ArrayAt(json, "map"));
  EXPECT_FALSE(ObjectAt(json, "list"));
}

TEST(JsonDocument, ReadsListsAndMapsOfTexts) {
  const Json json = Parsed(R"({"list":["a","b"],"map":{"a":"1","b":null}})");
  EXPECT_THAT(*TextsAt(json, "list"), ElementsAre("a", "b"));
  EXPECT_TRUE(TextsAt(json, "none")->empty());
  const auto map = TextMapAt(json, "map").value();
  EXPECT_EQ(map.at("a"), "1");
  EXPECT_EQ(map.at("b"), std::nullopt);
  EXPECT_TRUE(TextMapAt(json, "none")->empty());
}

TEST(JsonDocument, FindsNothingOfAnotherType) {
  const Json json = Parsed(R"({"flag":false,"text":"t","null":null})");
  EXPECT_FALSE(FindFlag(json, "flag", true));
  EXPECT_TRUE(FindFlag(json, "text", true));
  EXPECT_EQ(FindLong(json, "text"), std::nullopt);
  EXPECT_EQ(FindText(json, "flag"), std::nullopt);
  EXPECT_EQ(Find(json, "null"), nullptr);
  EXPECT_EQ(Find(json["text"], "x"), nullptr);
}

}  // namespace
}  // namespace weir
