#include "iceberg/snapshot.h"

#include <charconv>

#include <nlohmann/json.hpp>

namespace weir::iceberg {

std::string Snapshot::operation() const {
  const auto found = summary.find("operation");
  return found == summary.end() ? "" : found->second;
}

std::optional<std::int64_t> Snapshot::Total(const std::string& key) const {
  const auto found = summary.find(key);
  if (found == summary.end()) return std::nullopt;
  const std::string& text = found->second;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<Snapshot> SnapshotFromJson(const Json& json) {
  Snapshot snapshot;
  WEIR_ASSIGN_OR_RETURN(snapshot.id, LongAt(json, "snapshot-id"));
  snapshot.parent_id = FindLong(json, "parent-snapshot-id");
  if (snapshot.parent_id == -1) snapshot.parent_id.reset();
  snapshot.sequence = FindLong(json, "sequence-number").value_or(0);
  WEIR_ASSIGN_OR_RETURN(snapshot.timestamp_ms, LongAt(json, "timestamp-ms"));
  snapshot.manifest_list = FindText(json, "manifest-list").value_or("");
  if (FindLong(json, "schema-id")) {
    WEIR_ASSIGN_OR_RETURN(snapshot.schema_id, IntAt(json, "schema-id"));
  }
  if (const Json* summary = Find(json, "summary"); summary != nullptr && summary->is_object()) {
    for (const auto& [key, value] : summary->items()) {
      if (value.is_string()) snapshot.summary[key] = value.get<std::string>();
    }
  }
  return snapshot;
}

Json SnapshotToJson(const Snapshot& snapshot) {
  Json json = {{"sequence-number", snapshot.sequence}, {"snapshot-id", snapshot.id}};
  if (snapshot.parent_id) json["parent-snapshot-id"] = *snapshot.parent_id;
  json["timestamp-ms"] = snapshot.timestamp_ms;
  Json summary = Json::object();
  summary["operation"] = snapshot.operation();
  for (const auto& [key, value] : snapshot.summary) {
    if (key != "operation") summary.push_back({key, value});
  }
  json["summary"] = std::move(summary);
  json["manifest-list"] = snapshot.manifest_list;
  if (snapshot.schema_id) json["schema-id"] = *snapshot.schema_id;
  return json;
}

Result<Ref> RefFromJson(const Json& json) {
  Ref ref;
  WEIR_ASSIGN_OR_RETURN(ref.snapshot_id, LongAt(json, "snapshot-id"));
  ref.is_tag = FindText(json, "type").value_or("branch") == "tag";
  ref.min_snapshots_to_keep = FindLong(json, "min-snapshots-to-keep");
  ref.max_snapshot_age_ms = FindLong(json, "max-snapshot-age-ms");
  return ref;
}

}  // namespace weir::iceberg
