#include "codec/json_scanner.h"

#include <cstring>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "codec/random_json.h"

// Escapes are the matter of many cases, so they are spelled as they are.
// NOLINTBEGIN(modernize-raw-string-literal)
namespace weir::codec {
namespace {

// What another parser says of the same bytes; nullopt where it has limits of its own.
std::optional<bool> SimdjsonAccepts(simdjson::dom::parser& parser, const std::string& text) {
  const simdjson::padded_string padded(text);
  const simdjson::error_code error = parser.parse(padded).error();
  if (error == simdjson::NUMBER_ERROR || error == simdjson::DEPTH_ERROR) return std::nullopt;
  return error == simdjson::SUCCESS;
}

TEST(JsonScanner, AgreesWithSimdjsonOnWhatIsJson) {
  simdjson::dom::parser parser;
  JsonScanner scanner(64);
  int accepted = 0;
  int refused = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    RandomJson random(seed);
    for (std::string text : random.Events(300)) {
      if (random.Below(3) == 0) text = random.Mutated(text);
      const auto fault = scanner.Scan(text);
      // Both skip a byte order mark; repeated keys, empty records and lone values are our matter.
      if (fault &&
          (fault->reason == RejectReason::kDuplicateKey || fault->reason == RejectReason::kEmpty))
        continue;
      const bool ours = !fault || fault->reason == RejectReason::kNotAnObject;
      if (text.rfind("\xEF\xBB\xBF", 0) == 0) text.erase(0, 3);
      const auto theirs = SimdjsonAccepts(parser, text);
      if (!theirs) continue;
      ASSERT_EQ(ours, *theirs) << text << "\n" << (fault ? fault->what : "");
      ++(ours ? accepted : refused);
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(JsonScanner, FindsMembersAsTheyStand) {
  JsonScanner scanner(64);
  const std::string record =
      R"( {"a":"x\n", "b" : [1, {"c":2}],"d":-1.5e3,"e":null,"f":{},"":true} )";
  ASSERT_FALSE(scanner.Scan(record));
  const std::vector<JsonMember>& members = scanner.members();
  ASSERT_EQ(members.size(), 6U);
  EXPECT_EQ(members[0].value.text, "x\\n");
  EXPECT_TRUE(members[0].value.escaped);
  EXPECT_EQ(scanner.TextOf(members[0].value), "x\n");
  EXPECT_EQ(members[1].value.text, "[1, {\"c\":2}]");
  EXPECT_EQ(members[1].value.kind, JsonKind::kArray);
  EXPECT_EQ(members[2].value.text, "-1.5e3");
  EXPECT_EQ(members[3].value.kind, JsonKind::kNull);
  EXPECT_EQ(members[4].value.kind, JsonKind::kObject);
  EXPECT_EQ(members[5].key.text, "");
}

TEST(JsonScanner, ReadsOneMemberAlone) {
  JsonScanner scanner(3);
  const auto length = [&](const char* text) {
    const char* behind = scanner.ReadMember(text, text + std::strlen(text));
    return behind == nullptr ? -1 : behind - text;
  };
  EXPECT_EQ(length("[1,2],\"b\":3}"), 5);
  EXPECT_EQ(length("{\"a\":[]}}"), 8);
  EXPECT_EQ(length("{\"a\":[[]]}}"), -1) << "one level too many";
  EXPECT_EQ(length("{\"a\":1,\"a\":2}}"), -1);
  EXPECT_EQ(length("[1,2"), -1);
  EXPECT_EQ(length("7}"), 1);
}

}  // namespace
}  // namespace weir::codec
// NOLINTEND(modernize-raw-string-literal)
