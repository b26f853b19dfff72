#include "iceberg/catalog.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "db/connection.h"
#include "db/sqlite_session.h"
#include "db/transaction.h"
#include "iceberg/sql_pointers.h"
#include "iceberg/test_table.h"

namespace weir::iceberg {
namespace {

using connect::CommitOutcome;
using test::TestTable;
using testing::ElementsAre;

class CatalogTest : public testing::Test {
 protected:
  CatalogTest() : folder_(std::filesystem::temp_directory_path() / NewFolderName()) {}
  ~CatalogTest() override { std::filesystem::remove_all(folder_); }

  static std::string NewFolderName() { return "weir-catalog-test-" + NewAttempt(0).id; }
  std::string database() const { return folder_ / "catalog.db"; }
  std::string warehouse() const { return folder_ / "lake"; }
  std::unique_ptr<connect::Catalog> OpenSql(const std::string& name = "weir") {
    return Must(OpenSqlCatalog(name, database(), warehouse(), {}, SystemClock()));
  }
  std::unique_ptr<db::Connection> Database() {
    std::filesystem::create_directories(folder_);
    db::OpenOptions options;
    options.journal = db::Journal::kKeep;
    return Must(db::Connection::Open(database(), options));
  }
  std::string Value(const std::string& sql) {
    const auto connection = Database();
    db::Statement statement = Must(connection->Prepare(sql));
    return Must(statement.Step()) ? std::string(statement.Text(0)) : "(no row)";
  }

  std::filesystem::path folder_;
};

TEST_F(CatalogTest, SqlRowsAreThoseOfOtherEngines) {
  const auto catalog = OpenSql("lakehouse");
  Must(catalog->Create(TestTable::Definition()));
  EXPECT_EQ(Value("SELECT catalog_name || '|' || table_namespace || '|' || table_name || '|' || "
                  "iceberg_type FROM iceberg_tables"),
            "lakehouse|retail|events|TABLE");
  EXPECT_EQ(Value("SELECT namespace || '|' || property_key || '|' || property_value FROM "
                  "iceberg_namespace_properties"),
            "retail|exists|true");
  const auto table = Must(catalog->Open(TestTable::Definition().name, "shop"));
  const std::string first = Value("SELECT metadata_location FROM iceberg_tables");
  EXPECT_TRUE(first.starts_with("file://" + warehouse() + "/retail/events/metadata/00000-"));
  ASSERT_EQ(
      Must(table->Commit(*Must(table->Load()), TestTable::CommitOf({TestTable::File("a")}, 1))),
      CommitOutcome::kCommitted);
  EXPECT_EQ(Value("SELECT previous_metadata_location FROM iceberg_tables"), first);
  EXPECT_EQ(Must(table->Load())->total_records, 10);
  EXPECT_THAT(Must(catalog->List()), ElementsAre(TestTable::Definition().name));
  EXPECT_THAT(Must(OpenSql("another")->List()), ElementsAre());
}

TEST_F(CatalogTest, SqlSwapComparesWithTheBase) {
  const auto catalog = OpenSql();
  Must(catalog->Create(TestTable::Definition()));
  const auto a = Must(catalog->Open(TestTable::Definition().name, "a"));
  const auto b = Must(OpenSql()->Open(TestTable::Definition().name, "b"));
  const auto base_a = Must(a->Load());
  const auto base_b = Must(b->Load());
  EXPECT_EQ(Must(a->Commit(*base_a, TestTable::CommitOf({TestTable::File("a")}, 1))),
            CommitOutcome::kCommitted);
  EXPECT_EQ(Must(b->Commit(*base_b, TestTable::CommitOf({TestTable::File("b")}, 1))),
            CommitOutcome::kConflict);
  EXPECT_EQ(Must(b->Load())->total_records, 10);
}

// Two tables of a catalog and a commit to each.
class JointCommitTest : public CatalogTest {
 protected:
  JointCommitTest() : catalog_(OpenSql()) {
    for (const char* name : {"events", "orders"}) {
      connect::TableDefinition definition = TestTable::Definition();
      definition.name.name = name;
      Must(catalog_->Create(definition));
      tables_.push_back(Must(catalog_->Open(definition.name, "shop")));
    }
  }

