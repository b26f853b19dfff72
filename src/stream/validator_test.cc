#include "stream/validator.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stream/text_rules.h"

namespace weir::stream {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Columns of Shop(), by name.
enum Field : std::size_t { kId, kTime, kType, kQuery, kQuantity, kPrice, kScore, kDay, kCode };

ContractField FieldOf(std::string name, Type type, bool required = false) {
  ContractField field;
  field.field = weir::Field{
      .name = std::move(name), .type = std::move(type), .required = required, .doc = {}};
  return field;
}

Contract Shop() {
  const Type text = Type::Of(TypeKind::kString);
  Contract contract;
  contract.name = "shop";
  contract.fields = {FieldOf("event_id", text, true),
                     FieldOf("event_time", Type::Of(TypeKind::kTimestamp), true),
                     FieldOf("event_type", text, true),
                     FieldOf("search_query", text),
                     FieldOf("quantity", Type::Of(TypeKind::kInt)),
                     FieldOf("price", Type::Decimal(10, 2)),
                     FieldOf("score", Type::Of(TypeKind::kDouble)),
                     FieldOf("day", Type::Of(TypeKind::kDate)),
                     FieldOf("code", text)};
  contract.fields[kId].not_blank = true;
  contract.fields[kTime].min = Bound{.number = 0, .text = "1970-01-01T00:00:00Z"};
  contract.fields[kType].allowed = {"page_view", "search", "add_to_cart"};
  contract.fields[kType].not_blank = true;
  contract.fields[kQuery].not_blank = true;
  contract.fields[kQuantity].min = Bound{.number = 1, .text = "1"};
  contract.fields[kQuantity].max = Bound{.number = 99, .text = "99"};
  contract.fields[kPrice].min = Bound{.number = 0, .text = "0"};
  contract.fields[kScore].max = Bound{.real = 1.0, .text = "1.0"};
  contract.fields[kDay].max = Bound{.number = 20000, .text = "2024-10-04"};
  contract.fields[kCode].pattern = "[A-Z]{2}[0-9]+";
  contract.event_type_field = "event_type";
  contract.event_types = {{.event_type = "search", .needs = {"search_query"}},
                          {.event_type = "add_to_cart", .needs = {"price", "quantity"}}};
  return contract;
}

// A row in the making: a good page_view that each case changes.
struct Row {
  std::optional<std::string> texts[9];
  std::optional<std::int64_t> numbers[9];
  Row() {
    texts[kId] = "e1";
    texts[kType] = "page_view";
    numbers[kTime] = 1;
  }
};

void Append(Batch* batch, const Row& row) {
  const auto number = [&](Field field, auto append) {
    Column& column = batch->columns[field];
    if (!row.numbers[field]) return column.AppendNull();
    append(column, *row.numbers[field]);
  };
  for (Field field : {kId, kType, kQuery, kCode}) {
    Column& column = batch->columns[field];
    row.texts[field] ? column.AppendString(*row.texts[field]) : column.AppendNull();
  }
  number(kTime, [](Column& c, std::int64_t v) { c.AppendLong(v); });
  number(kQuantity, [](Column& c, std::int64_t v) { c.AppendInt(static_cast<std::int32_t>(v)); });
  number(kPrice, [](Column& c, std::int64_t v) { c.AppendDecimal(v); });
  number(kScore, [](Column& c, std::int64_t v) { c.AppendDouble(static_cast<double>(v) / 10); });
  number(kDay, [](Column& c, std::int64_t v) { c.AppendInt(static_cast<std::int32_t>(v)); });
  batch->columns.back().AppendLong(0);  // ingestion time
  batch->records.push_back(static_cast<std::uint32_t>(batch->records.size() * 2));
}

enum class Texts { kPlain, kDictionary };

Batch MakeBatch(const Contract& contract, Texts texts) {
  Batch batch(std::make_shared<const Schema>(TableSchema(contract)));
  if (texts == Texts::kPlain) return batch;
  for (Column& column : batch.columns) {
    if (column.type().kind == TypeKind::kString) {
      column.UseDictionary(std::make_shared<Dictionary>());
    }
  }
  return batch;
}

struct Case {
  const char* reason;  // nullptr: the row is good
  const char* message;
  std::function<void(Row&)> change;
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> kCases = {
      {nullptr, "", [](Row&) {}},
      {"missing", "event_id is required", [](Row& r) { r.texts[kId].reset(); }},
      {"missing", "event_time is required", [](Row& r) { r.numbers[kTime].reset(); }},
      {"blank", "event_id must not be blank", [](Row& r) { r.texts[kId] = ""; }},
      {"blank", "event_id must not be blank", [](Row& r) { r.texts[kId] = " \t\n\u00a0\u3000"; }},
      {"blank", "search_query must not be blank", [](Row& r) { r.texts[kQuery] = " "; }},
      {nullptr, "", [](Row& r) { r.texts[kId] = " x "; }},
      {"not_allowed", "event_type must be one of page_view, search, add_to_cart, not \"bogus\"",
       [](Row& r) { r.texts[kType] = "bogus"; }},
      {"not_allowed", "event_type must be one of page_view, search, add_to_cart, not \"Search\"",
       [](Row& r) { r.texts[kType] = "Search"; }},
      {"blank", "event_type must not be blank", [](Row& r) { r.texts[kType] = ""; }},
      {"below_min", "quantity must be at least 1, not 0", [](Row& r) { r.numbers[kQuantity] = 0; }},
      {"above_max", "quantity must be at most 99, not 100",
       [](Row& r) { r.numbers[kQuantity] = 100; }},
      {nullptr, "", [](Row& r) { r.numbers[kQuantity] = 99; }},
      {"below_min", "price must be at least 0, not -0.01", [](Row& r) { r.numbers[kPrice] = -1; }},
      {nullptr, "", [](Row& r) { r.numbers[kPrice] = 0; }},
      {"above_max", "score must be at most 1.0, not 1.1", [](Row& r) { r.numbers[kScore] = 11; }},
      {"above_max", "day must be at most 2024-10-04, not 2024-10-05",
       [](Row& r) { r.numbers[kDay] = 20001; }},
      {"below_min",
       "event_time must be at least 1970-01-01T00:00:00Z, not 1969-12-31T23:59:59.999999Z",
       [](Row& r) { r.numbers[kTime] = -1; }},
      {nullptr, "", [](Row& r) { r.texts[kCode] = "AB12"; }},
      {"pattern_mismatch", "code must be text that matches [A-Z]{2}[0-9]+, not \"AB12x\"",
       [](Row& r) { r.texts[kCode] = "AB12x"; }},
      {"missing_for_type", "search needs search_query", [](Row& r) { r.texts[kType] = "search"; }},
      {nullptr, "",
       [](Row& r) {
         r.texts[kType] = "search";
         r.texts[kQuery] = "mug";
       }},
      {nullptr, "", [](Row& r) { r.texts[kQuery] = "not needed, not wrong"; }},
      {"missing_for_type", "add_to_cart needs price",
       [](Row& r) { r.texts[kType] = "add_to_cart"; }},
      {"missing_for_type", "add_to_cart needs quantity",
       [](Row& r) {
         r.texts[kType] = "add_to_cart";
         r.numbers[kPrice] = 1;
       }},
      // Two errors: the first in the order of the contract, whatever its kind.
      {"blank", "event_id must not be blank",
       [](Row& r) {
         r.texts[kId] = "";
         r.numbers[kTime].reset();
       }},
      {"missing", "event_time is required",
       [](Row& r) {
         r.numbers[kTime].reset();
         r.texts[kType] = "bogus";
       }},
      {"below_min", "quantity must be at least 1, not -5",
       [](Row& r) {
         r.texts[kType] = "search";
         r.numbers[kQuantity] = -5;
         r.texts[kCode] = "x";
       }},
  };
  return kCases;
}

// All cases in one batch: each row is judged alone, in either way of holding strings, and a second
// time with what was learned the first time.
TEST(Validator, FirstErrorOfEachRowInTheOrderOfTheContract) {
  const Contract contract = Shop();
  ASSERT_TRUE(Check(contract).ok());
  Validator validator(contract);
  for (Texts texts : {Texts::kPlain, Texts::kDictionary, Texts::kDictionary}) {
    Batch batch = MakeBatch(contract, texts);
    std::vector<std::uint32_t> expected_good;
    std::vector<std::string> expected_bad;
    for (const Case& c : Cases()) {
      Row row;
      c.change(row);
      Append(&batch, row);
      if (c.reason == nullptr) {
        expected_good.push_back(static_cast<std::uint32_t>(batch.rows() - 1));
      } else {
        expected_bad.push_back(std::to_string(batch.records.back()) + " " + c.reason + ": " +
                               c.message);
      }
    }
    for (int round = 0; round < 2; ++round) {
      std::vector<std::uint32_t> good;
      std::vector<Rejection> rejected;
      validator.Validate(batch, &good, &rejected);
      EXPECT_EQ(good, expected_good);
      std::vector<std::string> bad;
      bad.reserve(rejected.size());
      for (const Rejection& rejection : rejected) {
        bad.push_back(std::to_string(rejection.record) + " " +
                      std::string(ToString(rejection.reason)) + ": " + rejection.message);
      }
      EXPECT_EQ(bad, expected_bad);
    }
  }
}

TEST(Validator, RefusalsCarryPointerExpectedAndActual) {
  const Contract contract = Shop();
  Validator validator(contract);
  Batch batch = MakeBatch(contract, Texts::kDictionary);
  Row row;
  row.texts[kType] = "a\nb";
  Append(&batch, row);
  std::vector<std::uint32_t> good;
  std::vector<Rejection> rejected;
  validator.Validate(batch, &good, &rejected);
  EXPECT_THAT(good, IsEmpty());
  ASSERT_EQ(rejected.size(), 1U);
  EXPECT_EQ(rejected[0].pointer, "/event_type");
  EXPECT_EQ(rejected[0].expected, "one of page_view, search, add_to_cart");
  EXPECT_EQ(rejected[0].actual.find('\n'), std::string::npos) << "must be one printable line";
}

TEST(Validator, NullsUnderABadFirstCodeAreGood) {
  // In null rows the code is 0, and code 0 here is a bad text.
  const Contract contract = Shop();
  Validator validator(contract);
  Batch batch = MakeBatch(contract, Texts::kDictionary);
  Row bad;
  bad.texts[kCode] = "bad";
  Append(&batch, bad);
  Append(&batch, Row());
  std::vector<std::uint32_t> good;
  std::vector<Rejection> rejected;
  validator.Validate(batch, &good, &rejected);
  EXPECT_THAT(good, ElementsAre(1));
  EXPECT_EQ(rejected.size(), 1U);
}

TEST(Validator, AnEmptyBatchAndAContractWithoutRules) {
  Contract contract;
  contract.fields = {FieldOf("a", Type::Of(TypeKind::kString))};
  Validator validator(contract);
  Batch batch(std::make_shared<const Schema>(TableSchema(contract)));
  std::vector<std::uint32_t> good;
  std::vector<Rejection> rejected;
  validator.Validate(batch, &good, &rejected);
  EXPECT_THAT(good, IsEmpty());
  batch.columns[0].AppendNull();
  batch.columns[1].AppendLong(0);
  batch.records.push_back(0);
  validator.Validate(batch, &good, &rejected);
  EXPECT_THAT(good, ElementsAre(0));
  EXPECT_THAT(rejected, IsEmpty());
}

TEST(TextRules, Blank) {
  for (const char* blank : {"", " ", "\t\n\v\f\r ", "\u0085", "\u00a0", "\u1680", "\u2000\u200a",
                            "\u2028\u2029\u202f\u205f\u3000"}) {
    EXPECT_TRUE(IsBlank(blank)) << blank;
  }
  for (const char* text : {"x", " x", "\u200b", "\u00e9", "\u2060", "\u3001", "\xc2", "\xe2\x80"}) {
    EXPECT_FALSE(IsBlank(text)) << text;
  }
  EXPECT_FALSE(IsBlank(std::string_view("\0", 1)));
}

}  // namespace
}  // namespace weir::stream
