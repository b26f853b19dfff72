#include "record/column.h"

#include <deque>
#include <optional>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "record/batch.h"

namespace weir {
namespace {

Field Named(std::string name, Type type, bool required = false) {
  return Field{.name = std::move(name), .type = std::move(type), .required = required, .doc = {}};
}

// A value written down as text, so that any column can be compared with a plain vector.
std::string Show(const Column& column, std::size_t row) {
  if (column.IsNull(row)) return "null";
  switch (column.type().kind) {
    case TypeKind::kBoolean:
      return column.Boolean(row) ? "true" : "false";
    case TypeKind::kInt:
    case TypeKind::kDate:
      return std::to_string(column.Int(row));
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return std::to_string(column.Long(row));
    case TypeKind::kFloat:
      return std::to_string(column.Float(row));
    case TypeKind::kDouble:
      return std::to_string(column.Double(row));
    case TypeKind::kDecimal:
      return DecimalToString(column.Decimal(row), column.type().scale);
    case TypeKind::kString:
    case TypeKind::kBinary:
      return "'" + std::string(column.String(row)) + "'";
    case TypeKind::kUuid:
      return std::to_string(column.Uuid(row)[15]);
    case TypeKind::kStruct: {
      std::string text = "{";
      for (const Column& child : column.children()) text += Show(child, row) + ",";
      return text + "}";
    }
    case TypeKind::kList:
    case TypeKind::kMap: {
      std::string text = "[";
      for (auto i = column.item_begin(row); i < column.item_begin(row + 1); ++i) {
        for (const Column& child : column.children()) {
          text += Show(child, static_cast<std::size_t>(i)) + ",";
        }
      }
      return text + "]";
    }
  }
  return {};
}

std::vector<std::string> ShowAll(const Column& column) {
  std::vector<std::string> rows;
  for (std::size_t row = 0; row < column.size(); ++row) rows.push_back(Show(column, row));
  return rows;
}

using Random = std::mt19937;

void AppendRandom(Column& column, Random& random) {
  const auto number = static_cast<std::int32_t>(random() % 50);
  if (number < 8) return column.AppendNull();
  switch (column.type().kind) {
    case TypeKind::kBoolean:
      return column.AppendBoolean(number % 2 == 0);
    case TypeKind::kInt:
    case TypeKind::kDate:
      return column.AppendInt(number);
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return column.AppendLong(number);
    case TypeKind::kFloat:
      return column.AppendFloat(static_cast<float>(number));
    case TypeKind::kDouble:
      return column.AppendDouble(number);
    case TypeKind::kDecimal:
      return column.AppendDecimal(-number);
    case TypeKind::kString:
    case TypeKind::kBinary:
      return column.AppendString("value " + std::to_string(number));
    case TypeKind::kUuid: {
      std::array<std::uint8_t, 16> uuid{};
      uuid[15] = static_cast<std::uint8_t>(number);
      return column.AppendUuid(uuid);
    }
    case TypeKind::kStruct:
      for (Column& child : column.children()) AppendRandom(child, random);
      return column.AppendStruct();
    case TypeKind::kList:
    case TypeKind::kMap: {
      const auto items = static_cast<std::size_t>(number % 4);
      for (std::size_t i = 0; i < items; ++i) {
        for (Column& child : column.children()) AppendRandom(child, random);
      }
      return column.AppendList(items);
    }
  }
}

std::vector<Type> AllTypes() {
  const Type text = Type::Of(TypeKind::kString);
  return {Type::Of(TypeKind::kBoolean),
          Type::Of(TypeKind::kInt),
          Type::Of(TypeKind::kLong),
          Type::Of(TypeKind::kFloat),
          Type::Of(TypeKind::kDouble),
          Type::Decimal(10, 2),
          Type::Of(TypeKind::kDate),
          Type::Of(TypeKind::kTimestamp),
          text,
          Type::Of(TypeKind::kUuid),
          Type::Of(TypeKind::kBinary),
          Type::Struct({Named("a", Type::Of(TypeKind::kInt)), Named("b", Type::List(text))}),
          Type::List(Type::Struct({Named("a", text)})),
          Type::Map(text, Type::Of(TypeKind::kLong))};
}

enum class Texts { kPlain, kDictionary };

Column Make(const Type& type, Texts texts) {
  Column column(type);
  if (texts == Texts::kDictionary && type.kind == TypeKind::kString) {
    column.UseDictionary(std::make_shared<Dictionary>());
  }
  return column;
}

// Appends, takes back, copies and clears at random; a vector of texts must tell the same story.
TEST(Column, AgreesWithAPlainVectorThroughRandomUse) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Random random(seed);
    for (const Type& type : AllTypes()) {
      const auto mode = random() % 2 == 0 ? Texts::kPlain : Texts::kDictionary;
      Column column = Make(type, mode);
      Column other = Make(type, random() % 2 == 0 ? Texts::kPlain : Texts::kDictionary);
      for (int i = 0; i < 90; ++i) AppendRandom(other, random);
      const std::vector<std::string> other_rows = ShowAll(other);
      std::vector<std::string> expected;
      for (int step = 0; step < 60; ++step) {
        switch (random() % 5) {
          case 0:
          case 1:
          case 2:
            AppendRandom(column, random);
            expected.push_back(Show(column, column.size() - 1));
            break;
          case 3: {
            const std::size_t keep = expected.size() - random() % (expected.size() / 3 + 1);
            column.Truncate(keep);
            expected.resize(keep);
            break;
          }
          default: {
            std::vector<std::uint32_t> rows;
            const auto first = static_cast<std::uint32_t>(random() % 90);
            const bool run = random() % 2 == 0;
            for (std::uint32_t i = 0; i < 20; ++i) {
              if (run && first + i < 90) rows.push_back(first + i);
              if (!run) rows.push_back(static_cast<std::uint32_t>(random() % 90));
            }
            column.AppendRows(other, rows);
            for (std::uint32_t row : rows) expected.push_back(other_rows[row]);
          }
        }
        ASSERT_EQ(column.size(), expected.size());
      }
      ASSERT_EQ(ShowAll(column), expected) << ToString(type) << " seed " << seed;
      std::size_t nulls = 0;
      for (const std::string& row : expected) nulls += row == "null" ? 1 : 0;
      EXPECT_EQ(column.null_count(), nulls);
      EXPECT_EQ(column.validity() == nullptr, nulls == 0);
      column.Clear();
      EXPECT_EQ(column.size(), 0U);
      column.AppendAll(other);
      EXPECT_EQ(ShowAll(column), other_rows) << ToString(type) << " seed " << seed;
    }
  }
}

