#pragma once
// Wiring: a spec becomes the parts that it names: source, catalog, stores. The only place that
// knows which adapter stands behind which word of the pipeline file.

#include <memory>
#include <string>

#include "config/pipeline_spec.h"
#include "connect/log_source.h"
#include "connect/table.h"
#include "engine/open_table.h"
#include "io/location.h"
#include "io/store.h"

namespace weir::app {

/// Opens no connection that could block for long. Errors: those of the adapters.
Result<std::unique_ptr<connect::LogSource>> OpenSource(const config::PipelineSpec& spec);
Result<std::unique_ptr<connect::Catalog>> OpenCatalog(const config::PipelineSpec& spec);
/// The state's store; a folder is created when missing and readable by us alone.
Result<std::unique_ptr<io::Store>> OpenState(const config::PipelineSpec& spec);

/// The catalog of a pipeline that is about to run: made when missing, but not where the state knows
/// that tables were written: then it is away, and an empty one in its place would be in the way of
/// its return. kUnavailable WEIR0404.
Result<std::unique_ptr<connect::Catalog>> OpenCatalogToRun(const config::PipelineSpec& spec,
                                                           io::Store& state);

/// For commands that only look: what is not there is empty and stays so.
Result<std::unique_ptr<connect::Catalog>> OpenCatalogToRead(const config::PipelineSpec& spec);
Result<std::unique_ptr<io::Store>> OpenStateToRead(const config::PipelineSpec& spec);

/// How the stores of a pipeline are reached: what its `s3` section says.
io::StoreOptions StoresOf(const config::PipelineSpec& spec);
/// Opens the store of a table by its location.
engine::StoreOpener TableStores(const config::PipelineSpec& spec);

/// For people: "topic shop of broker:9092", "topic shop of log /var/lib/weir/log".
std::string DescribeSource(const config::SourceSpec& source);

}  // namespace weir::app
