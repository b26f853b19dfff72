#pragma once
// RenamedCatalog: a catalog in which some tables go by other names, so that a replay can write
// tables beside the live ones while everything that it keeps of them has the live names.

#include <functional>
#include <string>

#include "connect/table.h"

namespace weir::engine {

class RenamedCatalog final : public connect::Catalog {
 public:
  /// catalog: must outlive it. rename: "silver.events" -> the name in the catalog.
  RenamedCatalog(connect::Catalog& catalog, std::function<std::string(const std::string&)> rename)
      : catalog_(catalog), rename_(std::move(rename)) {}

  Result<std::unique_ptr<connect::Table>> Open(const connect::TableName& name,
                                               std::string pipeline) override;
  Status Create(const connect::TableDefinition& definition) override;
  Result<std::vector<connect::TableName>> List() override { return catalog_.List(); }
  Status Check() override { return catalog_.Check(); }
  std::string Describe() const override { return catalog_.Describe(); }

 private:
  connect::Catalog& catalog_;
  std::function<std::string(const std::string&)> rename_;
};

}  // namespace weir::engine
