#pragma once
// TestTable: a table in memory and a scripted clock, for the tests of this folder.

#include <functional>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/must.h"
#include "connect/table.h"
#include "iceberg/attempt.h"
#include "iceberg/catalog.h"
#include "iceberg/metadata.h"
#include "io/store.h"

namespace weir::iceberg::test {

/// A folder catalog in memory with one table, retail.events: event_id string, event_time
/// timestamptz, price decimal(10,2), by day(event_time).
class TestTable {
 public:
  static constexpr const char* kFolder = "retail/events/metadata/";

  TestTable() : TestTable(std::shared_ptr<io::Store>(io::NewMemoryStore())) {}
  explicit TestTable(std::shared_ptr<io::Store> store)
      : clock_(Micros{DayOf(2026, 9, 1)} * kMicrosPerDay),
        store_(std::move(store)),
        warehouse_{.store = store_, .location = "file:///lake", .parallel = false},
        catalog_(NewStoreCatalog(warehouse_, clock_)) {
    Must(catalog_->Create(Definition()));
  }

  static connect::TableDefinition Definition() {
    connect::TableDefinition out;
    out.name = {.levels = {"retail"}, .name = "events"};
    out.schema.fields = {
        {.name = "event_id", .type = Type::Of(TypeKind::kString), .required = true, .doc = {}},
        {.name = "event_time", .type = Type::Of(TypeKind::kTimestamp), .required = true, .doc = {}},
        {.name = "price", .type = Type::Decimal(10, 2), .doc = {}}};
    out.partition_by = {{.name = {}, .transform = connect::Transform::kDay}};
    out.partition_sources = {"event_time"};
    return out;
  }

  /// Another handle, as another process or pipeline has it.
  std::unique_ptr<connect::Table> Open(const std::string& pipeline = "shop") {
    return Must(catalog_->Open(Definition().name, pipeline));
  }

  /// One file of rows of a day after 2026-09-01.
  static connect::DataFile File(const std::string& name, std::int64_t records = 10, int day = 0) {
    connect::DataFile file;
    file.path = "data/" + name + ".parquet";
    file.partition = {{.number = DayOf(2026, 9, 1) + day, .text = {}}};
    file.record_count = records;
    file.file_bytes = 1000;
    file.split_offsets = {4};
    file.columns[1] = {.compressed_bytes = 100,
                       .value_count = records,
                       .null_count = 0,
                       .nan_count = {},
                       .lower = "a",
                       .upper = "z"};
    file.columns[3] = {.compressed_bytes = 50,
                       .value_count = records,
                       .null_count = records,
                       .nan_count = {},
                       .lower = {},
                       .upper = {}};
    return file;
  }

  static connect::TableCommit CommitOf(std::vector<connect::DataFile> files, std::int64_t epoch) {
    connect::TableCommit commit;
    commit.files = std::move(files);
    commit.progress["events/0"] = {{1, epoch}, Offset(100 * epoch)};
    return commit;
  }

  /// Loads and commits one file as epoch `epoch`, a second after the last.
  connect::CommitOutcome Append(connect::Table& table, std::int64_t epoch,
                                const connect::ExpiryPolicy& expiry = {}) {
    clock_.Advance(kMicrosPerSecond);
    connect::TableCommit commit = CommitOf({File("f" + std::to_string(epoch))}, epoch);
    commit.expiry = expiry;
    return Must(table.Commit(*Must(table.Load()), commit));
  }

  /// The current metadata, read from the store.
  MetadataPtr Current() {
    std::string newest;
    for (const io::ObjectInfo& object : Must(store_->List(kFolder))) {
      if (VersionOfMetadata(object.key) > VersionOfMetadata(newest)) newest = object.key;
    }
    return Must(ParseMetadata(Must(store_->Get(newest)), "file:///lake/" + newest));
  }

  /// Makes an edited copy of the current metadata current, as a foreign writer would.
  void Foreign(const std::function<void(nlohmann::ordered_json&)>& edit) {
    const MetadataPtr base = Current();
    nlohmann::ordered_json document = Must(ParseJson(base->Text()));
    document["metadata-log"].push_back(
        {{"timestamp-ms", base->last_updated_ms}, {"metadata-file", base->file}});
    edit(document);

    const std::string next =
        fmt::format("{}v{}.metadata.json", kFolder, VersionOfMetadata(base->file) + 1);
    Must(store_->PutIfAbsent(next, document.dump()));
  }

  /// Sets main to an older snapshot, as an operator's rollback does.
  void RollBackTo(std::int64_t snapshot_id) {
    Foreign([&](nlohmann::ordered_json& document) {
      document["current-snapshot-id"] = snapshot_id;
      document["refs"]["main"]["snapshot-id"] = snapshot_id;
    });
  }

  std::vector<std::string> Files(const std::string& ending) {
    std::vector<std::string> out;
    for (const io::ObjectInfo& object : Must(store_->List("retail/events/"))) {
      if (object.key.ends_with(ending)) out.push_back(object.key);
    }
    return out;
  }

  ManualClock& clock() { return clock_; }
  io::Store& store() { return *store_; }
  connect::Catalog& catalog() { return *catalog_; }
  const Warehouse& warehouse() const { return warehouse_; }

 private:
  ManualClock clock_;
  std::shared_ptr<io::Store> store_;
  Warehouse warehouse_;
  std::unique_ptr<connect::Catalog> catalog_;
};

}  // namespace weir::iceberg::test
