#pragma once
// The catalog of Delta tables is the folder of the lake: table "retail.events" lies in
// retail/events, and its log is all that there is to know of it.

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "connect/table.h"
#include "io/location.h"
#include "io/store.h"

namespace weir::delta {

/// `location`: what the store is rooted at, as engines spell it ("file:///lake"). The clock must
/// outlive the catalog.
std::unique_ptr<connect::Catalog> NewCatalog(std::shared_ptr<io::Store> store, std::string location,
                                             Clock& clock);

/// The lake at a location: a folder, made when missing, or a place in an object store. Errors:
/// those of io::OpenLocation.
Result<std::unique_ptr<connect::Catalog>> OpenCatalog(const std::string& warehouse,
                                                      const io::StoreOptions& options,
                                                      Clock& clock);

}  // namespace weir::delta
