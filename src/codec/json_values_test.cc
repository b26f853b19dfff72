// One line a case: what each spelling of a value becomes in each type, at the top level, in a
// struct, in a list and in a map. The right values follow from docs/CONTRACT.md.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/decode_outcome.h"

// Escapes are the matter of many cases, so they are spelled as they are.
// NOLINTBEGIN(modernize-raw-string-literal)
namespace weir::codec {
namespace {

struct ValueCase {
  const char* json;
  const char* expected;  // as Show() spells it, or !reason
};

// What one value becomes, wherever it stands: alone, in a struct, in a list, in a map.
void ExpectAll(const Type& type, const std::vector<ValueCase>& cases,
               TimestampFormat format = TimestampFormat::kIso, bool assume_utc = false) {
  const Type text = Type::Of(TypeKind::kString);
  const bool nest = format == TimestampFormat::kIso && !assume_utc;
  for (const ValueCase& value_case : cases) {
    const std::string json = value_case.json;
    const std::string expected = value_case.expected;
    const bool refused = expected[0] == '!';
    const auto expect = [&](const Type& place, const std::string& value, const std::string& shown,
                            const std::string& pointer) {
      Contract contract = ContractOf({FieldOf("v", place)});
      contract.fields[0].timestamp_format = format;
      contract.fields[0].assume_utc = assume_utc;
      ASSERT_TRUE(Check(contract).ok());
      const std::string outcome = OutcomeOf(contract, "{\"v\":" + value + "}");
      if (refused) {
        EXPECT_EQ(outcome.substr(0, outcome.find(':')), expected + " /v" + pointer) << value;
      } else {
        EXPECT_EQ(outcome, shown == "null" ? "" : "v=" + shown) << value;
      }
    };
    expect(type, json, expected, "");
    if (!nest) continue;
    expect(Type::Struct({FieldOf("a", type)}), "{\"a\":" + json + "}", "{a: " + expected + "}",
           "/a");
    expect(Type::List(type), "[ " + json + " ]", "[" + expected + "]", "/0");
    expect(Type::Map(text, type), "{\"k\" : " + json + "}", "{'k': " + expected + "}", "/k");
  }
}

TEST(JsonValues, Int) {
  ExpectAll(Type::Of(TypeKind::kInt),
            {
                {"0", "0"},
                {"-0", "0"},
                {"7", "7"},
                {"7.0", "7"},
                {"7.00000000000000000000000000000000000000000000", "7"},
                {"0.7e1", "7"},
                {"700e-2", "7"},
                {"1e3", "1000"},
                {"1E+2", "100"},
                {"1e007", "10000000"},
                {"0e99999999999999999999", "0"},
                {"0.0e-5", "0"},
                {"2147483647", "2147483647"},
                {"2147483648", "!out_of_range"},
                {"-2147483648", "-2147483648"},
                {"-2147483649", "!out_of_range"},
                {"4294967297", "!out_of_range"},
                {"9999999999999999999999999999999999999999", "!out_of_range"},
                {"1e256", "!out_of_range"},
                {"1e99999999999999999999", "!out_of_range"},
                {"-1e4294967296", "!out_of_range"},
                {"1e-99999999999999999999", "!wrong_type"},
                {"7.5", "!wrong_type"},
                {"1e-1", "!wrong_type"},
                {"\"abc\"", "!wrong_type"},
                {"\"\"", "!wrong_type"},
                {"\"7\"", "!wrong_type"},
                {"true", "!wrong_type"},
                {"[1]", "!wrong_type"},
                {"{}", "!wrong_type"},
                {"null", "null"},
            });
}

TEST(JsonValues, Long) {
  ExpectAll(Type::Of(TypeKind::kLong),
            {
                {"1e007", "10000000"},
                {"9223372036854775807", "9223372036854775807"},
                {"9223372036854775808", "!out_of_range"},
                {"-9223372036854775808", "-9223372036854775808"},
                {"-9223372036854775809", "!out_of_range"},
                {"9.223372036854775807e18", "9223372036854775807"},
                {"9007199254740993", "9007199254740993"},  // not a double
                {"1e19", "!out_of_range"},
                {"1e1000000", "!out_of_range"},
                {"18446744073709551617", "!out_of_range"},
                {"1.5", "!wrong_type"},
                {"\"1\"", "!wrong_type"},
                {"false", "!wrong_type"},
            });
}

TEST(JsonValues, Double) {
  ExpectAll(Type::Of(TypeKind::kDouble), {
                                             {"0", "0"},
                                             {"-0.0", "-0"},
                                             {"0.1", "0.10000000000000001"},
                                             {"1e007", "10000000"},
                                             {"1.7976931348623157e308", "1.7976931348623157e+308"},
                                             {"1.7976931348623159e308", "!out_of_range"},
                                             {"1e400", "!out_of_range"},
                                             {"-1e400", "!out_of_range"},
                                             {"1e99999999999999999999", "!out_of_range"},
                                             {"1e-400", "0"},
                                             {"-1e-99999999999999999999", "-0"},
                                             {"5e-324", "4.9406564584124654e-324"},
                                             {"0.000e99999", "0"},
                                             {"\"NaN\"", "!wrong_type"},
                                             {"\"1.5\"", "!wrong_type"},
                                             {"null", "null"},
                                         });
}

TEST(JsonValues, Float) {
  ExpectAll(Type::Of(TypeKind::kFloat),
            {
                {"1.5", "1.500000"},
                {"3.4e38", "339999995214436424907732413799364296704.000000"},
                {"3.5e38", "!out_of_range"},
                {"1e-60", "0.000000"},
            });
}

TEST(JsonValues, Decimal) {
  ExpectAll(Type::Decimal(10, 2), {
                                      {"19.99", "19.99"},
                                      {"\"19.99\"", "19.99"},
                                      {"0.1", "0.10"},
                                      {"1234567.89", "1234567.89"},
                                      {"2.675", "!scale_loss"},
                                      {"18.00", "18.00"},
                                      {"18", "18.00"},
                                      {"1.8e1", "18.00"},
                                      {"-0.01", "-0.01"},
                                      {"-0", "0.00"},
                                      {"18.000", "18.00"},
                                      {"18.005", "!scale_loss"},
                                      {"99999999.99", "99999999.99"},
                                      {"-99999999.99", "-99999999.99"},
                                      {"100000000.00", "!out_of_range"},
                                      {"1E+2", "100.00"},
                                      {"1e-2", "0.01"},
                                      {"1e-3", "!scale_loss"},
                                      {"1e-400", "!scale_loss"},
                                      {"1e400", "!out_of_range"},
                                      {"1e99999999999999999999", "!out_of_range"},
                                      {"1e-99999999999999999999", "!scale_loss"},
                                      {"0e99999999999999999999", "0.00"},
                                      {"\"1.8e1\"", "18.00"},
                                      {"\"18.005\"", "!scale_loss"},
                                      {"\".5\"", "!wrong_type"},
                                      {"\"5.\"", "!wrong_type"},
                                      {"\"+5\"", "!wrong_type"},
                                      {"\"0005.00\"", "!wrong_type"},
                                      {"\" 5\"", "!wrong_type"},
                                      {"\"5 \"", "!wrong_type"},
                                      {"\"\"", "!wrong_type"},
                                      {"\"free\"", "!wrong_type"},
                                      {"\"\\u0035\"", "5.00"},
                                      {"true", "!wrong_type"},
                                      {"null", "null"},
                                  });
  ExpectAll(
      Type::Decimal(38, 6),
      {
          {"99999999999999999999999999999999.999999", "99999999999999999999999999999999.999999"},
          {"-99999999999999999999999999999999.999999", "-99999999999999999999999999999999.999999"},
          {"100000000000000000000000000000000", "!out_of_range"},
          {"0.000001", "0.000001"},
          {"0.0000001", "!scale_loss"},
      });
  ExpectAll(Type::Decimal(38, 38), {
                                       {"0.99999999999999999999999999999999999999",
                                        "0.99999999999999999999999999999999999999"},
                                       {"1", "!out_of_range"},
                                   });
  ExpectAll(Type::Decimal(5, 0), {
                                     {"99999", "99999"},
                                     {"100000", "!out_of_range"},
                                     {"1.0", "1"},
                                     {"1.1", "!scale_loss"},
                                 });
}

const std::vector<ValueCase> kTimestamps = {
    {"\"2026-09-01T10:00:00Z\"", "2026-09-01T10:00:00Z"},
    {"\"2026-03-31T03:17:37.260514Z\"", "2026-03-31T03:17:37.260514Z"},
    {"\"2026-03-31T03:17:37.260514+00:00\"", "2026-03-31T03:17:37.260514Z"},
    {"\"2026-03-31T03:17:37.260514+0000\"", "2026-03-31T03:17:37.260514Z"},
    {"\"2026-03-31T03:17:37.260514+00\"", "2026-03-31T03:17:37.260514Z"},
    {"\"2026-03-31T03:17:37.260514-00:00\"", "2026-03-31T03:17:37.260514Z"},
    {"\"2026-03-31 03:17:37.260514Z\"", "2026-03-31T03:17:37.260514Z"},
    {"\"2026-03-31t03:17:37.260514z\"", "2026-03-31T03:17:37.260514Z"},
    {"\"2026-03-31T08:47:37.260514+05:30\"", "2026-03-31T03:17:37.260514Z"},
    {"\"2026-03-31T08:47:37.260514+0530\"", "2026-03-31T03:17:37.260514Z"},
    {"\"2026-03-30T19:17:37.260514-08\"", "2026-03-31T03:17:37.260514Z"},
    {"\"2026-03-31T03:17:37,260514Z\"", "2026-03-31T03:17:37.260514Z"},
    {"\"2026-03-31T03:17:37.2Z\"", "2026-03-31T03:17:37.200000Z"},
    {"\"2026-03-31T03:17:37.260514999Z\"", "2026-03-31T03:17:37.260514Z"},
    {"\"1969-12-31T23:59:59.999999999Z\"", "1969-12-31T23:59:59.999999Z"},
    {"\"2026-03-31T03:17Z\"", "2026-03-31T03:17:00Z"},
    {"\"2026\\u002d03-31T03:17:37Z\"", "2026-03-31T03:17:37Z"},
    {"\"2024-02-29T00:00:00Z\"", "2024-02-29T00:00:00Z"},
    {"\"2000-02-29T00:00:00Z\"", "2000-02-29T00:00:00Z"},
    {"\"2023-02-29T00:00:00Z\"", "!bad_timestamp"},
    {"\"1900-02-29T00:00:00Z\"", "!bad_timestamp"},
    {"\"2026-04-31T00:00:00Z\"", "!bad_timestamp"},
    {"\"2026-00-01T00:00:00Z\"", "!bad_timestamp"},
    {"\"2026-13-01T00:00:00Z\"", "!bad_timestamp"},
    {"\"2026-01-00T00:00:00Z\"", "!bad_timestamp"},
    {"\"2026-01-32T00:00:00Z\"", "!bad_timestamp"},
    {"\"2026-01-01T24:00:00Z\"", "!bad_timestamp"},
    {"\"2026-01-01T23:60:00Z\"", "!bad_timestamp"},
    {"\"2016-12-31T23:59:60Z\"", "2017-01-01T00:00:00Z"},
    {"\"2016-12-31T23:59:60.5Z\"", "2017-01-01T00:00:00.500000Z"},
    {"\"2017-01-01T05:29:60+05:30\"", "2017-01-01T00:00:00Z"},
    {"\"2016-12-31T22:59:60Z\"", "!bad_timestamp"},
    {"\"2016-12-31T23:59:61Z\"", "!bad_timestamp"},
    {"\"2026-09-01T10:00:00+18:00\"", "2026-08-31T16:00:00Z"},
    {"\"2026-09-01T10:00:00+18:01\"", "!bad_timestamp"},
    {"\"2026-09-01T10:00:00+25:00\"", "!bad_timestamp"},
    {"\"2026-09-01T10:00:00+05:60\"", "!bad_timestamp"},
    {"\"2026-09-01T10:00:00+5:30\"", "!bad_timestamp"},
    {"\"2026-09-01T10:00:00+\"", "!bad_timestamp"},
    {"\"2026-09-01T10:00:00+05:\"", "!bad_timestamp"},
    {"\"2026-09-01T10:00:00 Z\"", "!bad_timestamp"},
    {"\"2026-09-01T10:00:00.Z\"", "!bad_timestamp"},
    {"\"2026-09-01T10:00:00.0123456789Z\"", "!bad_timestamp"},
    {"\"2026-09-01T10:00:00Zx\"", "!bad_timestamp"},
    {"\" 2026-09-01T10:00:00Z\"", "!bad_timestamp"},
    {"\"2026-09-01T10:00:00+02:00[Europe/Berlin]\"", "!bad_timestamp"},
    {"\"2026-9-1T10:00:00Z\"", "!bad_timestamp"},
    {"\"2026-09-01\"", "!bad_timestamp"},
    {"\"BAD DATETIME\"", "!bad_timestamp"},
    {"\"\"", "!bad_timestamp"},
    {"\"1788256800000\"", "!bad_timestamp"},
    {"\"2026-09-01T10:00:00\"", "!no_zone"},
    {"\"2026-09-01T10:00:00.5\"", "!no_zone"},
    {"\"2026-09-01 10:00\"", "!no_zone"},
    {"1788256800", "!wrong_type"},
    {"true", "!wrong_type"},
    {"\"9999-12-31T23:59:59.999999Z\"", "9999-12-31T23:59:59.999999Z"},
    {"\"9999-12-31T23:59:60Z\"", "!out_of_range"},
    {"\"9999-12-31T23:59:59-00:01\"", "!out_of_range"},
    {"\"10000-01-01T00:00:00Z\"", "!bad_timestamp"},
    {"\"0001-01-01T00:00:00Z\"", "0001-01-01T00:00:00Z"},
    {"\"0001-01-01T00:00:00+00:01\"", "!out_of_range"},
    {"\"0000-12-31T23:59:59Z\"", "!bad_timestamp"},
    {"\"-001-01-01T00:00:00Z\"", "!bad_timestamp"},
    {"\"2262-04-11T23:47:16.854776Z\"", "2262-04-11T23:47:16.854776Z"},
    {"\"1677-09-21T00:12:43Z\"", "1677-09-21T00:12:43Z"},
    {"null", "null"},
};

TEST(JsonValues, Timestamp) {
  ExpectAll(Type::Of(TypeKind::kTimestamp), kTimestamps);
  ExpectAll(Type::Of(TypeKind::kTimestamp),
            {
                {"\"2026-09-01T10:00:00\"", "2026-09-01T10:00:00Z"},
                {"\"2026-09-01T10:00:00+02:00\"", "2026-09-01T08:00:00Z"},
                {"\"2026-09-01\"", "!bad_timestamp"},
            },
            TimestampFormat::kIso, true);
}

TEST(JsonValues, EpochTimes) {
  const Type timestamp = Type::Of(TypeKind::kTimestamp);
  ExpectAll(timestamp,
            {
                {"1788256800000", "2026-09-01T10:00:00Z"},
                {"\"1788256800000\"", "2026-09-01T10:00:00Z"},
                {"1.7882568e12", "2026-09-01T10:00:00Z"},
                {"1788256800", "1970-01-21T16:44:16.800000Z"},
                {"1788256800000000", "!out_of_range"},
                {"1788256800000000000", "!out_of_range"},
                {"1e99999999999999999999", "!out_of_range"},
                {"0", "1970-01-01T00:00:00Z"},
                {"-1", "1969-12-31T23:59:59.999000Z"},
                {"-0.0001", "1969-12-31T23:59:59.999999Z"},
                {"1788256800.5", "1970-01-21T16:44:16.800500Z"},
                {"\"2026-09-01T10:00:00Z\"", "!bad_timestamp"},
                {"true", "!wrong_type"},
            },
            TimestampFormat::kEpochMillis);
  ExpectAll(timestamp,
            {
                {"1788256800", "2026-09-01T10:00:00Z"},
                {"1788256800.123456", "2026-09-01T10:00:00.123456Z"},
                {"1788256800.123456789", "2026-09-01T10:00:00.123456Z"},
                {"253402300799", "9999-12-31T23:59:59Z"},
                {"253402300800", "!out_of_range"},
                {"-62135596800", "0001-01-01T00:00:00Z"},
                {"-62135596801", "!out_of_range"},
            },
            TimestampFormat::kEpochSeconds);
  ExpectAll(timestamp,
            {
                {"1788256800000000", "2026-09-01T10:00:00Z"},
                {"-500000", "1969-12-31T23:59:59.500000Z"},
                {"9223372036854775807", "!out_of_range"},
            },
            TimestampFormat::kEpochMicros);
}

TEST(JsonValues, DateUuidBoolean) {
  ExpectAll(Type::Of(TypeKind::kDate), {
                                           {"\"2026-09-01\"", "2026-09-01"},
                                           {"\"0001-01-01\"", "0001-01-01"},
                                           {"\"9999-12-31\"", "9999-12-31"},
                                           {"\"2023-02-29\"", "!bad_timestamp"},
                                           {"\"2026-9-1\"", "!bad_timestamp"},
                                           {"\"2026-09-01T00:00:00Z\"", "!bad_timestamp"},
                                           {"20260901", "!wrong_type"},
                                           {"null", "null"},
                                       });
  ExpectAll(Type::Of(TypeKind::kUuid),
            {
                {"\"f79c3e09-677c-4bbd-a479-3f349cb785e7\"", "f79c3e09677c4bbda4793f349cb785e7"},
                {"\"F79C3E09-677C-4BBD-A479-3F349CB785E7\"", "f79c3e09677c4bbda4793f349cb785e7"},
                {"\"f79c3e09677c4bbda4793f349cb785e7\"", "!bad_uuid"},
                {"\"f79c3e09-677c-4bbd-a479-3f349cb785e\"", "!bad_uuid"},
                {"\"f79c3e09-677c-4bbd-a479-3f349cb785eg\"", "!bad_uuid"},
                {"\"f79c3e09-677c-4bbd-a479_3f349cb785e7\"", "!bad_uuid"},
                {"\"{f79c3e09-677c-4bbd-a479-3f349cb785e7}\"", "!bad_uuid"},
                {"7", "!wrong_type"},
            });
  ExpectAll(Type::Of(TypeKind::kBoolean), {
                                              {"true", "true"},
                                              {"false", "false"},
                                              {"\"true\"", "!wrong_type"},
                                              {"1", "!wrong_type"},
                                              {"0", "!wrong_type"},
                                              {"null", "null"},
                                          });
}

TEST(JsonValues, String) {
  const std::string long_text(3000, 'x');
  ExpectAll(Type::Of(TypeKind::kString),
            {
                {"\"\"", "''"},
                {"\"/\"", "'/'"},
                {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "'\"\\/\b\f\n\r\t'"},
                {"\"\\u00e9\\u20AC\"", "'é€'"},
                {"\"\\ud83d\\ude00\"", "'😀'"},
                {"\"é€😀\"", "'é€😀'"},
                {"\"\\uD7FF\\uE000\\uFFFF\"", "'\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF'"},
                {"\"\x7f\"", "'\x7f'"},
                {"\"null\"", "'null'"},
                {"7", "!wrong_type"},
                {"true", "!wrong_type"},
                {"{}", "!wrong_type"},
                {"[]", "!wrong_type"},
                {"null", "null"},
            });
  const Contract contract = ContractOf({FieldOf("v", Type::Of(TypeKind::kString))});
  EXPECT_EQ(OutcomeOf(contract, "{\"v\":\"" + long_text + "\"}"), "v='" + long_text + "'");
  EXPECT_EQ(OutcomeOf(contract, "{\"v\":\"/a\\u0000b\"}"), std::string("v='/a\0b'", 8));
}

}  // namespace
}  // namespace weir::codec
// NOLINTEND(modernize-raw-string-literal)
