#pragma once
// TestLake: a Delta table in memory and a scripted clock, for the tests of this folder.

#include <memory>
#include <stdexcept>
#include <string>

#include "base/clock.h"
#include "base/must.h"
#include "connect/table.h"
#include "delta/action_json.h"
#include "delta/catalog.h"
#include "delta/log_name.h"
#include "io/store.h"

namespace weir::delta::test {

/// A catalog in memory with one table, retail.events: event_id string, event_time timestamp, price
/// decimal(10,2), kind string, by day(event_time) and kind.
class TestLake {
 public:
  static constexpr const char* kFolder = "retail/events";

  TestLake() : TestLake(Definition()) {}
  explicit TestLake(const connect::TableDefinition& definition)
      : TestLake(std::shared_ptr<io::Store>(), definition) {}
  explicit TestLake(std::shared_ptr<io::Store> store,
                    const connect::TableDefinition& definition = Definition())
      : clock_(Micros{DayOf(2026, 9, 1)} * kMicrosPerDay),
        store_(store ? std::move(store) : std::shared_ptr<io::Store>(io::NewMemoryStore(clock_))),
        catalog_(NewCatalog(store_, "file:///lake", clock_)) {
    Must(catalog_->Create(definition));
  }

  static connect::TableDefinition Definition() {
    connect::TableDefinition out;
    out.name = {.levels = {"retail"}, .name = "events"};
    out.schema.fields = {
        {.name = "event_id", .type = Type::Of(TypeKind::kString), .required = true, .doc = {}},
        {.name = "event_time", .type = Type::Of(TypeKind::kTimestamp), .required = true, .doc = {}},
        {.name = "price", .type = Type::Decimal(10, 2), .doc = {}},
        {.name = "kind", .type = Type::Of(TypeKind::kString), .doc = {}}};
    out.partition_by = {{.name = {}, .transform = connect::Transform::kDay},
                        {.name = {}, .transform = connect::Transform::kIdentity}};
    out.partition_sources = {"event_time", "kind"};
    return out;
  }

  /// Another handle, as another process or pipeline has it.
  std::unique_ptr<connect::Table> Open(const std::string& pipeline = "shop") {
    return Must(catalog_->Open(Definition().name, pipeline));
  }

  /// One file of rows of a day after 2026-09-01, as the table `version` has it partitioned.
  static connect::DataFile File(const connect::TableVersion& version, const std::string& name,
                                std::int64_t records = 10, int day = 0,
                                const std::string& kind = "buy") {
    connect::DataFile file;
    file.path = "data/" + name + ".parquet";
    file.spec_id = version.spec.spec_id;
    file.partition = {{.number = DayOf(2026, 9, 1) + day, .text = {}},
                      {.number = {}, .text = kind}};
    file.record_count = records;
    file.file_bytes = 1000;
    return file;
  }

  /// Loads and commits one file as epoch `epoch`, a second after the last.
  connect::CommitOutcome Append(connect::Table& table, std::int64_t epoch) {
    clock_.Advance(kMicrosPerSecond);
    const auto base = Must(table.Load());
    connect::TableCommit commit;
    commit.files = {File(*base, "f" + std::to_string(epoch))};
    commit.progress["events/0"] = {{1, epoch}, Offset(100 * epoch)};
    return Must(table.Commit(*base, commit));
  }

  /// Puts a version as a foreign writer would.
  void Foreign(std::int64_t version, const std::string& text) {
    if (Must(store_->PutIfAbsent(Key(CommitName(version)), text)) != io::PutOutcome::kStored) {
      throw std::runtime_error("the version is taken");
    }
  }
  LogCommit Read(std::int64_t version) {
    return Must(ParseCommit(Must(store_->Get(Key(CommitName(version)))), "test"));
  }
  static std::string Key(const std::string& name) {
    return std::string(kFolder) + "/_delta_log/" + name;
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

 private:
  ManualClock clock_;
  std::shared_ptr<io::Store> store_;
  std::unique_ptr<connect::Catalog> catalog_;
};

}  // namespace weir::delta::test
