#include "engine/twin_catalog.h"

#include "connect/table_folder.h"
#include "engine/twin_table.h"

namespace weir::engine {
namespace {

// Beside the rows and hidden from engines that look for files of one format: they pass over names
// that begin with an underscore.
constexpr const char* kMetadataFolder = "/_iceberg/metadata";

class TwinCatalog final : public connect::Catalog {
 public:
  TwinCatalog(std::unique_ptr<connect::Catalog> leading,
              std::unique_ptr<connect::Catalog> following, TwinProperties properties)
      : leading_(std::move(leading)),
        following_(std::move(following)),
        properties_(std::move(properties)) {}

  Result<std::unique_ptr<connect::Table>> Open(const connect::TableName& name,
                                               std::string pipeline) override {
    WEIR_ASSIGN_OR_RETURN(auto leading, leading_->Open(name, pipeline));
    WEIR_ASSIGN_OR_RETURN(auto following, following_->Open(name, pipeline));
    return std::unique_ptr<connect::Table>(
        std::make_unique<TwinTable>(std::move(leading), std::move(following)));
  }

  // Either side may be there already: from a creation that was cut short.
  Status Create(const connect::TableDefinition& definition) override {
    connect::TableDefinition leading = definition;
    if (!properties_.metadata_root.empty()) {
      leading.properties["write.metadata.path"] =
          properties_.metadata_root + "/" + connect::TableFolder(definition.name) + kMetadataFolder;
    }
    Status made = leading_->Create(leading);
    const bool was_there = !made && made.error().kind == ErrorKind::kConflict;
    if (!made && !was_there) return made;
    if (was_there) WEIR_TRY(CheckEmpty(definition.name));
    connect::TableDefinition following = definition;
    for (const auto& [key, value] : properties_.following) following.properties[key] = value;
    Status second = following_->Create(following);
    if (second || second.error().kind != ErrorKind::kConflict) return second;
    return was_there ? second : Ok();
  }

  Result<std::vector<connect::TableName>> List() override { return leading_->List(); }

  Status Check() override {
    WEIR_TRY(leading_->Check());
    return following_->Check();
  }

  std::string Describe() const override { return leading_->Describe(); }

 private:
  // Rows that one side has and the other lacks would never be in it.
  Status CheckEmpty(const connect::TableName& name) {
    WEIR_ASSIGN_OR_RETURN(const auto following, following_->Open(name, ""));
    if (following->Load()) return Ok();
    WEIR_ASSIGN_OR_RETURN(const auto table, leading_->Open(name, ""));
    WEIR_ASSIGN_OR_RETURN(const auto version, table->Load());
    if (!version->snapshot_id) return Ok();
    return WithRemedy(Refused("table " + ToString(name) +
                                  " has rows in one format and is not there "
                                  "in the other",
                              ErrorCode::kTableMismatch),
                      "start with a new table, or with the format that it has");
  }

  std::unique_ptr<connect::Catalog> leading_;
  std::unique_ptr<connect::Catalog> following_;
  TwinProperties properties_;
};

}  // namespace

std::unique_ptr<connect::Catalog> NewTwinCatalog(std::unique_ptr<connect::Catalog> leading,
                                                 std::unique_ptr<connect::Catalog> following,
                                                 TwinProperties properties) {
  return std::make_unique<TwinCatalog>(std::move(leading), std::move(following),
                                       std::move(properties));
}

}  // namespace weir::engine
