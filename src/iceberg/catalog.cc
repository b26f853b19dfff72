#include "iceberg/catalog.h"

#include <fmt/format.h>

#include "connect/table_folder.h"
#include "db/postgres_session.h"
#include "db/sqlite_session.h"
#include "iceberg/folder_pointers.h"
#include "iceberg/joint_commit.h"
#include "iceberg/new_table.h"
#include "iceberg/rest_pointers.h"
#include "iceberg/sql_pointers.h"
#include "iceberg/table.h"

namespace weir::iceberg {
namespace {

class IcebergCatalog final : public connect::Catalog {
 public:
  IcebergCatalog(std::shared_ptr<Pointers> pointers, Warehouse warehouse, Clock& clock)
      : pointers_(std::move(pointers)),
        group_(std::make_shared<JointCommit>(pointers_)),
        warehouse_(std::move(warehouse)),
        clock_(clock) {}

  Result<std::unique_ptr<connect::Table>> Open(const connect::TableName& name,
                                               std::string pipeline) override {
    WEIR_TRY(connect::CheckTableFolder(name));
    return std::unique_ptr<connect::Table>(std::make_unique<IcebergTable>(
        name, std::move(pipeline), pointers_, group_, warehouse_, clock_));
  }

  Status Create(const connect::TableDefinition& definition) override {
    Status created = TryCreate(definition);
    if (created.ok()) return created;
    return WithContext(std::move(created).error(), "table " + ToString(definition.name));
  }

  Status Rename(const std::vector<connect::TableRename>& renames) override {
    for (const connect::TableRename& rename : renames)
      WEIR_TRY(connect::CheckTableFolder(rename.to));
    return pointers_->Rename(renames);
  }

  Result<std::vector<connect::TableName>> List() override { return pointers_->List(); }

  Status Check() override {
    WEIR_TRY(pointers_->Check());
    return warehouse_.store == nullptr ? Ok() : io::ProbePutIfAbsent(*warehouse_.store);
  }

  std::string Describe() const override { return pointers_->Describe(); }

 private:
  Status TryCreate(const connect::TableDefinition& definition) {
    WEIR_TRY(connect::CheckTableFolder(definition.name));
    const auto current = pointers_->Current(definition.name);
    if (current) return Conflict("it exists already");
    if (current.error().kind != ErrorKind::kNotFound) return current.error();
    const MetadataWriter writer = pointers_->metadata_writer();
    const std::string location = warehouse_.location + "/" + connect::TableFolder(definition.name);
    const Attempt attempt = NewAttempt(writer == MetadataWriter::kSwap ? 1 : 0);
    WEIR_ASSIGN_OR_RETURN(const std::string text,
                          NewTableMetadata(definition, location, clock_.Now() / kMicrosPerMilli));
    const auto folder = definition.properties.find("write.metadata.path");
    const bool elsewhere = folder != definition.properties.end() && writer != MetadataWriter::kSwap;
    const std::string file =
        pointers_->NextLocation(elsewhere ? folder->second : location + "/metadata", attempt);
    Files files(warehouse_);
    const NewFile metadata{.location = file, .bytes = text, .read_again = false};
    if (writer == MetadataWriter::kTable) WEIR_TRY(files.PutNew({&metadata, 1}));
    Status inserted = pointers_->Insert(definition.name, file, text);
    // Known to have failed: the file is nobody's. After an unknown outcome it stays.
    if (!inserted && inserted.error().kind != ErrorKind::kCommitUnknown &&
        writer == MetadataWriter::kTable) {
      const Status deleted = files.Delete(file);
      if (!deleted) return WithContext(std::move(inserted).error(), deleted.error().message);
    }
    return inserted;
  }

  std::shared_ptr<Pointers> pointers_;
  std::shared_ptr<JointCommit> group_;
  Warehouse warehouse_;
  Clock& clock_;
};

}  // namespace

Status Pointers::Rename(const std::vector<connect::TableRename>&) {
  return WithRemedy(
      Unsupported("in " + Describe() + " a table's name is its folder, so it keeps its name",
                  ErrorCode::kTableUnsupported),
      "use a SQL catalog (`lake.catalog.sql`)");
}

Result<std::unique_ptr<connect::Catalog>> OpenSqlCatalog(const std::string& name,
                                                         const std::string& database,
                                                         const std::string& warehouse,
                                                         const io::StoreOptions& stores,
                                                         Clock& clock) {
  WEIR_ASSIGN_OR_RETURN(Warehouse opened, OpenWarehouse(warehouse, stores));
  WEIR_ASSIGN_OR_RETURN(auto pointers, SqlPointers::Open(db::SqliteSession::Open(database), name));
  return NewCatalog(std::move(pointers), std::move(opened), clock);
}

Result<std::unique_ptr<connect::Catalog>> OpenPostgresCatalog(const std::string& name,
                                                              const db::PostgresOptions& database,
                                                              const std::string& warehouse,
                                                              const io::StoreOptions& stores,
                                                              Clock& clock) {
  WEIR_ASSIGN_OR_RETURN(Warehouse opened, OpenWarehouse(warehouse, stores));
  WEIR_ASSIGN_OR_RETURN(auto pointers,
                        SqlPointers::Open(db::PostgresSession::Open(database), name));
  return NewCatalog(std::move(pointers), std::move(opened), clock);
}

std::unique_ptr<connect::Catalog> OpenRestCatalog(const RestOptions& options,
                                                  const io::StoreOptions& stores, Clock& clock) {
  auto client = std::make_shared<RestClient>(options, nullptr, clock);
  std::unique_ptr<VendedCredentials> vended;
  if (options.vended_credentials && stores.granted != nullptr) {
    vended = std::make_unique<VendedCredentials>(client, stores.granted, clock);
  }
  // Where tables are is the server's to say, so there is no root that all of them lie below.
  Warehouse nowhere{.store = nullptr, .location = {}, .parallel = true, .stores = stores};
  return NewCatalog(std::make_shared<RestPointers>(std::move(client), std::move(vended)),
                    std::move(nowhere), clock);
}

Result<std::unique_ptr<connect::Catalog>> OpenFolderCatalog(const std::string& warehouse,
                                                            const io::StoreOptions& stores,
                                                            Clock& clock) {
  WEIR_ASSIGN_OR_RETURN(Warehouse opened, OpenWarehouse(warehouse, stores));
  return NewStoreCatalog(std::move(opened), clock);
}

std::unique_ptr<connect::Catalog> NewStoreCatalog(Warehouse warehouse, Clock& clock) {
  auto pointers = std::make_shared<FolderPointers>(warehouse);
  return NewCatalog(std::move(pointers), std::move(warehouse), clock);
}

std::unique_ptr<connect::Catalog> NewCatalog(std::shared_ptr<Pointers> pointers,
                                             Warehouse warehouse, Clock& clock) {
  return std::make_unique<IcebergCatalog>(std::move(pointers), std::move(warehouse), clock);
}

}  // namespace weir::iceberg
