#include "iceberg/metadata_changes.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace weir::iceberg {
namespace {

// What follows from the updates, or is the server's own business.
constexpr std::array<std::string_view, 12> kFollows = {"last-updated-ms",
                                                       "last-sequence-number",
                                                       "current-snapshot-id",
                                                       "snapshot-log",
                                                       "metadata-log",
                                                       "statistics",
                                                       "partition-statistics",
                                                       "schema",
                                                       "properties",
                                                       "refs",
                                                       "snapshots",
                                                       "schemas"};
// Told with a new schema.
constexpr std::array<std::string_view, 2> kOfSchema = {"current-schema-id", "last-column-id"};

const Json& Member(const TableMetadata& metadata, const char* key) {
  static const Json kNothing;
  const Json* member = Find(*metadata.document, key);
  return member == nullptr ? kNothing : *member;
}

class Changes {
 public:
  Changes(const TableMetadata& base, const TableMetadata& next) : base_(base), next_(next) {}

  Result<Json> Find() {
    WEIR_TRY(CheckNothingElseChanged());
    Require({{"type", "assert-table-uuid"}, {"uuid", base_.uuid}});
    AddSchemas();
    AddSnapshots();
    MoveRefs();
    SetProperties();
    RemoveSnapshots();
    return Json{{"requirements", std::move(requirements_)}, {"updates", std::move(updates_)}};
  }

 private:
  void Require(Json requirement) { requirements_.push_back(std::move(requirement)); }
  void Update(Json update) { updates_.push_back(std::move(update)); }

  Status CheckNothingElseChanged() {
    const bool has_new_schema = Member(base_, "schemas") != Member(next_, "schemas");
    for (const auto& [key, value] : next_.document->items()) {
      const bool of_schema = has_new_schema && std::ranges::find(kOfSchema, key) != kOfSchema.end();
      if (of_schema || std::ranges::find(kFollows, key) != kFollows.end()) continue;
      if (value != Member(base_, key.c_str())) {
        return Internal(fmt::format("a change of \"{}\" cannot be sent to a REST catalog", key));
      }
    }
    return Ok();
  }

  void AddSchemas() {
    const Json& before = Member(base_, "schemas");
    bool added = false;
    for (const Json& schema : Member(next_, "schemas")) {
      if (std::find(before.begin(), before.end(), schema) != before.end()) continue;
      added = true;
      Update({{"action", "add-schema"},
              {"schema", schema},
              {"last-column-id", Member(next_, "last-column-id")}});
    }
    if (!added) return;
    Require({{"type", "assert-last-assigned-field-id"},
             {"last-assigned-field-id", Member(base_, "last-column-id")}});
    Require({{"type", "assert-current-schema-id"}, {"current-schema-id", base_.current_schema_id}});
    Update({{"action", "set-current-schema"}, {"schema-id", -1}});
  }

  void AddSnapshots() {
    for (const auto& stored : next_.snapshots) {
      const Snapshot& snapshot = stored->snapshot;
      if (base_.FindSnapshot(snapshot.id) != nullptr) continue;
      Update({{"action", "add-snapshot"}, {"snapshot", SnapshotToJson(snapshot)}});
    }
  }

  void RequireRef(const std::string& name) {
    const auto found = base_.refs.find(name);
    Json id;
    if (found != base_.refs.end()) id = found->second.snapshot_id;
    Require({{"type", "assert-ref-snapshot-id"}, {"ref", name}, {"snapshot-id", std::move(id)}});
  }

  void MoveRefs() {
    const Json& before = Member(base_, "refs");
    for (const auto& [name, ref] : Member(next_, "refs").items()) {
      if (before.is_object() && before.contains(name) && before[name] == ref) continue;
      RequireRef(name);
      Json update{{"action", "set-snapshot-ref"}, {"ref-name", name}};
      update.update(ref);
      Update(std::move(update));
    }
    for (const auto& [name, ref] : base_.refs) {
      if (next_.refs.contains(name)) continue;
      RequireRef(name);
      Update({{"action", "remove-snapshot-ref"}, {"ref-name", name}});
    }
  }

  void SetProperties() {
    Json set = Json::object();
    Json removed = Json::array();
    for (const auto& [name, value] : next_.properties) {
      const auto before = base_.properties.find(name);
      if (before == base_.properties.end() || before->second != value) set[name] = value;
    }
    for (const auto& [name, value] : base_.properties) {
      if (!next_.properties.contains(name)) removed.push_back(name);
    }
    if (!set.empty()) Update({{"action", "set-properties"}, {"updates", std::move(set)}});
    if (!removed.empty()) {
      Update({{"action", "remove-properties"}, {"removals", std::move(removed)}});
    }
  }

  void RemoveSnapshots() {
    Json ids = Json::array();
    for (const auto& stored : base_.snapshots) {
      const std::int64_t id = stored->snapshot.id;
      if (next_.FindSnapshot(id) == nullptr) ids.push_back(id);
    }
    if (!ids.empty()) Update({{"action", "remove-snapshots"}, {"snapshot-ids", std::move(ids)}});
  }

  const TableMetadata& base_;
  const TableMetadata& next_;
  Json requirements_ = Json::array();
  Json updates_ = Json::array();
};

}  // namespace

Result<Json> ChangesBetween(const TableMetadata& base, const TableMetadata& next) {
  return Changes(base, next).Find();
}

Result<Json> CreationOf(const TableMetadata& first, const std::string& name) {
  const Json& schemas = Member(first, "schemas");
  const Json& specs = Member(first, "partition-specs");
  const Json& orders = Member(first, "sort-orders");
  if (schemas.empty() || specs.empty() || orders.empty()) {
    return Internal("a new table without schema, spec or order");
  }
  Json properties = Member(first, "properties");
  properties["format-version"] = std::to_string(first.format_version);
  // Some servers take a request without "stage-create" for a broken one.
  return Json{{"name", name},
              {"schema", schemas.back()},
              {"partition-spec", specs.back()},
              {"write-order", orders.back()},
              {"stage-create", false},
              {"properties", std::move(properties)}};
}

}  // namespace weir::iceberg
