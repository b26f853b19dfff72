#include "app/quarantine_command.h"

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cell_text.h"
#include "app/listing.h"
#include "app/pipeline_file.h"
#include "app/session.h"
#include "app/table_scan.h"
#include "app/why_dropped.h"
#include "app/wiring.h"
#include "base/bytes.h"

namespace weir::app {
namespace {

const std::vector<std::string> kColumns = {"fingerprint", "reason",  "pointer", "expected",
                                           "actual",      "message", "topic",   "partition",
                                           "offset",      "key",     "value",   "ingestion_time"};

// One row of the table; the order of the fields is that of kColumns.
struct Refused {
  std::string fingerprint, reason, pointer, expected, actual, message, topic;
  std::int64_t partition = 0;
  std::int64_t offset = 0;
  std::optional<std::string> key, value;
  Micros ingestion_time = 0;
};

class RowReader {
 public:
  explicit RowReader(const Batch& batch) : batch_(batch) {}

  Refused Row(std::size_t row) const {
    Refused refused;
    refused.fingerprint = Text("fingerprint", row).value_or("");
    refused.reason = Text("reason", row).value_or("");
    refused.pointer = Text("pointer", row).value_or("");
    refused.expected = Text("expected", row).value_or("");
    refused.actual = Text("actual", row).value_or("");
    refused.message = Text("message", row).value_or("");
    refused.topic = Text("topic", row).value_or("");
    refused.partition = Find("partition") ? Find("partition")->Int(row) : -1;
    refused.offset = Find("offset") ? Find("offset")->Long(row) : -1;
    refused.key = Text("key", row);
    refused.value = Text("value", row);
    refused.ingestion_time = Find("ingestion_time") ? Find("ingestion_time")->Long(row) : 0;
    return refused;
  }

 private:
  const Column* Find(std::string_view name) const { return FindColumn(batch_, name); }
  std::optional<std::string> Text(std::string_view name, std::size_t row) const {
    const Column* column = Find(name);
    if (column == nullptr || column->IsNull(row)) return std::nullopt;
    return std::string(column->String(row));
  }

