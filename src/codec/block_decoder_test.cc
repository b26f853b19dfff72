#include "codec/block_decoder.h"

#include <gtest/gtest.h>

#include "codec/decode_outcome.h"
#include "codec/random_json.h"

// Escapes are the matter of many cases, so they are spelled as they are.
// NOLINTBEGIN(modernize-raw-string-literal)
namespace weir::codec {
namespace {

std::vector<NamedMatchShape> Matchers() {
  std::vector<NamedMatchShape> all = AllMatchShapes();
  all.push_back({"none", nullptr});
  return all;
}

// What comes out, as text: rows in order, then refusals in order.
std::vector<std::string> Show(const Batch& batch, const std::vector<Rejection>& rejected) {
  std::vector<std::string> lines;
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    std::string line = std::to_string(batch.records[row]);
    for (const Column& column : batch.columns) line += " " + codec::Show(column, row);
    lines.push_back(line);
  }
  for (const Rejection& r : rejected) {
    lines.push_back(std::to_string(r.record) + " !" + std::string(ToString(r.reason)) + " " +
                    r.pointer + "|" + r.expected + "|" + r.actual + "|" + r.message);
  }
  return lines;
}

std::vector<std::string> ReadStrictly(const Contract& contract,
                                      const std::vector<std::string>& values) {
  RowDecoder rows(contract, JsonLimits{});
  Batch batch(std::make_shared<const Schema>(TableSchema(contract)));
  std::vector<Rejection> rejected;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Rejection rejection;
    if (rows.Decode(values[i], 5, &batch, &rejection)) {
      batch.records.push_back(static_cast<std::uint32_t>(i));
    } else {
      rejection.record = static_cast<std::uint32_t>(i);
      rejected.push_back(rejection);
    }
  }
  return Show(batch, rejected);
}

std::vector<std::string> ReadInBlocks(const Contract& contract,
                                      const std::vector<std::string>& values, MatchShape match) {
  RowDecoder rows(contract, JsonLimits{});
  BlockDecoder blocks(contract, JsonLimits{}, &rows, match);
  Batch batch(std::make_shared<const Schema>(TableSchema(contract)));
  std::vector<Rejection> rejected;
  // Each record in memory of its own size, so that a sanitizer sees a step behind its end.
  std::vector<std::unique_ptr<char[]>> copies;
  std::vector<LogRecord> records;
  for (const std::string& value : values) {
    copies.push_back(std::make_unique<char[]>(value.size()));
    std::copy(value.begin(), value.end(), copies.back().get());
    records.emplace_back();
    records.back().value = std::string_view(copies.back().get(), value.size());
  }
  blocks.Decode(records, 5, &batch, &rejected, 0);
  return Show(batch, rejected);
}

TEST(BlockDecoder, AgreesWithTheStrictReaderOnRandomEvents) {
  Contract contract = RandomJson::Fields();
  for (unsigned seed = 0; seed < 15; ++seed) {
    contract.unknown_fields = static_cast<UnknownFields>(seed % 3);
    const std::vector<std::string> events = RandomJson(seed).Events(300);
    const std::vector<std::string> expected = ReadStrictly(contract, events);
    for (const NamedMatchShape& matcher : Matchers()) {
      ASSERT_EQ(ReadInBlocks(contract, events, matcher.match), expected)
          << matcher.name << " seed " << seed;
    }
  }
}

// One shape learned well, then every record one step away from it.
TEST(BlockDecoder, AgreesOnEveryNeighbourOfAKnownShape) {
  const Contract contract = RandomJson::Fields();
  const std::string event =
      R"({"event_id":"f79c3e09-677c-4bbd-a479-3f349cb785e7",)"
      R"("event_time":"2026-09-01T10:00:00.123Z","user_id":"u1",)"
      R"("page_url":"https://shop.example/a/rather/long/path?with=query","quantity":7,)"
      R"("price":18.00,"member":true,"tags":["a"],"extra":{"k":[1]},"device":null})";
  std::vector<std::string> events(70, event);
  for (std::size_t i = 0; i < event.size(); ++i) {
    for (char byte : {'"', '\\', '}', ',', ' ', '0', 'x', '\x01', '\xe9'}) {
      events.push_back(event);
      events.back()[i] = byte;
    }
    events.push_back(event.substr(0, i));
    events.push_back(event.substr(0, i) + event.substr(i + 1));
    events.push_back(event.substr(0, i) + event[i] + event.substr(i));
  }
  const std::vector<std::string> expected = ReadStrictly(contract, events);
  for (const NamedMatchShape& matcher : Matchers()) {
    EXPECT_EQ(ReadInBlocks(contract, events, matcher.match), expected) << matcher.name;
  }
}

