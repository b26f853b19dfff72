#include "app/status_command.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/ledger_text.h"
#include "app/listing.h"
#include "app/pipeline_file.h"
#include "app/session.h"
#include "app/state_lock.h"
#include "app/stop_signals.h"
#include "app/wiring.h"
#include "base/digits.h"
#include "engine/event_operators.h"
#include "engine/status.h"

namespace weir::app {
namespace {

using engine::PipelineStatus;
using Json = nlohmann::ordered_json;

struct StatusOptions {
  bool watch = false;
};

std::int64_t Waiting(const engine::PartitionStatus& partition) {
  if (!partition.log_end) return 0;
  return std::max<std::int64_t>(0, partition.log_end->value() - partition.next_offset.value());
}

std::int64_t Waiting(const PipelineStatus& status) {
  std::int64_t waiting = 0;
  for (const auto& partition : status.partitions) waiting += Waiting(partition);
  return waiting;
}

// A running pipeline that commits nothing although records wait.
void CheckProgress(const config::PipelineSpec& spec, Micros now, PipelineStatus& status) {
  if (!status.running || status.last_epoch == 0 || Waiting(status) == 0) return;
  const Micros allowed = std::max<Micros>(60 * kMicrosPerSecond, 10 * spec.epoch.every);
  if (now - status.last_epoch <= allowed) return;
  status.problems.push_back(fmt::format("{} records wait, and the last epoch was {} ago",
                                        Waiting(status), FormatSpan(now - status.last_epoch)));
}

Result<PipelineStatus> Read(const config::PipelineSpec& spec, Session& session) {
  WEIR_ASSIGN_OR_RETURN(auto state, OpenStateToRead(spec));
  WEIR_ASSIGN_OR_RETURN(auto catalog, OpenCatalogToRead(spec));
  auto source = OpenSource(spec);
  WEIR_ASSIGN_OR_RETURN(
      PipelineStatus status,
      engine::ReadStatus(spec, *state, *catalog, source ? source->get() : nullptr, session.clock));
  if (const auto holder = StateLockHolder(spec.state)) {
    status.running = true;
    status.pid = *holder;
  }
  CheckProgress(spec, session.clock.Now(), status);
  return status;
}

std::string Ago(Micros time, Micros now) {
  return time == 0 ? "never" : FormatSpan(std::max<Micros>(0, now - time)) + " ago";
}

std::string Headline(const PipelineStatus& status, Micros now) {
  std::string text = status.pipeline;
  if (status.running) {
    text += fmt::format("  RUNNING (pid {})", status.pid);
  } else {
    text += status.has_state ? "  STOPPED" : "  NEVER RAN";
  }
  if (status.has_state) {
    text += fmt::format("  epoch {}, {}", GroupDigits(status.epoch), Ago(status.last_epoch, now));
  }
  return text + (status.problems.empty() ? "  healthy" : "  UNHEALTHY") + "\n";
}

void WriteEventTime(const PipelineStatus& status, Session& session) {
  if (status.watermark) session.out << "watermark " << FormatTime(*status.watermark) << '\n';
  if (status.state_sizes.empty()) return;
  Listing sizes{.columns = {"state", "size"}, .rows = {}};
  for (const auto& [name, size] : status.state_sizes) sizes.Add({name, size});
  session.out << '\n';
  WriteListing(sizes, session);
  for (const auto& [name, size] : status.state_sizes) {
    const std::size_t dot = name.rfind('.');
    if (size == 0 || name.substr(dot + 1) != engine::kKeysInSeveral) continue;
    session.out << fmt::format(
        "note: {} of {} came in several partitions: the topic is not keyed by what these sessions "
        "are kept by; in one process they are right\n",
        CountOf(size, "key"), name.substr(0, dot));
  }
}

void WriteForPeople(const PipelineStatus& status, Session& session) {
  const Micros now = session.clock.Now();
  session.out << Headline(status, now);
  if (status.has_state) {
    session.out << LedgerText(status.total) << '\n';
  }
  if (!status.partitions.empty()) {
    Listing partitions{.columns = {"partition", "next_offset", "log_end", "waiting"}, .rows = {}};
    for (const auto& partition : status.partitions) {
      partitions.Add({partition.partition.value(), partition.next_offset.value(),
                      partition.log_end ? Cell(partition.log_end->value()) : Cell(),
                      partition.log_end ? Cell(Waiting(partition)) : Cell()});
    }
    session.out << '\n';
    WriteListing(partitions, session);
  }
  Listing tables{.columns = {"table", "rows", "files", "snapshots", "last_commit"}, .rows = {}};
  for (const auto& table : status.tables) {
    if (table.exists) {
      tables.Add(
          {table.table, table.rows, table.files, table.snapshots, Ago(table.last_commit, now)});
    } else {
      tables.Add({table.table, Cell(), Cell(), Cell(), "is not there"});
    }
  }
  session.out << '\n';
  WriteListing(tables, session);
  WriteEventTime(status, session);
  for (const std::string& problem : status.problems) session.out << "! " << problem << '\n';
}

Json TimeOrNull(Micros time) { return time == 0 ? Json() : Json(FormatTime(time)); }

void WriteJson(const PipelineStatus& status, Session& session) {
  Json document;
  document["pipeline"] = status.pipeline;
  document["healthy"] = status.problems.empty();
  document["running"] = status.running;
  document["pid"] = status.running ? Json(status.pid) : Json();
  document["has_state"] = status.has_state;
  document["epoch"] = status.epoch;
  document["last_epoch"] = TimeOrNull(status.last_epoch);
  document["ledger"] = {{"read", status.total.read},
                        {"good", status.total.good},
                        {"duplicate", status.total.duplicate},
                        {"late", status.total.late},
                        {"quarantined", status.total.quarantined},
                        {"tombstone", status.total.tombstone}};
  document["watermark"] = status.watermark ? Json(FormatTime(*status.watermark)) : Json();
  document["state"] = status.state_sizes;
  document["waiting"] = status.source_problem.empty() ? Json(Waiting(status)) : Json();
  Json& partitions = document["partitions"] = Json::array();
  for (const auto& partition : status.partitions) {
    partitions.push_back(
        {{"partition", partition.partition.value()},
         {"next_offset", partition.next_offset.value()},
         {"log_end", partition.log_end ? Json(partition.log_end->value()) : Json()},
         {"read", partition.total.read}});
  }
  Json& tables = document["tables"] = Json::array();
  for (const auto& table : status.tables) {
    tables.push_back({{"table", table.table},
                      {"exists", table.exists},
                      {"rows", table.rows},
                      {"files", table.files},
                      {"snapshots", table.snapshots},
                      {"last_commit", TimeOrNull(table.last_commit)},
                      {"problem", table.problem.empty() ? Json() : Json(table.problem)}});
  }
  document["problems"] = status.problems;
  session.out << document.dump(session.format() == OutputFormat::kJson ? 2 : -1, ' ', false,
                               Json::error_handler_t::replace)
              << '\n';
}

void Write(const PipelineStatus& status, Session& session) {
  if (session.format() == OutputFormat::kTable) return WriteForPeople(status, session);
  WriteJson(status, session);
}

Result<int> Watch(const config::PipelineSpec& spec, Session& session) {
  const StopSignals signals;
  constexpr Micros kEvery = 2 * kMicrosPerSecond;
  constexpr Micros kStep = 100 * kMicrosPerMilli;
  int code = exit_code::kOk;
  while (!signals.token().stop_requested() && session.out) {
    WEIR_ASSIGN_OR_RETURN(const PipelineStatus status, Read(spec, session));
    if (session.out_terminal.is_terminal) session.out << "\x1b[H\x1b[2J";
    Write(status, session);
    session.out.flush();
    code = status.problems.empty() ? exit_code::kOk : exit_code::kUnhealthy;
    for (Micros slept = 0; slept < kEvery && !signals.token().stop_requested(); slept += kStep) {
      session.clock.Sleep(kStep);
    }
  }
  return code;
}

Result<int> RunStatus(const StatusOptions& options, Session& session) {
  if (session.format() == OutputFormat::kCsv) {
    return InvalidInput("weir status: one document; `--format` is table, json or ndjson here",
                        ErrorCode::kUsage);
  }
  const LoadedPipeline loaded = LoadPipelineFile(session);
  if (!loaded.spec) return loaded.exit_code;
  if (options.watch) return Watch(*loaded.spec, session);
  WEIR_ASSIGN_OR_RETURN(const PipelineStatus status, Read(*loaded.spec, session));
  Write(status, session);
  return status.problems.empty() ? exit_code::kOk : exit_code::kUnhealthy;
}

}  // namespace

Command MakeStatusCommand() {
  auto options = std::make_shared<StatusOptions>();
  Command command;
  command.name = "status";
  command.summary = "Shows how a pipeline stands; exit 10 when it is unhealthy";
  command.examples = {{"weir status -c pipeline.yaml", "now"},
                      {"weir status -c pipeline.yaml -w", "again and again"},
                      {"weir status --format json", "for monitoring"}};
  command.details =
      "Unhealthy is: a table that is missing, rolled back or cannot be read, a source that does "
      "not "
      "answer, or a running pipeline that commits nothing although records wait. A stopped "
      "pipeline "
      "is not unhealthy by that alone.";
  command.options = {{.names = "-w,--watch", .help = "until stopped", .target = &options->watch}};
  command.run = [options](Session& session) { return RunStatus(*options, session); };
  return command;
}

}  // namespace weir::app
