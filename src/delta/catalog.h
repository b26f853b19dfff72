#pragma once
// The catalog of Delta tables is the folder of the lake: table "retail.events" lies in
// retail/events, and its log is all that there is to know of it.

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "connect/table.h"
#include "io/store.h"

namespace weir::delta {

/// `location`: what the store is rooted at, as engines spell it ("file:///lake"). The clock must
/// outlive the catalog.
std::unique_ptr<connect::Catalog> NewCatalog(std::shared_ptr<io::Store> store, std::string location,
                                             Clock& clock);

/// A folder of this machine, made when missing. Errors: those of the store.
Result<std::unique_ptr<connect::Catalog>> OpenFolderCatalog(const std::string& warehouse,
                                                            Clock& clock);

}  // namespace weir::delta
