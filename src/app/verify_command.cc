#include "app/verify_command.h"

#include <fstream>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/answer_check.h"
#include "app/ledger_text.h"
#include "app/listing.h"
#include "app/pipeline_file.h"
#include "app/session.h"
#include "app/wiring.h"
#include "base/digits.h"
#include "engine/verify.h"
#include "generate/answer_key.h"

namespace weir::app {
namespace {

using engine::TableProof;
using engine::VerifyReport;
using Json = nlohmann::ordered_json;

// What the answer key says, where one was given.
struct KeyReport {
  bool given = false;
  std::vector<std::string> differences;
  std::vector<std::string> gold;  // kinds of gold tables that were compared
};

std::string_view VerdictText(engine::Verdict verdict) {
  switch (verdict) {
    case engine::Verdict::kProven:
      return "proven";
    case engine::Verdict::kNotProvable:
      return "not provable";
    case engine::Verdict::kWrong:
      break;
  }
  return "wrong";
}

std::string_view MethodText(engine::ProofMethod method) {
  return method == engine::ProofMethod::kOffsets ? "offsets" : "files and ledger";
}

Listing TableListing(const VerifyReport& report) {
  Listing listing{.columns = {"table", "verdict", "proof", "rows", "expected"}, .rows = {}};
  for (const TableProof& proof : report.tables) {
    listing.Add({proof.table, VerdictText(proof.verdict), MethodText(proof.method),
                 proof.rows_found, proof.rows_expected < 0 ? Cell() : Cell(proof.rows_expected)});
  }
  return listing;
}

void WriteForPeople(const VerifyReport& report, const KeyReport& key, Session& session) {
  WriteListing(TableListing(report), session);
  for (const TableProof& proof : report.tables) {
    for (const std::string& finding : proof.findings) {
      session.out << proof.table << ": " << finding << '\n';
    }
  }
  for (const std::string& finding : report.findings) session.out << "state: " << finding << '\n';
  session.out << fmt::format("ledger: {}; {} kept, {} not in all tables yet\n",
                             LedgerText(report.ledger), CountOf(report.epochs_retained, "epoch"),
                             GroupDigits(report.epochs_unapplied));
  if (!key.given) return;
  if (key.differences.empty()) {
    session.out << "answer key: everything agrees"
                << (key.gold.empty() ? "" : fmt::format(", also {}", fmt::join(key.gold, ", ")))
                << '\n';
  }
  for (const std::string& difference : key.differences) {
    session.out << "answer key: " << difference << '\n';
  }
}

void WriteJson(const VerifyReport& report, const KeyReport& key, Session& session) {
  Json document;
  document["pipeline"] = report.pipeline;
  document["ok"] = report.ok() && key.differences.empty();
  document["epochs_retained"] = report.epochs_retained;
  document["epochs_unapplied"] = report.epochs_unapplied;
  document["ledger"] = {{"read", report.ledger.read},
                        {"good", report.ledger.good},
                        {"duplicate", report.ledger.duplicate},
                        {"late", report.ledger.late},
                        {"quarantined", report.ledger.quarantined},
                        {"tombstone", report.ledger.tombstone}};
  document["findings"] = report.findings;
  Json& tables = document["tables"] = Json::array();
  for (const TableProof& proof : report.tables) {
    tables.push_back({{"table", proof.table},
                      {"verdict", VerdictText(proof.verdict)},
                      {"proof", MethodText(proof.method)},
                      {"rows", proof.rows_found},
                      {"expected", proof.rows_expected < 0 ? Json() : Json(proof.rows_expected)},
                      {"findings", proof.findings}});
  }
  if (key.given) {
    document["answer_key"] = {
        {"ok", key.differences.empty()}, {"differences", key.differences}, {"gold", key.gold}};
  }
  session.out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

Result<generate::AnswerKey> ReadKey(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    return InvalidInput(path + ": the answer key cannot be read", ErrorCode::kUsage);
  }
  auto key = generate::AnswerKey::FromJson(text.str());
  if (!key) return InvalidInput(path + ": " + key.error().message, ErrorCode::kUsage);
  return key;
}

Result<int> RunVerify(const std::optional<std::string>& key_path, Session& session) {
  std::optional<generate::AnswerKey> expected;
  if (key_path) {
    WEIR_ASSIGN_OR_RETURN(expected, ReadKey(*key_path));
  }
  const LoadedPipeline loaded = LoadPipelineFile(session);
  if (!loaded.spec) return loaded.exit_code;
  WEIR_ASSIGN_OR_RETURN(auto state, OpenStateToRead(*loaded.spec));
  WEIR_ASSIGN_OR_RETURN(auto catalog, OpenCatalogToRead(*loaded.spec));
  WEIR_ASSIGN_OR_RETURN(const VerifyReport report,
                        engine::Verify(*loaded.spec, *state, *catalog, TableStores(*loaded.spec)));
  KeyReport key;
  if (expected) {
    WEIR_ASSIGN_OR_RETURN(const auto found, CountTables(*loaded.spec, *expected, *catalog, *state));
    key = {.given = true, .differences = generate::Differences(*expected, found), .gold = {}};
    if (found.event_time && expected->event_time)
      for (const auto& [kind, totals] : found.event_time->gold)
        if (expected->event_time->gold.contains(kind)) key.gold.push_back(kind);
  }
  switch (session.format()) {
    case OutputFormat::kTable:
      WriteForPeople(report, key, session);
      break;
    case OutputFormat::kJson:
      WriteJson(report, key, session);
      break;
    default:
      WriteListing(TableListing(report), session);
  }
  if (report.ok() && key.differences.empty()) return exit_code::kOk;
  return Error{.kind = ErrorKind::kCorrupt,
               .code = ErrorCode::kVerifyFailed,
               .message = loaded.spec->name + ": the tables do not hold what they must",
               .remedy = {}};
}

}  // namespace

Command MakeVerifyCommand() {
  auto key = std::make_shared<std::optional<std::string>>();
  Command command;
  command.name = "verify";
  command.summary = "Checks that the tables hold exactly what was read";
  command.examples = {
      {"weir verify -c pipeline.yaml", "tables against the ledger; exit 1 when wrong"},
      {"weir verify -c pipeline.yaml --key key.json", "and against an answer key"},
      {"weir verify --format json", "for scripts"}};
  command.details =
      "A table with the columns topic, partition and offset is proven row by row. Others are "
      "judged "
      "by the files and row counts of the epochs that are kept, and by the cumulative ledger; what "
      "cannot be shown is called not provable. Reads only, also beside a running pipeline.";
  command.options = {{.names = "--key",
                      .value = "FILE",
                      .help = "the answer key that `weir generate --answer-key` wrote",
                      .target = key.get()}};
  command.run = [key](Session& session) { return RunVerify(*key, session); };
  return command;
}

}  // namespace weir::app
