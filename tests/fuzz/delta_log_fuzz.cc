// Any text as a commit of a Delta log, by us or by anybody: what is accepted must be safe to add
// up, to judge and to write again.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "delta/action_json.h"
#include "delta/layout.h"
#include "delta/log_name.h"
#include "delta/partition_value.h"
#include "delta/progress.h"
#include "delta/protocol_check.h"
#include "delta/stats.h"
#include "delta/table_state.h"

namespace {

void AskAll(const weir::delta::TableState& state) {
  using namespace weir::delta;
  const auto layout = LayoutOf(*state.metadata());
  if (!layout) return;
  (void)CheckWritable(state.protocol(), *state.metadata(), **layout).ok();
  for (const auto& [path, file] : state.files()) {
    const auto tuple = (*layout)->TupleOf(file.partition_values);
    WEIR_CHECK(tuple.size() == (*layout)->partitions.size());
    // A value that was understood means the same when we write it.
    for (std::size_t i = 0; i < tuple.size(); ++i) {
      const PartitionColumn& column = (*layout)->partitions[i];
      if (!tuple[i].number || WhyNotWritable(column)) continue;
      WEIR_CHECK(ValueOfText(column, TextOfValue(column, tuple[i])) == tuple[i]);
    }
    (void)EncodePath(DecodePath(path));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weir::delta;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)ParseLogName(text);
  (void)ParseInterval(text);
  auto commit = ParseCommit(text, "0.json");
  if (!commit) return 0;
  const auto again = ParseCommit(CommitToText(*commit), "0.json");
  WEIR_CHECK(again.has_value() && again->adds.size() == commit->adds.size());
  WEIR_CHECK(again->removes.size() == commit->removes.size());
  ProgressTracker tracker("shop");
  tracker.StartBehind(0);
  tracker.Observe(1, *commit);
  TableState state;
  if (!state.Apply(0, *std::move(commit)) || !state.metadata()) return 0;
  WEIR_CHECK(tracker.ProgressOf(state.transactions()).has_value() ==
             tracker.HasOwn(state.transactions()));
  AskAll(state);
  return 0;
}
