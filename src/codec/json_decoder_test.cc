#include "codec/json_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/decode_outcome.h"

// Escapes are the matter of many cases, so they are spelled as they are.
// NOLINTBEGIN(modernize-raw-string-literal)
namespace weir::codec {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

const Type kText = Type::Of(TypeKind::kString);
const Type kInt = Type::Of(TypeKind::kInt);

// The logical event of the cases: ids, a type, a time, and values of several types.
Contract Clicks() {
  Contract contract = ContractOf({
      FieldOf("event_id", kText, true),
      FieldOf("event_time", Type::Of(TypeKind::kTimestamp), true),
      FieldOf("url", kText),
      FieldOf("qty", kInt),
      FieldOf("price", Type::Decimal(10, 2)),
      FieldOf("props", Type::Struct({FieldOf("color", kText), FieldOf("size", kInt, true)})),
      FieldOf("tags", Type::List(kText, true)),
  });
  contract.event_time_field = "event_time";
  return contract;
}

constexpr const char* kEvent =
    R"({"event_id":"a1","event_time":"2026-09-01T10:00:00Z","url":"/","qty":1,"price":"18.00"})";
constexpr const char* kRow =
    "event_id='a1' event_time=2026-09-01T10:00:00Z url='/' qty=1 price=18.00";

std::string Outcome(const std::string& value) { return OutcomeOf(Clicks(), value); }

struct RecordCase {
  std::string record;
  const char* expected;  // the row or what the refusal starts with
};

// A record as bytes: the whole value is the document.
TEST(JsonDecoder, TheWholeRecordIsOneObject) {
  using namespace std::string_literals;
  const std::string event = kEvent;
  const std::vector<RecordCase> cases = {
      {event, kRow},
      {event + "\n\t ", kRow},
      {"\r\n " + event, kRow},
      {event + "x", "!trailing_data : x follows the JSON value at byte 87"},
      {event + "\0"s, "!trailing_data"},
      {event + "\0{\"event_id\":\"a2\"}"s, "!trailing_data"},
      {event + event, "!trailing_data"},
      {event + "\n" + event, "!trailing_data"},
      {event + ",", "!trailing_data"},
      {event + "}", "!trailing_data"},
      {"\xEF\xBB\xBF" + event, kRow},
      {"\xEF\xBB\xBF\xEF\xBB\xBF" + event, "!malformed"},
      {" \xEF\xBB\xBF" + event, "!malformed"},
      {"{\"event_id\":\xEF\xBB\xBF\"a1\"}", "!malformed"},
      {"\xEF\xBB\xBF{\"pad\":\"" + std::string(9000, ' ') + "\"," + event.substr(1), kRow},
      {"\xEF\xBB\xBF{\"pad\":\"" + std::string(1'000'000, ' ') + "\"," + event.substr(1), kRow},
      {"\xFF\xFE{\0\"\0"s, "!malformed"},
      {"", "!empty : the event is empty"},
      {" \n\t", "!empty"},
      {"\xEF\xBB\xBF", "!empty"},
      {"[" + event + "," + event + "]",
       "!not_an_object : the event must be a JSON object, not a list"},
      {"[]", "!not_an_object"},
      {"[[" + event + "]]", "!not_an_object"},
      {"[" + event, "!malformed"},
      {"\"hi\"", "!not_an_object : the event must be a JSON object, not a text"},
      {"7", "!not_an_object"},
      {"null", "!not_an_object"},
      {"hi", "!malformed"},
      {"\\u12", "!malformed"},
      {"{}", ""},
      {" { } ", ""},
  };
  for (const RecordCase& c : cases) {
    EXPECT_THAT(Outcome(c.record), StartsWith(c.expected)) << c.record.substr(0, 100);
    if (c.expected[0] == '!') continue;
    EXPECT_EQ(Outcome(c.record), c.expected) << c.record.substr(0, 100);
  }
}

const std::vector<std::string> kMalformed = {"{",
                                             "{\"",
                                             "{\"a",
                                             "{\"a\"",
                                             "{\"a\":",
                                             "{\"a\":1",
                                             "{\"a\":1,",
                                             "{\"a\":1,}",
                                             "{,}",
                                             "{1:2}",
                                             "{\"a\" 1}",
                                             "{\"a\":1 \"b\":2}",
                                             "{'a':1}",
                                             "{a:1}",
                                             "{\"a\":}",
                                             "{\"a\":[1,]}",
                                             "{\"a\":[}",
                                             "{\"a\":[1}",
                                             "{\"a\":{]}",
                                             "{\"a\":tru}",
                                             "{\"a\":True}",
                                             "{\"a\":nul}",
                                             "{\"a\":nullx}",
                                             "{\"a\":NaN}",
                                             "{\"a\":Infinity}",
                                             "{\"a\":-Infinity}",
                                             "{\"a\":-}",
                                             "{\"a\":.5}",
                                             "{\"a\":5.}",
                                             "{\"a\":+5}",
                                             "{\"a\":0005.00}",
                                             "{\"a\":-01}",
                                             "{\"a\":1e}",
                                             "{\"a\":1e+}",
                                             "{\"a\":1.e5}",
                                             "{\"a\":0x10}",
                                             "{\"a\":1_000}",
                                             "{\"a\":\"\t\"}",
                                             "{\"a\":\"\n\"}",
                                             "{\"a\":\"\\x41\"}",
                                             "{\"a\":\"\\u12\"}",
                                             "{\"a\":\"\\u12g4\"}",
                                             "{\"a\":\"\\",
                                             "{\"a\":\"\\\"}",
                                             "{\"a\":\"\\u",
                                             "{\"a\":/**/1}",
                                             "{\"a\":1}//",
                                             "{\"qty\":NaN}",
                                             "{\"qty\":Infinity}",
                                             "{\"qty\":.5}",
                                             "{\"price\":5.}",
                                             "{\"qty\":1,\"a\":tru}",
                                             "{\"qty\":\"several\",\"a\":tru}",
                                             "{\"tags\":[\"a\" \"b\"]}",
                                             std::string("{\"a\":\"x\0y\"}", 11)};

const std::vector<std::string> kGood = {"{\"a\":[]}",
                                        "{\"a\":{}}",
                                        "{\"a\":[[],{},\"\",0,null,true,false]}",
                                        "{ \"a\" : [ 1 , 2 ] , \"b\" : { \"c\" : 1 } }",
                                        "{\"a\":-0.0e-0}",
                                        "{\"\":1}",
                                        "{\"a\":\"\\u0000\"}",
                                        "{\"a\\\"b\":1}"};

TEST(JsonDecoder, GrammarIsStrict) {
  for (const std::string& record : kMalformed) {
    const std::string outcome = Outcome(record);
    const bool right =
        outcome.rfind("!malformed ", 0) == 0 || outcome.rfind("!trailing_data", 0) == 0;
    EXPECT_TRUE(right) << record << " -> " << outcome;
  }

  for (const std::string& record : kGood) EXPECT_EQ(Outcome(record), "") << record;
}

TEST(JsonDecoder, TextMustBeUtf8) {
  for (const char* bad :
       {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xe2\x82", "\xf0\x9f\x98", "\x80", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xe0\x80\xaf", "\xc3", "\\ud800", "\\udc00", "\\ud800x", "\\ud800\\n",
        "\\ud800\\ud800", "\\udc00\\ud800", "\\uD83D\\u0041"}) {
    const std::string text = std::string("/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa") + bad;
    for (const std::string& record :
         {"{\"url\":\"" + text + "\"}",
          "{\"url\":\"" + text + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}",
          "{\"other\":\"" + text + "\"}", "{\"" + text + "\":1}", "{\"tags\":[\"" + text + "\"]}",
          "{\"other\":{\"x\":[\"" + text + "\"]}}"}) {
      EXPECT_THAT(Outcome(record), StartsWith("!invalid_utf8 ")) << record;
    }
  }
}

