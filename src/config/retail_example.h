#pragma once
// The retail example as texts inside the program, for `weir demo`: the contract, and the pipeline
// that needs no Kafka. The same texts as in examples/retail, which a test checks.

#include <string_view>

namespace weir::config {

/// File names that the texts refer to each other by.
inline constexpr std::string_view kRetailContractFile = "retail_event.yaml";
inline constexpr std::string_view kRetailPipelineFile = "retail-spool.yaml";

/// examples/retail/retail_event.yaml
std::string_view RetailContractText();
/// examples/retail/retail-spool.yaml: log, state and lake are folders beside the file.
std::string_view RetailPipelineText();

}  // namespace weir::config