  Result<CommitOutcome> CommitBoth(std::int64_t epoch, const std::string& file) {
    std::vector<connect::GroupedCommit> parts;
    for (const auto& table : tables_) {
      parts.push_back(*table->Grouped(*bases_[table.get()],
                                      TestTable::CommitOf({TestTable::File(file)}, epoch)));
    }
    return tables_.front()->group()->Commit(parts);
  }
  void LoadBoth() {
    for (const auto& table : tables_) bases_[table.get()] = Must(table->Load());
  }
  std::vector<std::int64_t> Records() {
    std::vector<std::int64_t> out;
    for (const auto& table : tables_) out.push_back(Must(table->Load())->total_records);
    return out;
  }
  std::size_t CountFiles() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(warehouse()))
      count += entry.is_regular_file() ? 1U : 0U;
    return count;
  }

  std::unique_ptr<connect::Catalog> catalog_;
  std::vector<std::unique_ptr<connect::Table>> tables_;
  std::map<connect::Table*, std::shared_ptr<const connect::TableVersion>> bases_;
};

TEST_F(JointCommitTest, TablesOfADatabaseChangeInOneStep) {
  LoadBoth();
  ASSERT_EQ(tables_[0]->group(), tables_[1]->group());
  ASSERT_EQ(Must(CommitBoth(1, "a")), CommitOutcome::kCommitted);
  LoadBoth();
  ASSERT_EQ(Must(CommitBoth(2, "b")), CommitOutcome::kCommitted);
  EXPECT_THAT(Records(), ElementsAre(20, 20));
  // As others see it.
  EXPECT_EQ(Must(Must(OpenSql()->Open(tables_[1]->name(), ""))->Load())->total_records, 20);
}

TEST_F(JointCommitTest, AConflictInOneTableLeavesAllAsTheyWere) {
  LoadBoth();
  const auto other = Must(OpenSql()->Open(tables_[1]->name(), "other"));
  ASSERT_EQ(
      Must(other->Commit(*Must(other->Load()), TestTable::CommitOf({TestTable::File("o")}, 1))),
      CommitOutcome::kCommitted);
  const std::size_t files = CountFiles();
  EXPECT_EQ(Must(CommitBoth(1, "a")), CommitOutcome::kConflict);
  EXPECT_THAT(Records(), ElementsAre(0, 10));
  EXPECT_EQ(CountFiles(), files) << "files of a try that failed are left";
  LoadBoth();
  EXPECT_EQ(Must(CommitBoth(1, "a")), CommitOutcome::kCommitted);
  EXPECT_THAT(Records(), ElementsAre(10, 20));
}

TEST_F(JointCommitTest, WhatDoesNotFitOneTableIsWrittenToNone) {
  LoadBoth();
  const std::size_t files = CountFiles();
  auto parts = std::vector{*tables_[0]->Grouped(*bases_[tables_[0].get()],
                                                TestTable::CommitOf({TestTable::File("a")}, 1)),
                           *tables_[1]->Grouped(*bases_[tables_[1].get()],
                                                TestTable::CommitOf({TestTable::File("a")}, 1))};
  parts[1].commit.files[0].spec_id = 7;
  EXPECT_FALSE(tables_[0]->group()->Commit(parts));
  EXPECT_THAT(Records(), ElementsAre(0, 0));
  EXPECT_EQ(CountFiles(), files);
}

TEST_F(CatalogTest, TablesThatAreFoldersAreCommittedAlone) {
  TestTable lake;
  EXPECT_EQ(lake.Open()->group(), nullptr);
}

