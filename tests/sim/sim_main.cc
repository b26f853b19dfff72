// Runs simulated histories and tells what they went through.
//
//   weir_sim COUNT [FIRST_SEED]     COUNT histories; prints the seed of each that fails
//   weir_sim --seed N               one history, told in detail
//   weir_sim --bug NAME|all COUNT   (built with seeded bugs) each bug must be found within COUNT
//
// Fails also when a fault or a protocol step fired fewer than 50 times in 10,000 histories, and in
// that measure in fewer of them, or when the histories were too tame: a simulation that never gets
// there shows nothing.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/log.h"
#include "base/seeded_bug.h"
#include "sim/history.h"

namespace {

using weir::sim::Fault;
using weir::sim::Faults;
using weir::sim::HistoryResult;

constexpr std::int64_t kLeastPerThousand = 5;  // histories
volatile std::uint64_t current_seed = 0;

void TellSeed(int) {
  std::fprintf(stderr, "aborted in seed %llu\n", static_cast<unsigned long long>(current_seed));
  std::_Exit(1);
}

HistoryResult RunSeed(std::uint64_t seed, Faults& faults, bool verbose = false) {
  current_seed = seed;
  return weir::sim::RunHistory(seed, faults, verbose);
}

bool Tell(const char* name, std::int64_t times, std::uint64_t histories) {
  const bool enough = times * 1000 >= kLeastPerThousand * static_cast<std::int64_t>(histories);
  std::printf("%10lld  %s%s\n", static_cast<long long>(times), name, enough ? "" : "   TOO FEW");
  return enough;
}

// Steps that the simulation does not go through, because tables are simulated here.
bool IsSimulatedAway(std::string_view point) {
  return point.starts_with("apply.manifests") || point.starts_with("apply.metadata") ||
         point.starts_with("apply.swap") || point.starts_with("expire_files");
}

int RunMany(std::uint64_t count, std::uint64_t first) {
  Faults faults;
  std::uint64_t failed = 0;
  std::int64_t epochs = 0;
  std::uint64_t tame = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const HistoryResult result = RunSeed(seed, faults);
    epochs += result.epochs;
    if (result.epochs < 5 || result.faults < 3) ++tame;
    if (result.violation.empty()) continue;
    if (++failed <= 10)
      std::printf("seed %llu: %s   (again: weir_sim --seed %llu)\n",
                  static_cast<unsigned long long>(seed), result.violation.c_str(),
                  static_cast<unsigned long long>(seed));
  }
  bool enough = true;
  std::printf("faults:\n");
  for (std::size_t i = 0; i < faults.fired.size(); ++i)
    enough &= Tell(weir::sim::ToString(static_cast<Fault>(i)).data(), faults.fired[i], count);
  std::printf("protocol steps:\n");
  for (std::size_t i = 0; i < weir::FailPointNames().size(); ++i)
    if (!IsSimulatedAway(weir::FailPointNames()[i]))
      enough &= Tell(weir::FailPointNames()[i].data(), faults.points[i], count);
  std::printf("%llu histories, %lld epochs, %llu with fewer than 5 epochs or 3 faults\n",
              static_cast<unsigned long long>(count), static_cast<long long>(epochs),
              static_cast<unsigned long long>(tame));
  std::printf("%llu passed, %llu failed\n", static_cast<unsigned long long>(count - failed),
              static_cast<unsigned long long>(failed));
  return failed == 0 && tame == 0 && (enough || count < 1000) ? 0 : 1;
}

#ifdef WEIR_SEEDED_BUGS
constexpr const char* kBugNames[] = {"none",
                                     "trust_unknown_commit",
                                     "skip_reload",
                                     "delete_on_unknown",
                                     "claim_without_apply",
                                     "no_seal",
                                     "scalar_progress",
                                     "sweep_alive",
                                     "collect_newest",
                                     "tables_before_record",
                                     "ignore_theirs",
                                     "skip_rollback_check"};

int FindBugs(const std::string& which, std::uint64_t count) {
  int found = 0;
  int missed = 0;
  for (int bug = 1; bug < static_cast<int>(weir::SeededBug::kCount); ++bug) {
    if (which != "all" && which != kBugNames[bug]) continue;
    weir::active_seeded_bug = static_cast<weir::SeededBug>(bug);
    std::uint64_t seed = 1;
    std::string violation;
    for (; seed <= count && violation.empty(); ++seed) {
      Faults faults;
      violation = RunSeed(seed, faults).violation;
    }
    std::printf("%-22s %s\n", kBugNames[bug],
                violation.empty()
                    ? "NOT FOUND"
                    : ("found by seed " + std::to_string(seed - 1) + ": " + violation).c_str());
    violation.empty() ? ++missed : ++found;
  }
  std::printf("%d passed, %d failed\n", found, missed);
  return missed == 0 ? 0 : 1;
}
#endif

}  // namespace

int main(int argc, char** argv) {
  weir::log::Configure(weir::log::Level::kError, weir::log::Format::kText);
  std::signal(SIGABRT, TellSeed);
  if (argc == 3 && std::strcmp(argv[1], "--seed") == 0) {
    Faults faults;
    const auto result = RunSeed(std::strtoull(argv[2], nullptr, 10), faults, true);
    std::printf("%s\n", result.violation.empty() ? "ok" : result.violation.c_str());
    return result.violation.empty() ? 0 : 1;
  }
#ifdef WEIR_SEEDED_BUGS
  if (argc == 4 && std::strcmp(argv[1], "--bug") == 0)
    return FindBugs(argv[2], std::strtoull(argv[3], nullptr, 10));
#endif
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  return RunMany(count, first);
}