// The last value and the tail of a record come in all lengths, since there the reader changes over
// to a copy.
TEST(BlockDecoder, AgreesForAllLengthsOfTheLastValue) {
  const Contract contract = RandomJson::Fields();
  std::vector<std::string> events;
  for (std::size_t a = 0; a < 80; ++a) {
    for (std::size_t b = 0; b < 80; b += 7) {
      events.push_back("{\"user_id\":\"" + std::string(a, 'x') + "\",\"device\":\"" +
                       std::string(b, 'y') + "\"}");
      events.push_back("{\"user_id\":\"" + std::string(a, 'x') +
                       "\",\"quantity\":" + std::string(b % 9 + 1, '1') + "}");
      events.push_back("{\"user_id\":\"" + std::string(a, 'x') + "\",\"tags\":[\"" +
                       std::string(b, 'y') + "\"]}");
      events.push_back("{\"user_id\":\"" + std::string(a, 'x') + "\",\"device\":\"" +
                       std::string(b, 'y') + "é\"}");
    }
  }
  const std::vector<std::string> expected = ReadStrictly(contract, events);
  for (const NamedMatchShape& matcher : Matchers()) {
    EXPECT_EQ(ReadInBlocks(contract, events, matcher.match), expected) << matcher.name;
  }
}

// Walks that visit one key twice over literals that were learned from different records, where the
// key stands in front of a value, or as a null within a literal.
TEST(BlockDecoder, SeesAKeyThatComesTwiceAlongKnownLiterals) {
  const Contract contract = RandomJson::Fields();
  const std::string a = R"("user_id":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")";
  const std::string b = R"("device":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb")";
  const std::string c = R"("page_url":"ccccccccccccccccccccccccccccccccccccccccc")";
  const std::string x = R"("other":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")";
  const std::string none = R"("device":null)";
  const std::string nothing = R"("other":null)";
  const std::vector<std::string> members = {a, b, c, x, none, nothing};
  std::vector<std::string> events;
  for (int round = 0; round < 3; ++round) {
    for (const std::string& first : members) {
      for (const std::string& second : members) {
        events.push_back("{" + first + "," + second + "}");
        for (const std::string& third : members) {
          events.push_back("{" + first + "," + second + "," + third + "}");
        }
      }
    }
  }
  const std::vector<std::string> expected = ReadStrictly(contract, events);
  for (const NamedMatchShape& matcher : Matchers()) {
    EXPECT_EQ(ReadInBlocks(contract, events, matcher.match), expected) << matcher.name;
  }
  EXPECT_NE(expected.back().find("duplicate_key"), std::string::npos);
}

// Thousands of shapes: what is learned stays bounded, and right.
TEST(BlockDecoder, ManyShapesAndManyUnknownKeys) {
  const Contract contract = RandomJson::Fields();
  RandomJson random(3);
  std::vector<std::string> events;
  for (int i = 0; i < 6'000; ++i) {
    const std::string key =
        "key" + std::to_string(random.Below(3000)) + std::string(random.Below(60), 'k');
    events.push_back("{\"user_id\":\"u\",\"" + key + "\":\"" + std::string(random.Below(30), 'v') +
                     "\",\"quantity\":1}");
  }
  const std::vector<std::string> expected = ReadStrictly(contract, events);
  for (const NamedMatchShape& matcher : Matchers()) {
    EXPECT_EQ(ReadInBlocks(contract, events, matcher.match), expected) << matcher.name;
  }
}

}  // namespace
}  // namespace weir::codec
// NOLINTEND(modernize-raw-string-literal)