// Blocks of all lengths behind columns of all lengths, against the same rows one by one.
TEST(Column, BlocksEqualSingleRows) {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    const auto mode = round % 2 == 0 ? Texts::kPlain : Texts::kDictionary;
    const Type text = Type::Of(TypeKind::kString);
    Column blocks = Make(text, mode);
    Column singles = Make(text, mode);
    Column long_blocks(Type::Of(TypeKind::kLong));
    Column long_singles(Type::Of(TypeKind::kLong));
    for (int block = 0; block < 5; ++block) {
      const std::size_t n = 1 + random() % 64;
      std::uint64_t valid =
          (std::uint64_t{random()} << 32 | random()) & (~std::uint64_t{0} >> (64 - n));
      if (round % 3 == 0) valid = ~std::uint64_t{0} >> (64 - n);
      std::vector<std::string> texts(n);
      std::vector<std::string_view> views(n);
      std::vector<std::int64_t> numbers(n);
      for (std::size_t i = 0; i < n; ++i) {
        texts[i] = std::string(random() % 40, static_cast<char>('a' + random() % 3));
        views[i] = texts[i];
        numbers[i] = static_cast<std::int64_t>(random());
        if (((valid >> i) & 1U) != 0) {
          singles.AppendString(texts[i]);
          long_singles.AppendLong(numbers[i]);
        } else {
          singles.AppendNull();
          long_singles.AppendNull();
        }
      }
      blocks.AppendTextBlock(views.data(), valid, n);
      long_blocks.AppendBlock(numbers.data(), valid, n);
      ASSERT_EQ(ShowAll(blocks), ShowAll(singles));
      ASSERT_EQ(ShowAll(long_blocks), ShowAll(long_singles));
      ASSERT_EQ(blocks.null_count(), singles.null_count());
      blocks.Truncate(blocks.size() - blocks.size() / 4);
      singles.Truncate(blocks.size());
      long_blocks.Truncate(blocks.size());
      long_singles.Truncate(blocks.size());
    }
  }
}

