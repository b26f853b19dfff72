#include "app/absent_catalog.h"

namespace weir::app {

Result<std::unique_ptr<connect::Table>> AbsentCatalog::Open(const connect::TableName& name,
                                                            std::string) {
  return NotFound("table " + ToString(name) + " does not exist: there is no catalog at " + path_,
                  ErrorCode::kTableMissing);
}

Status AbsentCatalog::Create(const connect::TableDefinition&) {
  return Unsupported("there is no catalog at " + path_);
}

Result<std::vector<connect::TableName>> AbsentCatalog::List() {
  return std::vector<connect::TableName>();
}

Status AbsentCatalog::Check() { return Ok(); }

std::string AbsentCatalog::Describe() const { return path_ + " (not there yet)"; }

}  // namespace weir::app
