#pragma once
// AbsentCatalog: stands where a catalog would be, for commands that only look: it holds no table
// and says which catalog is not there.

#include <string>

#include "connect/table.h"

namespace weir::app {

class AbsentCatalog final : public connect::Catalog {
 public:
  /// path: where the catalog would be.
  explicit AbsentCatalog(std::string path) : path_(std::move(path)) {}

  /// kNotFound WEIR0401.
  Result<std::unique_ptr<connect::Table>> Open(const connect::TableName& name,
                                               std::string pipeline) override;
  /// kUnsupported: it cannot hold anything.
  Status Create(const connect::TableDefinition& definition) override;
  Result<std::vector<connect::TableName>> List() override;
  Status Check() override;
  std::string Describe() const override;

 private:
  std::string path_;
};

}  // namespace weir::app