TEST(JsonDecoder, EscapedZeroBytesAreKept) {
  using namespace std::string_literals;
  EXPECT_EQ(Outcome(R"({"url":"/a\u0000b"})"), "url='/a\0b'"s);
  JsonDecoder decoder(Clicks());
  EXPECT_THAT(Outcomes(decoder, {R"({"event_id":"x\u0000y"})", R"({"event_id":"x\u0000z"})"},
                       Reader::kFast),
              ElementsAre("event_id='x\0y'"s, "event_id='x\0z'"s));
}

std::string Repeat(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(JsonDecoder, DepthIsBoundedBeforeAnythingIsBuilt) {
  const auto objects = [](int levels) {
    return Repeat("{\"a\":", levels - 1) + "{}" + Repeat("}", levels - 1);
  };
  EXPECT_EQ(Outcome(objects(64)), "");
  EXPECT_THAT(Outcome(objects(65)),
              StartsWith("!too_deep : the event is nested deeper than 64 levels"));
  EXPECT_EQ(Outcome("{\"a\":" + Repeat("[", 63) + Repeat("]", 63) + "}"), "");
  EXPECT_THAT(Outcome("{\"a\":" + Repeat("[", 64) + Repeat("]", 64) + "}"),
              StartsWith("!too_deep"));
  EXPECT_THAT(Outcome(objects(100'000)), StartsWith("!too_deep"));
  EXPECT_THAT(Outcome(Repeat("[", 100'000)), StartsWith("!too_deep"));
  EXPECT_THAT(Outcome("{\"props\":" + Repeat("{\"a\":", 100'000)), StartsWith("!too_deep"));
  EXPECT_EQ(OutcomeOf(Clicks(), objects(3), {.max_depth = 3}), "");
  EXPECT_THAT(OutcomeOf(Clicks(), objects(4), {.max_depth = 3}), StartsWith("!too_deep"));
}

TEST(JsonDecoder, SizeIsBounded) {
  const std::string event = kEvent;
  EXPECT_EQ(OutcomeOf(Clicks(), event, {.max_record_bytes = event.size()}), kRow);
  EXPECT_EQ(OutcomeOf(Clicks(), event, {.max_record_bytes = event.size() - 1}),
            "!too_large : the event has 87 bytes; the limit is at most 86 bytes");
  EXPECT_THAT(Outcome("{\"url\":\"" + std::string(1 << 20, 'x') + "\"}"), StartsWith("!too_large"));
}

TEST(JsonDecoder, KeysMatchExactly) {
  EXPECT_EQ(Outcome(R"({"event_id":"a1","Event_Id":"zz"})"), "event_id='a1'");
  EXPECT_EQ(Outcome(R"({"EVENT_ID":"zz"})"), "");
  EXPECT_EQ(Outcome(R"({"event_id ":"zz"})"), "");
  EXPECT_EQ(Outcome(R"({"event\u005fid":"a1"})"), "event_id='a1'");
  EXPECT_EQ(Outcome(R"({"ingestion_time":"2020-01-01T00:00:00Z"})"), "");
}

TEST(JsonDecoder, DuplicateKeysAreRefused) {
  const std::vector<RecordCase> cases = {
      {R"({"url":"/","url":"/"})", "!duplicate_key /url: the key url is there twice in one object"},
      {R"({"url":null,"url":"/"})", "!duplicate_key /url"},
      {R"({"url":"/","u\u0072l":"/"})", "!duplicate_key /url"},
      {R"({"other":1,"url":"/","other":2})", "!duplicate_key /other"},
      {R"({"props":{"size":1,"size":1}})", "!duplicate_key /props/size"},
      {R"({"x":[1,{"y":{"a/b":1,"a/b":2}}]})", "!duplicate_key /x/1/y/a~1b"},
      {R"({"x":{"url":1},"url":"/"})", "url='/'"},
      {R"({"x":{"url":1},"y":{"url":1}})", ""},
      {R"({"":1,"":2})", "!duplicate_key /"},
      {R"({"url":"/","url":1,"x":tru})", "!malformed"},
  };
  for (const RecordCase& c : cases) EXPECT_THAT(Outcome(c.record), StartsWith(c.expected));
}

TEST(JsonDecoder, ManyKeysCostLittle) {
  std::string many = "{\"url\":\"/\"";
  for (int i = 0; i < 60'000; ++i) many += ",\"k" + std::to_string(i) + "\":0";
  EXPECT_EQ(Outcome(many + "}"), "url='/'");
  EXPECT_THAT(Outcome(many + ",\"k7\":0}"), StartsWith("!duplicate_key /k7"));
}

TEST(JsonDecoder, NestedValuesHaveTheirOwnNeeds) {
  const std::vector<RecordCase> cases = {
      {R"({"props":{"size":1}})", "props={color: null, size: 1}"},
      {R"({"props":{"size":1,"color":"red","more":[{}]}})", "props={color: 'red', size: 1}"},
      {R"({"props":null})", ""},
      {R"({"props":{}})", "!missing /props/size: props.size is required"},
      {R"({"props":{"size":null}})", "!missing /props/size: props.size is required"},
      {R"({"props":{"size":"several"}})",
       "!wrong_type /props/size: props.size must be an int, not the text \"several\""},
      {R"({"props":[]})", "!wrong_type /props: props must be an object, not a list"},
      {R"({"props":"{}"})", "!wrong_type /props: props must be an object, not the text \"{}\""},
      {R"({"tags":["a","b\n","\u00e9"]})", "tags=['a', 'b\n', 'é']"},
      {R"({"tags":[]})", "tags=[]"},
      {R"({"tags":["a",null]})", "!missing /tags/1: tags.1 is required"},
      {R"({"tags":{}})", "!wrong_type /tags: tags must be a list, not an object"},
      {R"({"tags":["a",["b"]]})", "!wrong_type /tags/1: tags.1 must be a string, not a list"},
  };
  for (const RecordCase& c : cases) EXPECT_EQ(Outcome(c.record), c.expected) << c.record;
}

TEST(JsonDecoder, RefusalsSayWhatToMend) {
  const std::vector<RecordCase> cases = {
      {R"({"qty":"several"})", "!wrong_type /qty: qty must be an int, not the text \"several\""},
      {R"({"qty":7.5})", "!wrong_type /qty: qty must be an int, not the number 7.5"},
      {R"({"qty":[1]})", "!wrong_type /qty: qty must be an int, not a list"},
      {R"({"qty":2147483648})", "!out_of_range /qty: qty must fit an int, not 2147483648"},
      {R"({"price":18.005})",
       "!scale_loss /price: price must have at most 2 decimal places, not 18.005"},
      {R"({"price":1e9})", "!out_of_range /price: price must fit a decimal(10,2), not 1e9"},
      {R"({"event_time":"BAD DATETIME"})",
       "!bad_timestamp /event_time: event_time must be a timestamp like 2026-09-01T10:00:00Z, not "
       "\"BAD DATETIME\""},
      {R"({"event_time":"2026-09-01T10:00:00"})",
       "!no_zone /event_time: event_time must carry a time zone, like 2026-09-01T10:00:00Z, not "
       "\"2026-09-01T10:00:00\""},
      {R"({"event_time":1788256800})",
       "!wrong_type /event_time: event_time must be a timestamp like 2026-09-01T10:00:00Z, not the "
       "number 1788256800"},
      {"{\"url\":7,\"qty\":\"x\"}", "!wrong_type /url: url must be a string, not the number 7"},
      {"{\"qty\":\"x\",\"url\":7}", "!wrong_type /url: url must be a string, not the number 7"},
      {"{\"qty\":\"\\u001b[31m\"}",
       "!wrong_type /qty: qty must be an int, not the text \"\\x1b[31m\""},
      {"{\"a\":1 \"b\":2}",
       "!malformed : not valid JSON at byte 7: a comma or } is missing before \"b\":2}"},
      {"{\"a\":\"x", "!malformed : not valid JSON at byte 7: a string without its end"},
      {"{\"a\":\"\xff\"}", "!invalid_utf8 : not valid JSON at byte 6: a byte that is no UTF-8"},
  };
  for (const RecordCase& c : cases) EXPECT_EQ(Outcome(c.record), c.expected) << c.record;
}

TEST(JsonDecoder, UnknownFields) {
  Contract contract = Clicks();
  const std::string event = R"({"b":"x\u0041","event_id":"a1","a":[1, {"c":null}],"n":null})";
  EXPECT_EQ(OutcomeOf(contract, event), "event_id='a1'");
  contract.unknown_fields = UnknownFields::kReject;
  EXPECT_EQ(OutcomeOf(contract, event), "!unknown_field /b: b is no field of the contract");
  EXPECT_EQ(OutcomeOf(contract, R"({"event_id":"a1"})"), "event_id='a1'");
  EXPECT_EQ(OutcomeOf(contract, R"({"props":{"size":1,"b":1}})"),
            "!unknown_field /props/b: props.b is no field of the contract");
  contract.unknown_fields = UnknownFields::kKeep;
  EXPECT_EQ(
      OutcomeOf(contract, event),
      R"(event_id='a1' unknown_fields={'b': '"x\u0041"', 'a': '[1, {"c":null}]', 'n': 'null'})");
  EXPECT_EQ(OutcomeOf(contract, R"({"event_id":"a1"})"), "event_id='a1'");
}

TEST(JsonDecoder, BadRecordsLeaveTheirNeighboursAlone) {
  JsonDecoder decoder(Clicks());
  std::vector<std::string> values;
  std::vector<std::string> expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string n = std::to_string(i);
    // Bad ones break off late, when most columns have got a value.
    const bool bad = i % 7 == 3 || (i > 1000 && i < 1500);
    values.push_back(R"({"event_id":"e)" + n + R"(","url":"/)" + n + R"(","qty":)" + n +
                     R"(,"props":{"size":)" + n + R"(},"tags":["t)" + n + "\"" +
                     (bad ? ",null" : "") + "]}");
    expected.push_back(bad ? "!missing /tags/1: tags.1 is required"
                           : "event_id='e" + n + "' url='/" + n + "' qty=" + n +
                                 " props={color: null, size: " + n + "} tags=['t" + n + "']");
  }
  EXPECT_EQ(Outcomes(decoder, values, Reader::kSlow), expected);
  EXPECT_EQ(Outcomes(decoder, values, Reader::kFast), expected);
}

TEST(JsonDecoder, TombstonesArePassedOverAndIndexesCount) {
  JsonDecoder decoder(Clicks());
  const std::vector<std::string> values = {kEvent, "x", kEvent};
  std::vector<LogRecord> records = RecordsOf(values);
  records.insert(records.begin() + 1, LogRecord{});
  Batch batch(decoder.schema());
  std::vector<Rejection> rejected;
  decoder.Decode(records, 0, &batch, &rejected, 100);
  EXPECT_THAT(batch.records, ElementsAre(100, 103));
  ASSERT_EQ(rejected.size(), 1U);
  EXPECT_EQ(rejected[0].record, 102U);
  decoder.Decode(records, 0, &batch, &rejected, 104);  // appends
  EXPECT_THAT(batch.records, ElementsAre(100, 103, 104, 107));
}

TEST(JsonDecoder, IngestionTimeStandsWhereTheContractPlacesIt) {
  Contract contract = Clicks();
  contract.fields.insert(contract.fields.begin() + 2, ContractField{});
  contract.fields[2].field = FieldOf("taken", Type::Of(TypeKind::kTimestamp), true);
  contract.fields[2].from_ingestion = true;
  JsonDecoder decoder(contract);
  const std::vector<std::string> values = {R"({"event_id":"a1","taken":"2020-01-01T00:00:00Z"})"};
  Batch batch(decoder.schema());
  std::vector<Rejection> rejected;
  decoder.Decode(RecordsOf(values), 77, &batch, &rejected);
  ASSERT_EQ(batch.rows(), 1U);
  EXPECT_EQ(batch.columns[2].Long(0), 77);
}

TEST(JsonDecoder, DictionariesLastUntilReset) {
  JsonDecoder decoder(Clicks());
  const std::vector<std::string> values = {kEvent, kEvent};
  const std::vector<LogRecord> records = RecordsOf(values);
  std::vector<Rejection> rejected;
  Batch batch(decoder.schema());
  decoder.Decode(records, 0, &batch, &rejected);
  const std::shared_ptr<Dictionary> first = batch.columns[0].dictionary();
  ASSERT_NE(first, nullptr);
  batch.Clear();
  decoder.Decode(records, 0, &batch, &rejected);
  EXPECT_EQ(batch.columns[0].dictionary(), first);
  EXPECT_EQ(first->size(), 1);
  decoder.ResetDictionaries();
  batch.Clear();
  decoder.Decode(records, 0, &batch, &rejected);
  EXPECT_NE(batch.columns[0].dictionary(), first);
  EXPECT_EQ(batch.columns[0].String(1), "a1");
}

TEST(JsonDecoder, ColumnsOfManyValuesGoPlain) {
  JsonDecoder decoder(Clicks());
  std::vector<std::string> values;
  values.reserve(6000);
  for (int i = 0; i < 6000; ++i) {
    values.push_back("{\"event_id\":\"" + std::to_string(i) + "\",\"url\":\"/" +
                     std::to_string(i % 9) + "\"}");
  }
  const std::vector<LogRecord> records = RecordsOf(values);
  std::vector<Rejection> rejected;
  Batch batch(decoder.schema());
  for (int round = 0; round < 2; ++round) {
    batch.Clear();
    decoder.Decode(records, 0, &batch, &rejected);
    EXPECT_EQ(batch.columns[0].dictionary() == nullptr, round == 1);
    EXPECT_NE(batch.columns[2].dictionary(), nullptr);
    EXPECT_EQ(batch.columns[0].String(5999), "5999");
    EXPECT_EQ(batch.columns[2].String(5999), "/5");
  }
}

}  // namespace
}  // namespace weir::codec
// NOLINTEND(modernize-raw-string-literal)
