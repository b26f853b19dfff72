#include "delta/layout.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"
#include "connect/transform.h"
#include "delta/schema_json.h"

namespace weir::delta {
namespace {

constexpr int kDefaultStatsColumns = 32;
constexpr int kFirstPartitionId = 1000;

struct Derivation {
  connect::TransformAndWidth transform;
  std::string source;
};

// "day(event_time)", "bucket[16](user_id)".
std::optional<Derivation> ParseDerivation(const std::string& text) {
  const std::size_t open = text.find('(');
  if (open == std::string::npos || !text.ends_with(')')) return std::nullopt;
  const auto transform = connect::ParseTransform(text.substr(0, open));
  if (!transform) return std::nullopt;
  return Derivation{*transform, text.substr(open + 1, text.size() - open - 2)};
}

class Builder {
 public:
  Builder(const Metadata& metadata, ReadSchema read)
      : metadata_(metadata), read_(std::move(read)) {}

  Result<std::shared_ptr<const Layout>> Build() {
    for (const std::string& name : metadata_.partition_columns) WEIR_TRY(AddPartition(name));
    // A tuple means something under the columns that it was made for only.
    out_->spec.spec_id = static_cast<int>(Crc32(described_) & 0x7fffffffU);
    for (Field& field : read_.schema.fields) {
      if (!derived_.contains(field.name)) out_->schema.fields.push_back(std::move(field));
    }
    ChooseStats();
    out_->left_out = std::move(read_.left_out);
    out_->demands = std::move(read_.demands);
    return std::shared_ptr<const Layout>(std::move(out_));
  }

 private:
  Status AddPartition(const std::string& name) {
    const auto index = read_.schema.IndexOf(name);
    if (!index) {
      return Unsupported(fmt::format("the partition column {} is not in the schema, or of a type "
                                     "that Weir does not have",
                                     name),
                         ErrorCode::kTableUnsupported);
    }
    PartitionColumn column{.name = name,
                           .type = read_.schema.fields[*index].type,
                           .source = read_.schema.fields[*index].type};
    int source_id = read_.schema.fields[*index].id;
    if (const auto property = metadata_.Property(kPartitionProperty + name)) {
      const auto derivation = ParseDerivation(*property);
      const auto source = derivation ? read_.schema.IndexOf(derivation->source) : std::nullopt;
      if (!source) {
        return Unsupported(
            fmt::format("the table property {}{} = {} names no transform of a column",
                        kPartitionProperty, name, *property),
            ErrorCode::kTableUnsupported);
      }
      column.transform = derivation->transform.transform;
      column.width = derivation->transform.width;
      column.source = read_.schema.fields[*source].type;
      source_id = read_.schema.fields[*source].id;
      WEIR_TRY(connect::TransformedType(column.transform, column.width, column.source));
      if (column.transform != connect::Transform::kIdentity) derived_.insert(name);
    }
    out_->spec.fields.push_back(
        {.source_id = source_id,
         .field_id = kFirstPartitionId + static_cast<int>(out_->spec.fields.size()),
         .name = name,
         .transform = column.transform,
         .width = column.width});
    described_ += fmt::format("{} {} {} {}\n", name, ToString(column.type),
                              connect::ToString(column.transform, column.width), source_id);
    out_->partitions.push_back(std::move(column));
    return Ok();
  }

  // The columns that the table wants statistics of: named ones, or so many leaves from the left.
  void ChooseStats() {
    if (const auto named = metadata_.Property("delta.dataSkippingStatsColumns")) {
      for (std::size_t at = 0; at <= named->size();) {
        const std::size_t comma = std::min(named->find(',', at), named->size());
        std::string name = named->substr(at, comma - at);
        std::erase_if(name, [](char c) { return c == ' ' || c == '`'; });
        named_.insert(std::move(name));
        at = comma + 1;
      }
    } else if (const auto count = metadata_.Property("delta.dataSkippingNumIndexedCols")) {
      int number = kDefaultStatsColumns;
      std::from_chars(count->data(), count->data() + count->size(), number);
      most_ = number < 0 ? -1 : number;
    }
    for (const Field& field : out_->schema.fields) {
      const bool is_partition = std::ranges::count(metadata_.partition_columns, field.name) > 0;
      if (!is_partition) AddLeaves(field, {}, named_.contains(field.name));
    }
  }

  void AddLeaves(const Field& field, std::vector<std::string> path, bool wanted) {
    path.push_back(field.name);
    if (!wanted && !named_.empty())
      wanted = named_.contains(fmt::format("{}", fmt::join(path, ".")));
    if (field.type.kind == TypeKind::kStruct) {
      for (const Field& child : field.type.children) AddLeaves(child, path, wanted);
      return;
    }
    const bool counts = ++leaves_ <= most_ || most_ < 0;
    if (field.type.is_nested() || !(named_.empty() ? counts : wanted)) return;
    out_->stats.push_back({.id = field.id, .path = std::move(path), .type = field.type});
  }

  const Metadata& metadata_;
  ReadSchema read_;
  std::shared_ptr<Layout> out_ = std::make_shared<Layout>();
  std::set<std::string> derived_;
  std::string described_;
  std::set<std::string> named_;
  int most_ = kDefaultStatsColumns;
  int leaves_ = 0;
};

}  // namespace

connect::PartitionTuple Layout::TupleOf(const TextMap& values) const {
  connect::PartitionTuple tuple;
  for (const PartitionColumn& column : partitions) {
    const auto found = values.find(column.name);
    tuple.push_back(found == values.end() ? connect::PartitionValue{}
                                          : ValueOfText(column, found->second));
  }
  return tuple;
}

TextMap Layout::ValuesOf(const connect::PartitionTuple& tuple) const {
  WEIR_CHECK(tuple.size() == partitions.size());
  TextMap values;
  for (std::size_t i = 0; i < tuple.size(); ++i) {
    values[partitions[i].name] = TextOfValue(partitions[i], tuple[i]);
  }
  return values;
}

Result<std::shared_ptr<const Layout>> LayoutOf(const Metadata& metadata) {
  WEIR_ASSIGN_OR_RETURN(ReadSchema read, SchemaFromText(metadata.schema_text));
  return Builder(metadata, std::move(read)).Build();
}

}  // namespace weir::delta
