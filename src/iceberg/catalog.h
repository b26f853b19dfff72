#pragma once
// The catalogs of Iceberg tables: a SQL catalog that Java and PyIceberg open too, a folder that is
// its own catalog, and a server that speaks the REST protocol. The first two keep tables at
// <warehouse>/<namespace>/<name> unless a table's metadata says otherwise. A catalog may be used
// from several threads, each of its tables from one.

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "connect/table.h"
#include "db/postgres_connection.h"
#include "iceberg/files.h"
#include "iceberg/pointers.h"
#include "iceberg/rest_options.h"

namespace weir::iceberg {

/// `name`: the catalog_name that all engines use. `warehouse`: a location; a folder is
/// created when missing, as is the database. Errors: kUnavailable WEIR0404, kRefused WEIR0502.
Result<std::unique_ptr<connect::Catalog>> OpenSqlCatalog(const std::string& name,
                                                         const std::string& database,
                                                         const std::string& warehouse,
                                                         const io::StoreOptions& stores,
                                                         Clock& clock);

/// The same on a PostgreSQL server.
Result<std::unique_ptr<connect::Catalog>> OpenPostgresCatalog(const std::string& name,
                                                              const db::PostgresOptions& database,
                                                              const std::string& warehouse,
                                                              const io::StoreOptions& stores,
                                                              Clock& clock);

/// A REST catalog. Nothing is asked of the server yet.
std::unique_ptr<connect::Catalog> OpenRestCatalog(const RestOptions& options,
                                                  const io::StoreOptions& stores, Clock& clock);

/// Errors: kRefused WEIR0502.
Result<std::unique_ptr<connect::Catalog>> OpenFolderCatalog(const std::string& warehouse,
                                                            const io::StoreOptions& stores,
                                                            Clock& clock);

/// A folder catalog over any store: memory, or a faulty one in tests.
std::unique_ptr<connect::Catalog> NewStoreCatalog(Warehouse warehouse, Clock& clock);

/// A catalog over any pointers.
std::unique_ptr<connect::Catalog> NewCatalog(std::shared_ptr<Pointers> pointers,
                                             Warehouse warehouse, Clock& clock);

}  // namespace weir::iceberg
