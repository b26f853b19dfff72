#pragma once
// Validator: which rows of a batch keep the contract's rules, and why the others do not.
//
// Each bad row gets its first error in a fixed order: the fields in the order of the contract, each
// by required, blank, allowed, min, max, pattern; then what its event type needs, in the order of
// the rule. A pure function of the batch; what it keeps between calls only saves work (verdicts on
// strings that a dictionary holds). One validator serves one thread. No errors.

#include <cstdint>
#include <memory>
#include <vector>

#include "record/batch.h"
#include "record/contract.h"
#include "record/rejection.h"

namespace weir::stream {

class Validator {
 public:
  /// A contract that passed Check(). Batches have the schema TableSchema(contract).
  explicit Validator(const Contract& contract);
  ~Validator();
  Validator(const Validator&) = delete;
  Validator& operator=(const Validator&) = delete;

  /// Appends the numbers of the good rows, ascending, and a Rejection for each bad one, whose
  /// `record` is that of the row.
  void Validate(const Batch& batch, std::vector<std::uint32_t>* good_rows,
                std::vector<Rejection>* rejected);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::stream
