#include "iceberg/replacement.h"

#include <algorithm>

#include <fmt/format.h>

namespace weir::iceberg {

Result<Replacement::UnderSpec> Replacement::Under(int spec_id) const {
  UnderSpec under;
  under.spec_ = metadata_.FindSpec(spec_id);
  if (under.spec_ == nullptr)
    return Unsupported(
        fmt::format("files under partition spec {}, which the table does not name", spec_id),
        ErrorCode::kTableUnsupported);
  WEIR_ASSIGN_OR_RETURN(under.type_, PartitionTypeOf(metadata_, *under.spec_));
  const auto& fields = under.spec_->fields;
  for (const connect::RowsWhere& rows : rows_) {
    auto& wanted = under.any_of_.emplace_back();
    for (const auto& [column, value] : rows.columns) {
      const auto index = metadata_.schema.IndexOf(column);
      const auto field = std::ranges::find_if(fields, [&](const connect::PartitionField& f) {
        return f.transform == connect::Transform::kIdentity && index &&
               f.source_id == metadata_.schema.fields[*index].id;
      });
      if (field == fields.end())
        return Unsupported(
            fmt::format("partition spec {} does not keep {} apart, so rows that the pipeline "
                        "replaces can't be told from others; partition by it as it was made",
                        spec_id, column),
            ErrorCode::kTableUnsupported);
      wanted.push_back({static_cast<std::size_t>(field - fields.begin()), value});
    }
  }
  return under;
}

bool Replacement::UnderSpec::Replaces(const connect::PartitionTuple& partition) const {
  return std::ranges::any_of(any_of_, [&](const auto& wanted) {
    return std::ranges::all_of(wanted, [&](const Wanted& one) {
      return one.place < partition.size() && partition[one.place] == one.value;
    });
  });
}

bool Replacement::UnderSpec::MayReplaceIn(const ManifestFile& manifest) const {
  if (!manifest.partitions) return true;
  const auto& ranges = *manifest.partitions;
  return std::ranges::any_of(any_of_, [&](const auto& wanted) {
    return std::ranges::all_of(wanted, [&](const Wanted& one) {
      if (one.place >= ranges.size() || one.value.is_null()) return true;
      const FieldSummary& range = ranges[one.place];
      if (!range.lower || !range.upper || *range.lower != *range.upper) return true;
      return SingleValue(type_[one.place].type, one.value) == range.lower;
    });
  });
}

}  // namespace weir::iceberg
