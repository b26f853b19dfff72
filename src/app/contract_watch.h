#pragma once
// ContractWatch: notices that the contract of a running pipeline changed, judges the change, and
// brings the tables to it, so that the pipeline can go on with it at the next epoch border.
//
// Every two seconds it looks at the times and sizes of the pipeline file and the contract file, and
// reads them once they stood still for two looks. What cannot be taken up is told once, with what
// would do it; the pipeline then goes on as before. Nothing here decides anything about records:
// the border is the start of the claim that follows. One thread.

#include <optional>
#include <string>

#include "base/clock.h"
#include "config/environment.h"
#include "config/pipeline_spec.h"
#include "connect/table.h"

namespace weir::app {

class ContractWatch {
 public:
  /// The references must outlive it.
  ContractWatch(config::PipelineSpec spec, const config::Environment& environment, Clock& clock,
                connect::Catalog& catalog);

  /// Whether a new contract waits, and its tables are ready for it. at_once: somebody asked.
  bool Look(bool at_once);
  /// The spec with the contract that waits, which is the current one from here on.
  config::PipelineSpec Take();

 private:
  std::string Signature() const;
  void ReadAgain(const std::string& signature, bool asked);
  std::optional<config::PipelineSpec> Load(bool asked) const;

  config::PipelineSpec current_;
  const config::Environment& environment_;
  Clock& clock_;
  connect::Catalog& catalog_;
  Micros looked_at_;
  std::string read_;  // signature of what was read last
  std::string seen_;  // signature of the last look
  std::optional<config::PipelineSpec> waits_;
};

}  // namespace weir::app
