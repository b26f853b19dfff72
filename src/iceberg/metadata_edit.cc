#include "iceberg/metadata_edit.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "iceberg/schema_change.h"

namespace weir::iceberg {
namespace {

// The member of this type under a key, made anew where it is absent or of another type.
Json& Ensure(Json& object, const char* key, Json fresh) {
  Json& member = object[key];
  if (member.type() != fresh.type()) member = std::move(fresh);
  return member;
}

using Ids = std::unordered_set<std::int64_t>;

bool Names(const Json& item, const Ids& ids) {
  const auto id = FindLong(item, "snapshot-id");
  return id && ids.contains(*id);
}

void EraseNamed(Json& document, const char* list, const Ids& ids) {
  if (Find(document, list) == nullptr || !document[list].is_array()) return;
  Json kept = Json::array();
  for (Json& item : document[list]) {
    if (!Names(item, ids)) kept.push_back(std::move(item));
  }
  document[list] = std::move(kept);
}

// History before a removed snapshot would tell of times that can no longer be travelled to.
void CutLog(Json& document, const Ids& ids) {
  Json& log = Ensure(document, "snapshot-log", Json::array());
  Json kept = Json::array();
  for (Json& item : log) {
    if (Names(item, ids)) {
      kept.clear();
    } else {
      kept.push_back(std::move(item));
    }
  }
  log = std::move(kept);
}

}  // namespace

MetadataEdit::MetadataEdit(const TableMetadata& base)
    : document_(std::make_unique<Json>(*base.document)), snapshots_(base.snapshots) {
  LogPrevious(base);
}

MetadataEdit::~MetadataEdit() = default;

void MetadataEdit::LogPrevious(const TableMetadata& base) {
  Json& log = Ensure(*document_, "metadata-log", Json::array());
  log.push_back({{"timestamp-ms", base.last_updated_ms}, {"metadata-file", base.file}});
  const std::int64_t most =
      std::max<std::int64_t>(1, base.NumberProperty("write.metadata.previous-versions-max", 100));
  if (log.size() > static_cast<std::size_t>(most)) {
    log.erase(log.begin(), log.end() - most);
  }
}

void MetadataEdit::AppendSnapshot(const Snapshot& snapshot) {
  Json& document = *document_;
  Ensure(document, "snapshots", Json::array());
  snapshots_.push_back(std::make_shared<const StoredSnapshot>(
      StoredSnapshot{snapshot, DumpJson(SnapshotToJson(snapshot))}));
  document["current-snapshot-id"] = snapshot.id;
  document["last-sequence-number"] = snapshot.sequence;
  document["last-updated-ms"] = snapshot.timestamp_ms;
  Json& refs = Ensure(document, "refs", Json::object());
  Json& main = Ensure(refs, kMainBranch, Json::object());  // keeps its retention
  main["snapshot-id"] = snapshot.id;
  main["type"] = "branch";
  Ensure(document, "snapshot-log", Json::array())
      .push_back({{"timestamp-ms", snapshot.timestamp_ms}, {"snapshot-id", snapshot.id}});
}

void MetadataEdit::SetTag(const std::string& name, std::int64_t snapshot_id) {
  Json& refs = Ensure(*document_, "refs", Json::object());
  refs[name] = {{"snapshot-id", snapshot_id},
                {"type", "tag"},
                {"max-ref-age-ms", std::numeric_limits<std::int64_t>::max()}};
}

void MetadataEdit::SetProperty(const std::string& name, const std::string& value) {
  Ensure(*document_, "properties", Json::object())[name] = value;
}

Status MetadataEdit::ChangeSchema(const connect::SchemaChange& change, std::int64_t now_ms) {
  Json& document = *document_;
  const auto current = FindLong(document, "current-schema-id");
  Json& schemas = Ensure(document, "schemas", Json::array());
  Json next;
  std::int64_t highest_schema = -1;
  std::int64_t highest_field = FindLong(document, "last-column-id").value_or(0);
  for (const Json& schema : schemas) {
    const auto id = FindLong(schema, "schema-id");
    highest_schema = std::max(highest_schema, id.value_or(-1));
    highest_field = std::max(highest_field, HighestFieldId(schema));
    if (id == current) next = schema;
  }
  if (next.is_null()) return Corrupt("the current schema is not there");
  WEIR_TRY(ChangeSchemaJson(change, next, highest_field));
  next["schema-id"] = highest_schema + 1;
  schemas.push_back(std::move(next));
  document["current-schema-id"] = highest_schema + 1;
  document["last-column-id"] = highest_field;
  document["last-updated-ms"] =
      std::max(now_ms, FindLong(document, "last-updated-ms").value_or(0) + 1);
  return Ok();
}

void MetadataEdit::RemoveSnapshots(const std::vector<std::int64_t>& ids) {
  if (ids.empty()) return;
  const Ids set(ids.begin(), ids.end());
  std::erase_if(snapshots_, [&](const auto& stored) { return set.contains(stored->snapshot.id); });
  EraseNamed(*document_, "statistics", set);
  EraseNamed(*document_, "partition-statistics", set);
  CutLog(*document_, set);
}

Result<MetadataEdit::Finished> MetadataEdit::Finish(std::string file) {
  Finished out;
  out.text = MetadataText(*document_, snapshots_);
  auto metadata = MetadataFromParts(std::move(*document_), std::move(snapshots_), std::move(file),
                                    out.text.size());
  if (!metadata) return WithContext(std::move(metadata).error(), "new metadata");
  out.metadata = std::move(metadata).value();
  return out;
}

}  // namespace weir::iceberg
