#pragma once
// Reads `lake.catalog`: which kind of catalog, where, and with which credentials.

#include "config/pipeline_spec.h"
#include "config/section.h"

namespace weir::config {

/// Fills the catalog's part of `lake`, whose warehouse is read already. Reports what is wrong.
void ReadCatalog(Section& lake_section, LakeSpec& lake);

}  // namespace weir::config
