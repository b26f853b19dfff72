#include "app/contract_watch.h"

#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "app/contract_text.h"
#include "base/log.h"
#include "config/contract_writer.h"
#include "config/echo.h"
#include "config/load.h"
#include "engine/table_evolution.h"
#include "record/contract_diff.h"

namespace weir::app {
namespace {

constexpr Micros kLookEvery = 2 * kMicrosPerSecond;

std::string SignatureOf(const std::string& path) {
  struct stat info {};
  if (path.empty() || stat(path.c_str(), &info) != 0) return "-";
  return fmt::format("{}.{}/{}/{}", info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size,
                     info.st_ino);
}

}  // namespace

ContractWatch::ContractWatch(config::PipelineSpec spec, const config::Environment& environment,
                             Clock& clock, connect::Catalog& catalog)
    : current_(std::move(spec)),
      environment_(environment),
      clock_(clock),
      catalog_(catalog),
      looked_at_(clock.Monotonic()),
      seen_(Signature()) {}

std::string ContractWatch::Signature() const {
  return SignatureOf(current_.file) + " " + SignatureOf(current_.contract_file);
}

bool ContractWatch::Look(bool at_once) {
  if (waits_) return true;
  const Micros now = clock_.Monotonic();
  if (!at_once && now - looked_at_ < kLookEvery) return false;
  looked_at_ = now;
  std::string signature = Signature();
  // A file that is still being written changes between two looks.
  const bool settled = signature == seen_;
  seen_ = signature;
  if (at_once || (settled && signature != read_)) ReadAgain(signature, at_once);
  return waits_.has_value();
}

config::PipelineSpec ContractWatch::Take() {
  current_ = std::move(*waits_);
  waits_.reset();
  return current_;
}

void ContractWatch::ReadAgain(const std::string& signature, bool asked) {
  read_ = signature;
  auto next = Load(asked);
  if (!next) return;
  const auto changes = DiffContracts(current_.contract, next->contract);
  if (!IsCompatible(changes)) {
    for (const ContractChange& change : changes) {
      if (change.compatible) continue;
      log::Warn("the contract cannot change like this: " + ChangeText(change),
                {{"plan", change.plan}});
    }
    log::Warn("the new contract is refused; going on with the old one");
    return;
  }
  for (const ContractChange& change : changes) log::Info("new contract: " + ChangeText(change));
  const Status ready = engine::EvolveTables(*next, current_.contract, catalog_);
  if (ready) {
    waits_ = std::move(next);
    return;
  }
  // What passes is tried again at the next look.
  const bool passes = ready.error().kind == ErrorKind::kUnavailable;
  if (passes) read_.clear();
  log::Warn(passes ? "the new contract waits for the tables; going on with the old one"
                   : "the new contract is refused by a table; going on with the old one",
            {{"because", ready.error().ToString()}, {"plan", ready.error().remedy}});
}

// nullopt: nothing new, or nothing that can be taken up.
std::optional<config::PipelineSpec> ContractWatch::Load(bool asked) const {
  config::LoadOutcome outcome = config::LoadPipeline(current_.file, environment_);
  if (!outcome.spec) {
    log::Warn("the changed pipeline or contract file is wrong; going on with the old contract",
              {{"because", outcome.diagnostics.ToStatus().error().message},
               {"plan", "`weir validate` tells all that is wrong with it"}});
    return std::nullopt;
  }
  config::PipelineSpec others = *outcome.spec;
  others.contract = current_.contract;
  const bool only_contract = config::Echo(others) == config::Echo(current_);
  const bool same =
      config::ContractHash(outcome.spec->contract) == config::ContractHash(current_.contract);
  if (!only_contract) {
    log::Warn(same ? "settings of the pipeline changed; they take effect at a restart"
                   : "settings besides the contract changed; all of it takes effect at a restart");
    return std::nullopt;
  }
  if (same) {
    if (asked) log::Info("the contract is unchanged");
    return std::nullopt;
  }
  return std::move(outcome.spec);
}

}  // namespace weir::app