TEST(Column, TruncateTakesBackAHalfFilledRow) {
  Column column(Type::Struct(
      {Named("a", Type::Of(TypeKind::kInt)), Named("b", Type::List(Type::Of(TypeKind::kInt)))}));
  column.children()[0].AppendInt(1);
  column.children()[1].children()[0].AppendInt(10);
  column.children()[1].AppendList(1);
  column.AppendStruct();
  // A second row breaks off inside the list.
  column.children()[0].AppendInt(2);
  column.children()[1].children()[0].AppendInt(20);
  column.Truncate(1);
  EXPECT_EQ(column.children()[0].size(), 1U);
  EXPECT_EQ(column.children()[1].children()[0].size(), 1U);
  EXPECT_EQ(Show(column, 0), "{1,[10,],}");
}

TEST(Column, TruncateTakesBackTheFirstRowOfAList) {
  Column column(Type::List(Type::Of(TypeKind::kString)));
  column.children()[0].AppendString("a");
  column.Truncate(0);
  EXPECT_EQ(column.children()[0].size(), 0U);
}

TEST(Column, ANullStructFillsRequiredChildrenWithZeros) {
  Column column(Type::Struct({Named("a", Type::Of(TypeKind::kInt), true),
                              Named("b", Type::Of(TypeKind::kString), true),
                              Named("c", Type::Of(TypeKind::kInt))}));
  column.AppendNull();
  EXPECT_TRUE(column.IsNull(0));
  EXPECT_FALSE(column.children()[0].IsNull(0));
  EXPECT_EQ(column.children()[1].String(0), "");
  EXPECT_TRUE(column.children()[2].IsNull(0));
}

TEST(Column, SharedDictionaryCopiesCodes) {
  auto dictionary = std::make_shared<Dictionary>();
  Column decoded(Type::Of(TypeKind::kString));
  Column table(Type::Of(TypeKind::kString));
  decoded.UseDictionary(dictionary);
  table.UseDictionary(dictionary);
  for (const char* text : {"a", "b", "a"}) decoded.AppendString(text);
  table.AppendAll(decoded);
  EXPECT_EQ(table.dictionary(), dictionary);
  EXPECT_EQ(table.fixed<std::int32_t>()[2], 0);
  EXPECT_EQ(table.String(1), "b");
}

TEST(Column, AnotherDictionaryIsInternedIntoACopy) {
  auto first = std::make_shared<Dictionary>();
  auto second = std::make_shared<Dictionary>();
  Column table(Type::Of(TypeKind::kString));
  table.UseDictionary(first);
  table.AppendString("a");
  Column decoded(Type::Of(TypeKind::kString));
  decoded.UseDictionary(second);
  for (const char* text : {"b", "a"}) decoded.AppendString(text);
  table.AppendAll(decoded);
  EXPECT_EQ(first->size(), 1) << "a dictionary that others may read grew";
  EXPECT_EQ(table.dictionary()->size(), 2);
  EXPECT_EQ(ShowAll(table), (std::vector<std::string>{"'a'", "'b'", "'a'"}));
}

TEST(Column, APlainSourceMakesADictionaryColumnPlain) {
  Column table(Type::Of(TypeKind::kString));
  table.UseDictionary(std::make_shared<Dictionary>());
  table.AppendString("a");
  table.AppendNull();
  Column decoded(Type::Of(TypeKind::kString));
  decoded.AppendString("b");
  table.AppendAll(decoded);
  EXPECT_EQ(table.dictionary(), nullptr);
  EXPECT_EQ(ShowAll(table), (std::vector<std::string>{"'a'", "null", "'b'"}));
}

TEST(Column, ClearKeepsTheStringMode) {
  auto dictionary = std::make_shared<Dictionary>();
  Column column(Type::Of(TypeKind::kString));
  column.UseDictionary(dictionary);
  column.AppendString("a");
  column.Clear();
  EXPECT_EQ(column.dictionary(), dictionary);
  column.AppendString("a");
  EXPECT_EQ(dictionary->size(), 1);
}

TEST(Batch, HasAColumnForEachField) {
  auto schema = std::make_shared<Schema>();
  schema->fields = {Named("a", Type::Of(TypeKind::kInt)), Named("b", Type::Of(TypeKind::kString))};
  Batch batch(schema);
  ASSERT_EQ(batch.columns.size(), 2U);
  batch.columns[0].AppendInt(1);
  batch.columns[1].AppendNull();
  batch.records.push_back(4);
  EXPECT_EQ(batch.rows(), 1U);
  EXPECT_GT(batch.memory_bytes(), 0U);
  batch.Clear();
  EXPECT_EQ(batch.rows(), 0U);
  EXPECT_EQ(batch.columns[0].size(), 0U);
}

}  // namespace
}  // namespace weir
