// Writes sample Parquet files and, beside each, what it must hold as JSON, for readers of other
// implementations (parquet_test.py): parquet_samples FOLDER.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "io/store.h"
#include "parquet/data_file_writer.h"
#include "parquet/test_files.h"

namespace weir::parquet {
namespace {

using nlohmann::json;
using test::FieldOf;

Schema EveryType() {
  Type local = Type::Of(TypeKind::kTimestamp);
  local.zoned = false;
  Schema schema;
  schema.fields = {FieldOf("flag", Type::Of(TypeKind::kBoolean)),
                   FieldOf("number", Type::Of(TypeKind::kInt)),
                   FieldOf("big", Type::Of(TypeKind::kLong)),
                   FieldOf("small_real", Type::Of(TypeKind::kFloat)),
                   FieldOf("real", Type::Of(TypeKind::kDouble)),
                   FieldOf("price", Type::Decimal(9, 2)),
                   FieldOf("amount", Type::Decimal(18, 2)),
                   FieldOf("total", Type::Decimal(38, 6)),
                   FieldOf("day", Type::Of(TypeKind::kDate)),
                   FieldOf("at", Type::Of(TypeKind::kTimestamp)),
                   FieldOf("local", local),
                   FieldOf("name", Type::Of(TypeKind::kString)),
                   FieldOf("id", Type::Of(TypeKind::kUuid)),
                   FieldOf("raw", Type::Of(TypeKind::kBinary)),
                   FieldOf("key", Type::Of(TypeKind::kString), true),
                   FieldOf("sequence", Type::Of(TypeKind::kLong), true),
                   FieldOf("two words", Type::Of(TypeKind::kString)),
                   FieldOf("a.b", Type::Of(TypeKind::kInt)),
                   FieldOf("价格", Type::Of(TypeKind::kInt))};
  AssignFieldIds(schema);
  return schema;
}

Schema Nested() {
  Schema schema;
  schema.fields = {
      FieldOf("place", Type::Struct({FieldOf("city", Type::Of(TypeKind::kString)),
                                     FieldOf("zip", Type::Of(TypeKind::kInt), true)})),
      FieldOf("tags", Type::List(Type::Of(TypeKind::kString))),
      FieldOf("items",
              Type::List(Type::Struct({FieldOf("sku", Type::Of(TypeKind::kString), true),
                                       FieldOf("sizes", Type::List(Type::Of(TypeKind::kInt)))}),
                         true)),
      FieldOf("attributes", Type::Map(Type::Of(TypeKind::kString), Type::Of(TypeKind::kLong)))};
  AssignFieldIds(schema);
  return schema;
}

json Value(const Column& column, std::size_t row) {
  if (column.IsNull(row)) return nullptr;
  switch (column.type().kind) {
    case TypeKind::kBoolean:
      return column.Boolean(row);
    case TypeKind::kInt:
    case TypeKind::kDate:
      return column.Int(row);
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return column.Long(row);
    case TypeKind::kFloat:
      return column.Float(row);
    case TypeKind::kDouble:
      return column.Double(row);
    case TypeKind::kDecimal:
      return DecimalToString(column.Decimal(row), column.type().scale);
    case TypeKind::kString:
      return column.String(row);
    case TypeKind::kBinary:
      return HexEncode(column.String(row));
    case TypeKind::kUuid:
      return HexEncode({reinterpret_cast<const char*>(column.Uuid(row).data()), 16});
    case TypeKind::kStruct: {
      json object = json::object();
      for (std::size_t i = 0; i < column.children().size(); ++i) {
        object[column.type().children[i].name] = Value(column.children()[i], row);
      }
      return object;
    }
    case TypeKind::kList:
    case TypeKind::kMap: {
      json items = json::array();
      for (std::int32_t i = column.item_begin(row); i < column.item_begin(row + 1); ++i) {
        const auto item = static_cast<std::size_t>(i);
        if (column.type().kind == TypeKind::kList) {
          items.push_back(Value(column.children()[0], item));
        } else {
          items.push_back({Value(column.children()[0], item), Value(column.children()[1], item)});
        }
      }
      return items;
    }
  }
  return nullptr;
}

json IdsOf(const std::vector<Field>& fields) {
  json ids = json::object();
  for (const Field& field : fields) {
    ids[field.name] = {{"id", field.id}, {"children", IdsOf(field.type.children)}};
  }
  return ids;
}

json MetricsOf(const connect::DataFile& file) {
  json metrics = json::object();
  const auto hex = [](const std::optional<std::string>& bound) {
    return bound ? json(HexEncode(*bound)) : json();
  };
  for (const auto& [id, column] : file.columns) {
    metrics[std::to_string(id)] = {{"compressed", column.compressed_bytes},
                                   {"values", column.value_count},
                                   {"nulls", column.null_count},
                                   {"lower", hex(column.lower)},
                                   {"upper", hex(column.upper)}};
  }
  return metrics;
}

class Samples {
 public:
  explicit Samples(std::string folder) : folder_(std::move(folder)) {}

