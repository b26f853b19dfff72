#pragma once
// OpenTable: one table of a running pipeline: its spec, its handle in the catalog, the binding of
// its columns, and the store that its files go to. Owned by the pipeline; used by one thread at a
// time.

#include <functional>
#include <memory>
#include <string>

#include "config/pipeline_spec.h"
#include "connect/column_file.h"
#include "connect/table.h"
#include "io/store.h"
#include "record/type.h"

namespace weir::engine {

struct OpenTable {
  config::TableSpec spec;
  std::string name;  // "retail.events"
  std::unique_ptr<connect::Table> table;
  std::shared_ptr<const connect::TableVersion> at_start;  // as it was when the pipeline started
  Schema file_schema;                                     // produced columns with the table's ids
  std::unique_ptr<io::Store> store;                       // rooted at the table's location
};

/// Opens a store on a table location ("/lake/retail/events" or a file: URI).
using StoreOpener = std::function<Result<std::unique_ptr<io::Store>>(const std::string& location)>;

/// What becomes of a table that is not there.
enum class MissingTable {
  kAsConfigured,  // made where its spec says `create: if_missing`
  kIsAnError,     // for those who only look
};

/// Opens every table of the pipeline and binds their columns; in apply order: bronze, quarantine,
/// valid. Tables follow what the contract gained since `written_with`, the one that they were
/// written with last (table_evolution.h); nullptr: they stay as they are. kNotFound WEIR0401,
/// kInvalidInput WEIR0402, catalog errors.
Result<std::vector<OpenTable>> OpenTables(const config::PipelineSpec& spec,
                                          connect::Catalog& catalog, const StoreOpener& open_store,
                                          MissingTable missing,
                                          const Contract* written_with = nullptr);

}  // namespace weir::engine
