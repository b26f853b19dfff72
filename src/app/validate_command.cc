#include "app/validate_command.h"

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/error_report.h"
#include "app/listing.h"
#include "app/pipeline_checks.h"
#include "app/pipeline_file.h"
#include "app/session.h"
#include "config/forecast.h"
#include "config/quantity.h"

namespace weir::app {
namespace {

using Json = nlohmann::ordered_json;

struct ValidateOptions {
  bool offline = false;
  std::optional<std::string> rate;
};

Result<std::optional<double>> RateOf(const ValidateOptions& options) {
  if (!options.rate) return std::optional<double>();
  auto rate = config::ParseCount(*options.rate);
  if (!rate || *rate <= 0) {
    return InvalidInput("--rate is a number of events a second", ErrorCode::kUsage);
  }
  return std::optional(static_cast<double>(*rate));
}

int FirstExitCode(const std::vector<CheckOutcome>& checks) {
  for (const CheckOutcome& check : checks) {
    if (check.error) return ExitCodeOf(*check.error);
  }
  return exit_code::kOk;
}

void WriteForPeople(const config::PipelineSpec& spec, const std::vector<CheckOutcome>& checks,
                    const config::Forecast& forecast, Session& session) {
  session.out << spec.name << ": " << spec.file << " is right\n";
  if (!checks.empty()) {
    Listing listing{.columns = {"check", "result", "detail"}, .rows = {}};
    for (const CheckOutcome& check : checks) {
      listing.Add({check.name, check.error ? "failed" : "ok",
                   check.error ? ToString(check.error->code) : check.detail});
    }
    WriteListing(listing, session);
  }
  for (const std::string& line : config::ForecastLines(spec, forecast)) {
    session.out << line << '\n';
  }
  session.out.flush();
}

Json ForecastJson(const config::Forecast& forecast) {
  Json tables = Json::array();
  for (const auto& table : forecast.tables) {
    tables.push_back({{"table", table.name},
                      {"files_per_day", table.steady_files},
                      {"most_files_per_day", table.worst_files},
                      {"guessed", table.guessed}});
  }
  return {{"epochs_per_day", forecast.epochs},
          {"files_per_day", forecast.steady_files},
          {"most_files_per_day", forecast.worst_files},
          {"tables", tables}};
}

Json ChecksJson(const std::vector<CheckOutcome>& checks) {
  Json list = Json::array();
  for (const CheckOutcome& check : checks) {
    Json entry{{"check", check.name}, {"ok", !check.error}, {"detail", check.detail}};
    if (check.error) {
      entry["code"] = ToString(check.error->code);
      entry["message"] = check.error->message;
      entry["remedy"] = check.error->remedy;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Result<int> RunValidate(const ValidateOptions& options, Session& session) {
  WEIR_ASSIGN_OR_RETURN(const bool wants_json, session.WantsJson());
  WEIR_ASSIGN_OR_RETURN(const auto rate, RateOf(options));
  if (!wants_json) {
    const LoadedPipeline loaded = LoadPipelineFile(session);
    if (!loaded.spec) return loaded.exit_code;
    const auto checks =
        options.offline ? std::vector<CheckOutcome>() : CheckPipeline(*loaded.spec, session.clock);
    WriteForPeople(*loaded.spec, checks, config::ForecastFiles(*loaded.spec, rate), session);
    for (const CheckOutcome& check : checks) {
      if (check.error) PrintError(*check.error, session);
    }
    return FirstExitCode(checks);
  }
  const auto outcome = config::LoadPipeline(session.config_file(), session.environment);
  Json document = Json::object();
  int code = ExitCodeOf(outcome.diagnostics);
  std::vector<CheckOutcome> checks;
  if (outcome.spec) {
    document["pipeline"] = outcome.spec->name;
    if (!options.offline) checks = CheckPipeline(*outcome.spec, session.clock);
    code = FirstExitCode(checks);
    document["checks"] = ChecksJson(checks);
    document["forecast"] = ForecastJson(config::ForecastFiles(*outcome.spec, rate));
  }
  document["ok"] = code == exit_code::kOk;
  document["exit_code"] = code;
  document["diagnostics"] = Json::parse(outcome.diagnostics.ToJson(), nullptr, false);
  session.out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  return code;
}

}  // namespace

Command MakeValidateCommand() {
  auto options = std::make_shared<ValidateOptions>();
  Command command;
  command.name = "validate";
  command.summary = "Checks everything that would keep `weir run` from working";
  command.examples = {
      {"weir validate -c pipeline.yaml", "the file, the source, the tables, the state"},
      {"weir validate -c pipeline.yaml --offline", "the file alone"},
      {"weir validate --format json", "for editors and CI"}};
  command.details =
      "Reads the file with the same code as `weir run`, then asks the source, the catalog and "
      "every "
      "table. Changes nothing. Gives up on what is away after a minute (exit 69). Ends with the "
      "forecast: how many files a day the tables will get.";
  command.options = {
      {.names = "--offline", .help = "ask nobody: only the file", .target = &options->offline},
      {.names = "--rate",
       .value = "N",
       .help = "expected events a second, for the forecast",
       .target = &options->rate}};
  command.run = [options](Session& session) { return RunValidate(*options, session); };
  return command;
}

}  // namespace weir::app