TEST_F(CatalogTest, TheFirstSchemaOfTheSqlCatalogIsUsedAsItIs) {
  {
    const auto connection = Database();
    db::Transaction transaction = Must(db::Transaction::Begin(*connection));
    Must(connection->Execute(
        "CREATE TABLE iceberg_tables(catalog_name VARCHAR(255) NOT NULL, table_namespace "
        "VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), "
        "previous_metadata_location VARCHAR(1000), PRIMARY KEY (catalog_name, table_namespace, "
        "table_name)); CREATE TABLE iceberg_namespace_properties(catalog_name VARCHAR(255) NOT "
        "NULL, namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255), property_value "
        "VARCHAR(1000) NOT NULL, PRIMARY KEY (catalog_name, namespace, property_key))"));
    Must(transaction.Commit());
  }
  const auto catalog = OpenSql();
  Must(catalog->Create(TestTable::Definition()));
  const auto table = Must(catalog->Open(TestTable::Definition().name, "shop"));
  EXPECT_EQ(
      Must(table->Commit(*Must(table->Load()), TestTable::CommitOf({TestTable::File("a")}, 1))),
      CommitOutcome::kCommitted);
}

TEST_F(CatalogTest, ViewsAreNoTables) {
  const auto catalog = OpenSql();
  Must(catalog->Create(TestTable::Definition()));
  {
    const auto connection = Database();
    db::Transaction transaction = Must(db::Transaction::Begin(*connection));
    Must(connection->Execute("UPDATE iceberg_tables SET iceberg_type = 'VIEW'"));
    Must(transaction.Commit());
  }
  EXPECT_TRUE(Must(catalog->List()).empty());
  const auto version = Must(catalog->Open(TestTable::Definition().name, "shop"))->Load();
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().code, ErrorCode::kTableMissing);
}

TEST_F(CatalogTest, SeveralTablesAreSwappedTogetherOrNotAtAll) {
  const auto pointers = Must(SqlPointers::Open(db::SqliteSession::Open(database()), "weir"));
  const connect::TableName a{.levels = {"n"}, .name = "a"};
  const connect::TableName b{.levels = {"n"}, .name = "b"};
  Must(pointers->Insert(a, "a0", ""));
  Must(pointers->Insert(b, "b0", ""));
  const PointerSwap swap_a{.name = a, .base = "a0", .next = "a1", .text = {}, .snapshot_id = 1};
  PointerSwap swap_b{.name = b, .base = "stale", .next = "b1", .text = {}, .snapshot_id = 1};
  EXPECT_EQ(Must(pointers->Swap(std::vector{swap_b, swap_a})), CommitOutcome::kConflict);
  EXPECT_EQ(Must(pointers->Current(a)).location, "a0");
  swap_b.base = "b0";
  EXPECT_EQ(Must(pointers->Swap(std::vector{swap_b, swap_a})), CommitOutcome::kCommitted);
  EXPECT_EQ(Must(pointers->Current(a)).location, "a1");
  EXPECT_EQ(Must(pointers->Current(b)).location, "b1");
}

