#include "delta/catalog.h"

#include <set>

#include <fmt/format.h>

#include "delta/action_json.h"
#include "delta/log_name.h"
#include "delta/log_reader.h"
#include "delta/new_table.h"
#include "delta/table.h"

namespace weir::delta {
namespace {

// Parts of a name become folders.
Status CheckName(const connect::TableName& name) {
  std::vector<std::string> parts = name.levels;
  parts.push_back(name.name);
  for (const std::string& part : parts) {
    const bool odd = part.empty() || part == "." || part == ".." || part.starts_with(".weir-") ||
                     part.starts_with('_') || part.find_first_of("/\\#?%\n") != std::string::npos ||
                     part.size() > 200;
    if (odd) {
      return InvalidInput(
          fmt::format("\"{}\" cannot be a folder of a lake, so no part of a table's name", part));
    }
  }
  return name.levels.empty() ? Status(InvalidInput("a table needs a namespace")) : Ok();
}

std::string FolderOf(const connect::TableName& name) {
  std::string folder;
  for (const std::string& level : name.levels) folder += level + "/";
  return folder + name.name;
}

class DeltaCatalog final : public connect::Catalog {
 public:
  DeltaCatalog(std::shared_ptr<io::Store> store, std::string location, Clock& clock)
      : store_(std::move(store)), location_(std::move(location)), clock_(clock) {}

  Result<std::unique_ptr<connect::Table>> Open(const connect::TableName& name,
                                               std::string pipeline) override {
    WEIR_TRY(CheckName(name));
    return std::unique_ptr<connect::Table>(std::make_unique<DeltaTable>(
        name, std::move(pipeline),
        TablePlace{.store = store_, .folder = FolderOf(name), .location = location_}, clock_));
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
      std::string dotted = object.key.substr(0, at);
      for (char& c : dotted) c = c == '/' ? '.' : c;
      if (auto name = connect::ParseTableName(dotted)) names.insert(*std::move(name));
    }
    return std::vector<connect::TableName>(names.begin(), names.end());
  }

  Status Check() override { return io::ProbePutIfAbsent(*store_); }

  std::string Describe() const override { return store_->Describe(); }

 private:
  Status TryCreate(const connect::TableDefinition& definition) {
    WEIR_TRY(CheckName(definition.name));
    LogReader reader(*store_, FolderOf(definition.name));
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