  const Batch& batch_;
};

using RowVisitor = std::function<void(Refused)>;

// Visits all rows of the pipeline's quarantine table.
Result<int> WithRows(Session& session, const RowVisitor& visit) {
  const LoadedPipeline loaded = LoadPipelineFile(session);
  if (!loaded.spec) return loaded.exit_code;
  const auto& tables = loaded.spec->tables;
  const auto found =
      std::ranges::find(tables, config::TableFrom::kInvalid, &config::TableSpec::from);
  if (found == tables.end()) {
    return WithRemedy(InvalidInput(loaded.spec->file + ": the pipeline has no quarantine table",
                                   ErrorCode::kPipelineInvalid),
                      "add one: `retail.quarantine: {from: invalid}`");
  }
  WEIR_ASSIGN_OR_RETURN(auto catalog, OpenCatalogToRead(*loaded.spec));
  WEIR_ASSIGN_OR_RETURN(auto opened, OpenTableByName(*catalog, found->name, *loaded.spec));
  WEIR_TRY(ScanTable(opened, kColumns, [&](const Batch& batch) -> Status {
    const RowReader reader(batch);
    for (std::size_t row = 0; row < batch.rows(); ++row) visit(reader.Row(row));
    return Ok();
  }));
  return exit_code::kOk;
}

// --- ls ------------------------------------------------------------------------------------------

struct Cause {
  std::int64_t events = 0;
  Micros first_seen = INT64_MAX;
  Micros last_seen = INT64_MIN;
  Refused sample;  // the newest
};

Result<int> ListCauses(Session& session) {
  std::map<std::string, Cause> causes;
  WEIR_ASSIGN_OR_RETURN(const int code, WithRows(session, [&](Refused row) {
                          Cause& cause = causes[row.fingerprint];
                          ++cause.events;
                          cause.first_seen = std::min(cause.first_seen, row.ingestion_time);
                          if (row.ingestion_time < cause.last_seen) return;
                          cause.last_seen = row.ingestion_time;
                          cause.sample = std::move(row);
                        }));
  if (code != exit_code::kOk) return code;
  std::vector<std::pair<std::string, Cause>> sorted(causes.begin(), causes.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [](const auto& entry) { return entry.second.events; });
  Listing listing{
      .columns = {"id", "events", "reason", "pointer", "first_seen", "last_seen", "sample"},
      .rows = {}};
  for (const auto& [id, cause] : sorted) {
    listing.Add({id, cause.events, cause.sample.reason, cause.sample.pointer,
                 FormatTime(cause.first_seen), FormatTime(cause.last_seen), cause.sample.message});
  }
  WriteListing(listing, session);
  return exit_code::kOk;
}

// --- show ----------------------------------------------------------------------------------------

void PutBytes(nlohmann::ordered_json& object, const std::string& name,
              const std::optional<std::string>& bytes) {
  if (!bytes) {
    object[name] = nullptr;
  } else if (IsValidUtf8(*bytes)) {
    object[name] = *bytes;
  } else {
    object[name + "_b64"] = Base64Encode(*bytes);
  }
}

std::string JsonOf(const Refused& row) {
  nlohmann::ordered_json object;
  object["id"] = row.fingerprint;
  object["topic"] = row.topic;
  object["partition"] = row.partition;
  object["offset"] = row.offset;
  object["ingestion_time"] = FormatTime(row.ingestion_time);
  object["reason"] = row.reason;
  object["pointer"] = row.pointer;
  object["expected"] = row.expected;
  object["actual"] = row.actual;
  object["message"] = row.message;
  PutBytes(object, "key", row.key);
  PutBytes(object, "value", row.value);
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string TextOf(const Refused& row) {
  constexpr std::size_t kMostBytes = 1U << 20;
  const auto shown = [](const std::optional<std::string>& bytes) {
    return bytes ? Printable(*bytes, kMostBytes) : std::string("-");
  };
  return fmt::format(
      "topic {}, partition {}, offset {}, taken in {}\n  {}{}: {}\n  key    {}\n  value  {}\n",
      row.topic, row.partition, row.offset, FormatTime(row.ingestion_time), row.reason,
      row.pointer.empty() ? "" : " at " + Printable(row.pointer),
      Printable(row.message, kMostBytes), shown(row.key), shown(row.value));
}

void WriteEvents(const std::vector<Refused>& rows, Session& session) {
  const OutputFormat format = session.format();
  if (format == OutputFormat::kCsv) {
    Listing listing{.columns = {"id", "topic", "partition", "offset", "ingestion_time", "reason",
                                "pointer", "message", "key", "value"},
                    .rows = {}};
    const auto text = [](const std::optional<std::string>& bytes) {
      return bytes ? Cell(Printable(*bytes, 1U << 20)) : Cell();
    };
    for (const Refused& row : rows) {
      listing.Add({row.fingerprint, row.topic, row.partition, row.offset,
                   FormatTime(row.ingestion_time), row.reason, row.pointer, row.message,
                   text(row.key), text(row.value)});
    }
    return WriteListing(listing, session);
  }
  if (format == OutputFormat::kJson) session.out << "[";
  for (const Refused& row : rows) {
    if (format == OutputFormat::kTable) {
      session.out << (&row == rows.data() ? "" : "\n") << TextOf(row);
    } else {
      const bool in_array = format == OutputFormat::kJson;
      session.out << (!in_array             ? ""
                      : &row == rows.data() ? "\n"
                                            : ",\n")
                  << JsonOf(row) << (in_array ? "" : "\n");
    }
  }
  if (format == OutputFormat::kJson) session.out << (rows.empty() ? "]\n" : "\n]\n");
}

struct ShowOptions {
  std::string id;
  std::optional<std::int64_t> count;
};

Result<int> ShowEvents(const ShowOptions& options, Session& session) {
  std::vector<Refused> rows;
  WEIR_ASSIGN_OR_RETURN(const int code, WithRows(session, [&](Refused row) {
                          if (row.fingerprint.starts_with(options.id))
                            rows.push_back(std::move(row));
                        }));
  if (code != exit_code::kOk) return code;
  if (rows.empty()) {
    return WithRemedy(
        InvalidInput("no event in quarantine has the id " + options.id, ErrorCode::kUsage),
        "`weir quarantine ls` lists the ids");
  }
  std::ranges::sort(rows, {}, [](const Refused& row) {
    return std::tuple(row.topic, row.partition, row.offset);
  });
  constexpr std::int64_t kDefaultCount = 10;
  const std::size_t all = rows.size();
  const auto count =
      static_cast<std::size_t>(std::max<std::int64_t>(0, options.count.value_or(kDefaultCount)));
  if (rows.size() > count) rows.resize(count);
  WriteEvents(rows, session);
  if (all > rows.size()) {
    session.Note(fmt::format("{} of {} events; -n shows more", rows.size(), all));
  }
  return exit_code::kOk;
}

}  // namespace

Command MakeQuarantineCommand() {
  Command list;
  list.name = "ls";
  list.summary = "Lists the causes with their counts";
  list.examples = {{"weir quarantine ls -c pipeline.yaml", "the most frequent first"},
                   {"weir quarantine ls --format json", ""}};
  list.run = ListCauses;

  auto options = std::make_shared<ShowOptions>();
  Command show;
  show.name = "show";
  show.summary = "Shows the events of a cause, each as it came";
  show.examples = {
      {"weir quarantine show 3f9a1c -c pipeline.yaml", "the beginning of an id will do"},
      {"weir quarantine show 3f9a1c -n 1000 --format ndjson", "raw bytes, for scripts"}};
  show.options = {{.names = "ID",
                   .value = "ID",
                   .help = "the id of the cause, from `weir quarantine ls`",
                   .target = &options->id,
                   .required = true},
                  {.names = "-n",
                   .value = "N",
                   .help = "at most so many events; 10 unless given",
                   .target = &options->count}};
  show.run = [options](Session& session) { return ShowEvents(*options, session); };

  Command command;
  command.name = "quarantine";
  command.summary = "Shows the events that broke the contract";
  command.examples = {{"weir quarantine ls -c pipeline.yaml", "by cause"},
                      {"weir quarantine show 3f9a1c -c pipeline.yaml", "one cause"}};
  command.commands.push_back(std::move(list));
  command.commands.push_back(std::move(show));
  command.commands.push_back(MakeWhyDroppedCommand());
  return command;
}

}  // namespace weir::app
