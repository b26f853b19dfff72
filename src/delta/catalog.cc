#include "delta/catalog.h"

#include <set>

#include <fmt/format.h>

#include "connect/table_folder.h"
#include "delta/action_json.h"
#include "delta/log_name.h"
#include "delta/log_reader.h"
#include "delta/new_table.h"
#include "delta/table.h"

namespace weir::delta {
namespace {

// Readers pass over folders that begin so: they are the log's, and those of other tools.
constexpr std::string_view kReserved = "_";

class DeltaCatalog final : public connect::Catalog {
 public:
  DeltaCatalog(std::shared_ptr<io::Store> store, std::string location, Clock& clock)
      : store_(std::move(store)), location_(std::move(location)), clock_(clock) {}

  Result<std::unique_ptr<connect::Table>> Open(const connect::TableName& name,
                                               std::string pipeline) override {
    WEIR_TRY(connect::CheckTableFolder(name, kReserved));
    return std::unique_ptr<connect::Table>(std::make_unique<DeltaTable>(
        name, std::move(pipeline),
        TablePlace{.store = store_, .folder = connect::TableFolder(name), .location = location_},
        clock_));
  }

  Status Create(const connect::TableDefinition& definition) override {
    Status created = TryCreate(definition);
    if (created.ok()) return created;
    return WithContext(std::move(created).error(), "table " + ToString(definition.name));
  }

  Result<std::vector<connect::TableName>> List() override {
    WEIR_ASSIGN_OR_RETURN(const auto objects, store_->List(""));
    std::set<connect::TableName> names;
    const std::string log = "/" + std::string(kLogFolder) + "/";
    for (const io::ObjectInfo& object : objects) {
      const std::size_t at = object.key.rfind(log);
      if (at == std::string::npos || !ParseLogName(object.key.substr(at + log.size()))) continue;
      auto name = connect::TableInFolder(std::string_view(object.key).substr(0, at));
      if (name) names.insert(*std::move(name));
    }
    return std::vector<connect::TableName>(names.begin(), names.end());
  }

  Status Check() override { return io::ProbePutIfAbsent(*store_); }

  std::string Describe() const override { return store_->Describe(); }

 private:
  Status TryCreate(const connect::TableDefinition& definition) {
    WEIR_TRY(connect::CheckTableFolder(definition.name, kReserved));
    LogReader reader(*store_, connect::TableFolder(definition.name));
    WEIR_ASSIGN_OR_RETURN(const LogListing listing, reader.List());
    if (!listing.empty()) return Conflict("it exists already");
    WEIR_ASSIGN_OR_RETURN(const LogCommit commit,
                          NewTable(definition, clock_.Now() / kMicrosPerMilli));
    WEIR_ASSIGN_OR_RETURN(const io::PutOutcome put,
                          store_->PutIfAbsent(reader.KeyOf(CommitName(0)), CommitToText(commit)));
    return put == io::PutOutcome::kStored ? Ok() : Status(Conflict("it exists already"));
  }

  std::shared_ptr<io::Store> store_;
  std::string location_;
  Clock& clock_;
};

}  // namespace

std::unique_ptr<connect::Catalog> NewCatalog(std::shared_ptr<io::Store> store, std::string location,
                                             Clock& clock) {
  return std::make_unique<DeltaCatalog>(std::move(store), std::move(location), clock);
}

Result<std::unique_ptr<connect::Catalog>> OpenCatalog(const std::string& warehouse,
                                                      const io::StoreOptions& options,
                                                      Clock& clock) {
  WEIR_ASSIGN_OR_RETURN(std::shared_ptr<io::Store> store,
                        io::OpenLocation(warehouse, options, io::FolderAccess::kShared));
  return NewCatalog(std::move(store), io::WrittenLocation(warehouse), clock);
}

}  // namespace weir::delta
