#include "engine/renamed_catalog.h"

namespace weir::engine {

Result<std::unique_ptr<connect::Table>> RenamedCatalog::Open(const connect::TableName& name,
                                                             std::string pipeline) {
  WEIR_ASSIGN_OR_RETURN(const auto there,
                        connect::ParseTableName(rename_(connect::ToString(name))));
  return catalog_.Open(there, std::move(pipeline));
}

Status RenamedCatalog::Create(const connect::TableDefinition& definition) {
  connect::TableDefinition there = definition;
  WEIR_ASSIGN_OR_RETURN(there.name,
                        connect::ParseTableName(rename_(connect::ToString(definition.name))));
  return catalog_.Create(there);
}

}  // namespace weir::engine