TEST_F(CatalogTest, SeveralTablesAreRenamedTogetherOrNotAtAll) {
  const auto pointers = Must(SqlPointers::Open(db::SqliteSession::Open(database()), "weir"));
  const connect::TableName a{.levels = {"n"}, .name = "a"};
  const connect::TableName b{.levels = {"n"}, .name = "b"};
  const connect::TableName kept{.levels = {"n"}, .name = "kept"};
  const connect::TableName gone{.levels = {"n"}, .name = "gone"};
  Must(pointers->Insert(a, "a0", ""));
  Must(pointers->Insert(b, "b0", ""));
  const Status failed = pointers->Rename({{a, kept}, {gone, a}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(Must(pointers->Current(a)).location, "a0");
  const Status taken = pointers->Rename({{b, a}});
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind, ErrorKind::kConflict);
  Must(pointers->Rename({{a, kept}, {b, a}}));
  EXPECT_EQ(Must(pointers->Current(kept)).location, "a0");
  EXPECT_EQ(Must(pointers->Current(a)).location, "b0");
  EXPECT_FALSE(pointers->Current(b));
}

TEST_F(CatalogTest, ABrokenDatabaseIsACatalogError) {
  std::filesystem::create_directories(database());  // a folder in its place
  const auto catalog = OpenSqlCatalog("weir", database(), warehouse(), {}, SystemClock());
  ASSERT_FALSE(catalog);
  EXPECT_NE(catalog.error().code, ErrorCode::kNone);
}

TEST_F(CatalogTest, ADatabaseThatIsAwayIsUnavailableAndOpenedAgainWhenItIsBack) {
  const auto pointers = Must(SqlPointers::Open(db::SqliteSession::Open(database()), "weir"));
  const connect::TableName name{{"shop"}, "events"};
  ASSERT_TRUE(pointers->Insert(name, "a0", ""));
  const PointerSwap swap{.name = name, .base = "a0", .next = "a1", .text = "", .snapshot_id = 1};
  const std::filesystem::path away = folder_ / "away";
  std::filesystem::create_directories(away);
  for (const char* file : {"catalog.db", "catalog.db-wal"}) {
    std::filesystem::rename(folder_ / file, away / file);
  }
  const auto expect_unavailable = [&] {
    const auto swapped = pointers->Swap({&swap, 1});
    ASSERT_FALSE(swapped);
    EXPECT_EQ(swapped.error().kind, ErrorKind::kUnavailable);
    EXPECT_EQ(swapped.error().code, ErrorCode::kCatalogUnavailable);
    EXPECT_FALSE(pointers->Current(name));
    EXPECT_FALSE(pointers->List());
  };
  expect_unavailable();
  EXPECT_FALSE(std::filesystem::exists(database()));
  std::ofstream(database()) << "";  // as another tool makes it by merely looking
  expect_unavailable();
  std::filesystem::remove(database());
  for (const char* file : {"catalog.db", "catalog.db-wal"}) {
    std::filesystem::copy_file(away / file, folder_ / file);
  }
  EXPECT_EQ(Must(pointers->Swap({&swap, 1})), CommitOutcome::kCommitted);
  EXPECT_EQ(Must(pointers->Current(name)).location, "a1");
}

TEST_F(CatalogTest, FolderTablesAreFoundByOthers) {
  const auto catalog = Must(OpenFolderCatalog(warehouse(), {}, SystemClock()));
  connect::TableDefinition definition = TestTable::Definition();
  definition.name.levels = {"lake", "retail"};
  Must(catalog->Create(definition));
  const std::filesystem::path metadata =
      std::filesystem::path(warehouse()) / "lake/retail/events/metadata";
  EXPECT_TRUE(std::filesystem::exists(metadata / "v1.metadata.json"));
  EXPECT_TRUE(std::filesystem::exists(metadata / "version-hint.text"));
  EXPECT_THAT(Must(catalog->List()), ElementsAre(definition.name));
  Must(catalog->Check());
}

// Both kinds, one behaviour.
class AnyCatalogTest : public CatalogTest, public testing::WithParamInterface<bool> {
 protected:
  std::unique_ptr<connect::Catalog> OpenAny() {
    if (GetParam()) return OpenSql();
    return Must(OpenFolderCatalog(warehouse(), {}, SystemClock()));
  }
};

TEST_P(AnyCatalogTest, CreatesOnce) {
  const auto catalog = OpenAny();
  Must(catalog->Create(TestTable::Definition()));
  const Status again = catalog->Create(TestTable::Definition());
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().kind, ErrorKind::kConflict);
}

TEST_P(AnyCatalogTest, NamesThatLeaveTheirFolderAreRefused) {
  const auto catalog = OpenAny();
  for (const char* part : {"..", ".", "a/b", "a#b", "", ".weir-tmp"}) {
    connect::TableDefinition definition = TestTable::Definition();
    definition.name.name = part;
    EXPECT_FALSE(catalog->Create(definition).ok()) << part;
    definition = TestTable::Definition();
    definition.name.levels = {part};
    EXPECT_FALSE(catalog->Create(definition).ok()) << part;
  }
}

