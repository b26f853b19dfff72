#include "config/partition_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/bytes.h"
#include "config/descriptor.h"
#include "config/quantity.h"

namespace weir::config {
namespace {

constexpr std::array<std::string_view, 7> kTransforms = {"identity", "year",   "month",   "day",
                                                         "hour",     "bucket", "truncate"};
constexpr std::int64_t kMaxWidth = 1'000'000;

Error Bad(std::string message) { return InvalidInput(std::move(message), ErrorCode::kBadValue); }

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool TakesWidth(std::string_view transform) {
  return transform == "bucket" || transform == "truncate";
}

bool IsOneOf(TypeKind kind, std::initializer_list<TypeKind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

}  // namespace

Result<PartitionBy> ParsePartition(std::string_view text) {
  const std::string shown = Printable(text, 60);
  const std::string_view whole = Trim(text);
  const std::size_t open = whole.find('(');
  if (open == std::string_view::npos) {
    if (whole.empty() || whole.find(')') != std::string_view::npos) {
      return Bad(fmt::format("`{}` is no partitioning; write a column or day(column)", shown));
    }
    return PartitionBy{.transform = "identity", .column = std::string(whole)};
  }
  const std::string_view name = Trim(whole.substr(0, open));
  if (!whole.ends_with(')')) return Bad(fmt::format("`{}` lacks the closing `)`", shown));
  std::string_view inner = Trim(whole.substr(open + 1, whole.size() - open - 2));
  if (std::find(kTransforms.begin(), kTransforms.end(), name) == kTransforms.end()) {
    const std::string_view meant = ClosestTo(name, kTransforms);
    return Bad(fmt::format("`{}` is no transform{}; there are {}", Printable(name, 60),
                           meant.empty() ? "" : fmt::format(" (did you mean `{}`?)", meant),
                           fmt::join(kTransforms, ", ")));
  }
  PartitionBy partition{.transform = std::string(name), .column = {}};
  if (TakesWidth(name)) {
    const std::size_t comma = inner.find(',');
    const auto width = ParseCount(Trim(inner.substr(0, std::min(comma, inner.size()))));
    if (comma == std::string_view::npos || !width || *width < 1 || *width > kMaxWidth) {
      return Bad(fmt::format("`{}` needs a width; write {}(16, column)", shown, name));
    }
    partition.width = static_cast<int>(*width);
    inner = Trim(inner.substr(comma + 1));
  }
  if (inner.empty() || inner.find_first_of("(),") != std::string_view::npos) {
    return Bad(fmt::format("`{}` names no column; write {}({}column)", shown, name,
                           TakesWidth(name) ? "16, " : ""));
  }
  partition.column = std::string(inner);
  return partition;
}

std::string ToString(const PartitionBy& partition) {
  if (partition.transform == "identity") return partition.column;
  if (TakesWidth(partition.transform)) {
    return fmt::format("{}({}, {})", partition.transform, partition.width, partition.column);
  }
  return fmt::format("{}({})", partition.transform, partition.column);
}

Status CheckTransform(const PartitionBy& partition, const Type& type) {
  const std::string& transform = partition.transform;
  bool fits = false;
  std::string_view takes;
  if (transform == "identity") {
    fits = !type.is_nested() && !IsOneOf(type.kind, {TypeKind::kFloat, TypeKind::kDouble});
    takes = "every type but double and nested ones";
  } else if (transform == "hour") {
    fits = type.kind == TypeKind::kTimestamp;
    takes = "timestamp";
  } else if (transform == "bucket") {
    fits = IsOneOf(type.kind,
                   {TypeKind::kInt, TypeKind::kLong, TypeKind::kDecimal, TypeKind::kDate,
                    TypeKind::kTimestamp, TypeKind::kString, TypeKind::kUuid, TypeKind::kBinary});
    takes = "int, long, decimal, date, timestamp, string, uuid and binary";
  } else if (transform == "truncate") {
    fits = IsOneOf(type.kind, {TypeKind::kInt, TypeKind::kLong, TypeKind::kDecimal,
                               TypeKind::kString, TypeKind::kBinary});
    takes = "int, long, decimal, string and binary";
  } else {
    fits = IsOneOf(type.kind, {TypeKind::kDate, TypeKind::kTimestamp});
    takes = "date and timestamp";
  }
  if (fits) return Ok();
  return InvalidInput(fmt::format("{} takes {}; {} is {}", transform, takes, partition.column,
                                  weir::ToString(type)),
                      ErrorCode::kPipelineInvalid);
}

}  // namespace weir::config
