#include "delta/protocol_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <span>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/time.h"

namespace weir::delta {
namespace {

// Progress that a table forgets sooner than a pipeline may be away is no progress.
constexpr Micros kLeastProgressAge = 7 * kMicrosPerDay;

Error Needs(std::string_view who, std::string_view feature) {
  return WithRemedy(
      Unsupported(
          fmt::format("the table asks its {} for {}, which Weir does not have", who, feature),
          ErrorCode::kTableUnsupported),
      "write to a table without that feature; docs/DELTA.md lists what Weir knows");
}

bool IsOn(const Metadata& metadata, const char* property) {
  return metadata.Property(property).value_or("false") == "true";
}

bool HasPrefix(const Metadata& metadata, std::string_view prefix) {
  return std::ranges::any_of(metadata.configuration,
                             [&](const auto& entry) { return entry.first.starts_with(prefix); });
}

bool HasMapping(const Metadata& metadata) {
  return metadata.Property("delta.columnMapping.mode").value_or("none") != "none";
}

// Features that change nothing for what Weir reads: rows of files that are wholly live.
constexpr std::array<std::string_view, 3> kReadFeatures = {"timestampNtz", "vacuumProtocolCheck",
                                                           "columnMapping"};

// Features that ask nothing of a writer that appends whole files, unless a property or a column
// puts them to use, which is looked at below.
constexpr std::array<std::string_view, 11> kWriteFeatures = {
    "appendOnly",        "invariants",          "checkConstraints",   "changeDataFeed",
    "generatedColumns",  "columnMapping",       "identityColumns",    "timestampNtz",
    "inCommitTimestamp", "allowColumnDefaults", "vacuumProtocolCheck"};

std::string UnknownOf(const std::vector<std::string>& features,
                      std::span<const std::string_view> known) {
  std::string unknown;
  for (const std::string& feature : features) {
    if (std::ranges::count(known, feature) > 0) continue;
    unknown += (unknown.empty() ? "" : ", ") + Printable(feature);
  }
  return unknown;
}

}  // namespace

Status CheckReadable(const Protocol& protocol, const Metadata& metadata) {
  if (protocol.reader_version > 3) {
    return Needs("readers", fmt::format("protocol version {}", protocol.reader_version));
  }
  if (HasMapping(metadata)) return Needs("readers", "column mapping (delta.columnMapping.mode)");
  if (protocol.reader_version == 3) {
    const std::string unknown = UnknownOf(protocol.reader_features, kReadFeatures);
    if (!unknown.empty()) return Needs("readers", unknown);
  }
  if (metadata.provider != "parquet") {
    return Needs("readers", fmt::format("files of the format {}", metadata.provider));
  }
  return Ok();
}

Status CheckWritable(const Protocol& protocol, const Metadata& metadata, const Layout& layout) {
  WEIR_TRY(CheckReadable(protocol, metadata));
  if (protocol.writer_version > 7) {
    return Needs("writers", fmt::format("protocol version {}", protocol.writer_version));
  }
  if (protocol.writer_version == 7) {
    const std::string unknown = UnknownOf(protocol.writer_features, kWriteFeatures);
    if (!unknown.empty()) return Needs("writers", unknown);
  }
  if (IsOn(metadata, "delta.enableInCommitTimestamps"))
    return Needs("writers", "inCommitTimestamp");
  if (IsOn(metadata, "delta.enableRowTracking")) return Needs("writers", "rowTracking");
  if (IsOn(metadata, "delta.enableDeletionVectors")) return Needs("writers", "deletionVectors");
  if (HasPrefix(metadata, "delta.constraints.")) return Needs("writers", "check constraints");
  for (const auto& [demand, column] : layout.demands) {
    return Needs("writers", fmt::format("{} of column {}", demand, column));
  }
  for (const PartitionColumn& column : layout.partitions) {
    if (const auto why = WhyNotWritable(column)) {
      return Unsupported(fmt::format("partition column {}: {}", column.name, *why),
                         ErrorCode::kTableUnsupported);
    }
  }
  if (const auto text = metadata.Property("delta.setTransactionRetentionDuration")) {
    const auto age = ParseInterval(*text);
    if (!age || *age < kLeastProgressAge) {
      return WithRemedy(
          Unsupported(fmt::format("delta.setTransactionRetentionDuration = {}: the table would "
                                  "forget what a pipeline that was away has written",
                                  *text),
                      ErrorCode::kTableUnsupported),
          "unset that property, or set it to at least 7 days");
    }
  }
  return Ok();
}

Protocol ProtocolFor(const Schema& schema) {
  std::function<bool(const Type&)> is_wall_clock = [&](const Type& type) {
    return (type.kind == TypeKind::kTimestamp && !type.zoned) ||
           std::ranges::any_of(type.children,
                               [&](const Field& child) { return is_wall_clock(child.type); });
  };
  if (!std::ranges::any_of(schema.fields,
                           [&](const Field& field) { return is_wall_clock(field.type); })) {
    return {};
  }
  return {.reader_version = 3,
          .writer_version = 7,
          .reader_features = {"timestampNtz"},
          .writer_features = {"timestampNtz", "appendOnly", "invariants"}};
}

std::optional<std::int64_t> ParseInterval(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Micros>, 7> kUnits = {
      {{"week", 7 * kMicrosPerDay},
       {"day", kMicrosPerDay},
       {"hour", 3600 * kMicrosPerSecond},
       {"minute", 60 * kMicrosPerSecond},
       {"second", kMicrosPerSecond},
       {"millisecond", kMicrosPerMilli},
       {"microsecond", 1}}};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  for (std::string& word : words) {
    for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  std::size_t i = !words.empty() && words[0] == "interval" ? 1 : 0;
  if (i == words.size() || (words.size() - i) % 2 != 0) return std::nullopt;
  Micros total = 0;
  for (; i < words.size(); i += 2) {
    std::int64_t number = 0;
    const std::string& digits = words[i];
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    std::string unit = words[i + 1];
    if (unit.ends_with('s')) unit.pop_back();
    const auto found =
        std::ranges::find(kUnits, unit, [](const auto& known) { return known.first; });
    Micros span = 0;
    if (error != std::errc() || end != digits.data() + digits.size() || number < 0 ||
        found == kUnits.end() || __builtin_mul_overflow(number, found->second, &span) ||
        __builtin_add_overflow(total, span, &total)) {
      return std::nullopt;
    }
  }
  return total;
}

}  // namespace weir::delta