  void Write(const std::string& name, const Schema& schema, const std::vector<const Batch*>& groups,
             const connect::FileSettings& settings) const {
    const test::WrittenFile file = test::WriteFile(schema, groups, settings);
    json rows = json::array();
    for (const Batch* batch : groups) {
      for (std::size_t row = 0; row < batch->rows(); ++row) {
        json values = json::array();
        for (const Column& column : batch->columns) values.push_back(Value(column, row));
        rows.push_back(std::move(values));
      }
    }
    const json truth = {{"rows", rows},
                        {"ids", IdsOf(schema.fields)},
                        {"metrics", MetricsOf(file.summary)},
                        {"record_count", file.summary.record_count},
                        {"file_bytes", file.summary.file_bytes},
                        {"split_offsets", file.summary.split_offsets}};
    std::ofstream(folder_ + "/" + name + ".parquet", std::ios::binary) << file.bytes;
    std::ofstream(folder_ + "/" + name + ".json") << truth.dump();
  }

  void WriteUrl(const std::string& name, const std::string& url) const {
    const Schema schema{.fields = {FieldOf("url", Type::Of(TypeKind::kString), false, 1)}};
    Batch batch(std::make_shared<const Schema>(schema));
    batch.columns[0].AppendString(url);
    batch.records = {0};
    Write("url_" + name, schema, {&batch}, {});
  }

 private:
  std::string folder_;
};

void WriteTypes(const Samples& samples) {
  connect::FileSettings settings;
  for (const char* codec : {"zstd", "snappy", "gzip", "lz4", "none"}) {
    settings.compression = codec;
    const Batch first = test::RandomRows(1, 0.2, 40).Rows(EveryType(), 700, true);
    const Batch second = test::RandomRows(2, 0, 1'000'000).Rows(EveryType(), 300);
    samples.Write(fmt::format("types_{}", codec), EveryType(), {&first, &second}, settings);
  }
  settings = {};
  settings.page_bytes = 1024;
  const Batch many = test::RandomRows(3, 0.3, 500).Rows(EveryType(), 5000, true);
  samples.Write("pages", EveryType(), {&many}, settings);
  const Batch nulls = test::RandomRows(4, 1, 5).Rows(EveryType(), 100);
  samples.Write("nulls", EveryType(), {&nulls}, settings);
  const Batch nested = test::RandomRows(5, 0.2, 60).Rows(Nested(), 2000, true);
  const Batch more = test::RandomRows(6, 0, 1'000'000).Rows(Nested(), 500);
  samples.Write("nested", Nested(), {&nested, &more}, settings);
}

void WriteTimes(const Samples& samples) {
  const Schema schema{.fields = {FieldOf("at", Type::Of(TypeKind::kTimestamp), false, 1),
                                 FieldOf("day", Type::Of(TypeKind::kDate), false, 2)}};
  Batch batch(std::make_shared<const Schema>(schema));
  for (const std::int64_t micros : {253'402'300'799'999'999LL, 9'223'372'036'854'776LL,
                                    -62'135'596'800'000'000LL, -500'000LL}) {
    batch.columns[0].AppendLong(micros);
    batch.columns[1].AppendInt(FloorDay(micros));
    batch.records.push_back(static_cast<std::uint32_t>(batch.records.size()));
  }
  samples.Write("times", schema, {&batch}, {});
}

void WriteUrls(const Samples& samples) {
  const auto repeat = [](std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  samples.WriteUrl("middle", "AAAAAAAAAAAAAAA\u2022long");
  samples.WriteUrl("surrogate", repeat("A", 15) + "\ud7ff" + "zz");
  samples.WriteUrl("highest", repeat("\U0010ffff", 20));
  samples.WriteUrl("emoji", repeat("😀", 20));
  samples.WriteUrl("exact", "exactly16letters");
  samples.WriteUrl("empty", "");
  samples.WriteUrl("zero_byte", std::string("/a\0b", 4));
  samples.WriteUrl("long", repeat("long/", 1000));
}

}  // namespace
}  // namespace weir::parquet

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: parquet_samples FOLDER\n", stderr);
    return 64;
  }
  const weir::parquet::Samples samples(argv[1]);
  weir::parquet::WriteTypes(samples);
  weir::parquet::WriteTimes(samples);
  weir::parquet::WriteUrls(samples);
  return 0;
}