TEST_P(AnyCatalogTest, RacingWritersLoseNothing) {
  Must(OpenAny()->Create(TestTable::Definition()));
  constexpr int kWriters = 4;
  constexpr int kCommits = 12;
  std::vector<std::thread> threads;
  threads.reserve(kWriters);
  std::atomic<int> conflicts = 0;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      const auto catalog = OpenAny();
      const auto table = Must(catalog->Open(TestTable::Definition().name, "p" + std::to_string(w)));
      for (int i = 0; i < kCommits; ++i) {
        while (true) {
          const auto commit =
              TestTable::CommitOf({TestTable::File(fmt::format("w{}-{}", w, i), 1)}, i + 1);
          const auto outcome = table->Commit(*Must(table->Load()), commit);
          if (outcome && *outcome == CommitOutcome::kCommitted) break;
          ++conflicts;
        }
        Must(table->CleanUp());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto catalog = OpenAny();
  const auto table = Must(catalog->Open(TestTable::Definition().name, "p0"));
  const auto version = Must(table->Load());
  EXPECT_EQ(version->total_records, kWriters * kCommits);
  EXPECT_EQ(Must(table->LiveFiles(*version)).size(), static_cast<std::size_t>(kWriters * kCommits));
  for (int w = 0; w < kWriters; ++w) {
    EXPECT_TRUE(version->properties.contains("weir.progress.p" + std::to_string(w)));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, AnyCatalogTest, testing::Bool(),
                         [](const auto& kind) { return kind.param ? "Sql" : "Folder"; });

TEST(NewTableTest, IdsAndDefaultsAreThoseOfJava) {
  TestTable lake;
  const MetadataPtr metadata = lake.Current();
  EXPECT_EQ(metadata->format_version, 2);
  EXPECT_EQ(metadata->schema.fields[2].id, 3);
  EXPECT_EQ(metadata->FindSpec(0)->fields[0].field_id, 1000);
  EXPECT_EQ(FindLong(*metadata->document, "last-partition-id"), 1000);
  EXPECT_EQ(FindLong(*metadata->document, "last-column-id"), 3);
  EXPECT_EQ(metadata->properties.at("write.parquet.compression-codec"), "zstd");
  EXPECT_EQ(metadata->properties.at("write.metadata.delete-after-commit.enabled"), "true");
}

TEST(NewTableTest, RefusesWhatOthersCouldNotRead) {
  TestTable lake;
  const auto create = [&](const std::function<void(connect::TableDefinition&)>& change) {
    connect::TableDefinition definition = TestTable::Definition();
    definition.name.name = "other";
    change(definition);
    return lake.catalog().Create(definition);
  };
  EXPECT_FALSE(create([](auto& d) { d.schema.fields[0].name = "_file"; }).ok());
  EXPECT_FALSE(create([](auto& d) { d.schema.fields[0].name = "price"; }).ok());
  EXPECT_FALSE(create([](auto& d) { d.schema.fields[0].name = ""; }).ok());
  EXPECT_FALSE(create([](auto& d) { d.partition_sources[0] = "nothing"; }).ok());
  EXPECT_FALSE(create([](auto& d) { d.partition_sources[0] = "event_id"; }).ok());
  EXPECT_FALSE(create([](auto& d) { d.partition_by[0].name = "price"; }).ok());
  EXPECT_FALSE(create([](auto& d) { d.sort_by = {"nothing"}; }).ok());
  EXPECT_FALSE(create([](auto& d) { d.properties["format-version"] = "3"; }).ok());
  EXPECT_TRUE(create([](auto& d) { d.properties["format-version"] = "2"; }).ok());
}

TEST(NewTableTest, OddColumnNamesAreFine) {
  TestTable lake;
  connect::TableDefinition definition = TestTable::Definition();
  definition.name.name = "odd";
  for (const char* name : {"a.b", "two words", "1st", "select", "价格"}) {
    definition.schema.fields.push_back(
        {.name = name, .type = Type::Of(TypeKind::kString), .doc = {}});
  }
  definition.partition_by.push_back({.name = "😎", .transform = connect::Transform::kIdentity});
  definition.partition_sources.emplace_back("two words");
  Must(lake.catalog().Create(definition));
  const auto table = Must(lake.catalog().Open(definition.name, "shop"));
  connect::DataFile file = TestTable::File("a");
  file.partition.push_back({.number = {}, .text = "a b/c:d%e+f=é"});
  ASSERT_EQ(Must(table->Commit(*Must(table->Load()), TestTable::CommitOf({file}, 1))),
            CommitOutcome::kCommitted);
  const auto files = Must(table->LiveFiles(*Must(table->Load())));
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].partition, file.partition);
}

}  // namespace
}  // namespace weir::iceberg
