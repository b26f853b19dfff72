#include "app/import_command.h"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "app/listing.h"
#include "app/pipeline_file.h"
#include "app/session.h"
#include "app/spark_checkpoint.h"
#include "app/state_lock.h"
#include "app/table_scan.h"
#include "app/wiring.h"
#include "engine/import_start.h"
#include "kafka/group_offsets.h"

namespace weir::app {
namespace {

struct ImportOptions {
  std::string from;  // folder or group
  std::optional<std::string> table;
  std::optional<std::string> topic;
  std::optional<std::int64_t> batch;
  bool dry_run = false;
  bool active = false;
};

void WriteStart(const engine::ImportedStart& start, Session& session) {
  Listing listing{.columns = {"partition", "next_offset"}, .rows = {}};
  for (const auto& [partition, offset] : start.offsets)
    listing.Add({std::int64_t{partition.value()}, offset.value()});
  WriteListing(listing, session);
}

// Puts the start, unless only looking was asked for.
Result<int> Begin(const config::PipelineSpec& spec, const engine::ImportedStart& start,
                  bool dry_run, Session& session) {
  WriteStart(start, session);
  if (start.watermark && spec.watermark)
    session.Note("watermark " + FormatTime(*start.watermark) + ": events before it are late");
  if (dry_run) {
    session.Note("nothing was changed");
    return exit_code::kOk;
  }
  WEIR_ASSIGN_OR_RETURN(auto state, OpenState(spec));
  WEIR_ASSIGN_OR_RETURN(const auto lock, LockState(spec.state, session.clock));
  WEIR_ASSIGN_OR_RETURN(auto catalog, OpenCatalogToRun(spec, *state));
  WEIR_ASSIGN_OR_RETURN(auto source, OpenSource(spec));
  const engine::PipelineParts parts{.clock = session.clock,
                                    .state = *state,
                                    .catalog = *catalog,
                                    .source = *source,
                                    .open_store = TableStores(spec),
                                    .apply_turn = {}};
  WEIR_TRY(engine::ImportStart(spec, parts, start));
  session.Note("imported; next: weir run -c " + spec.file);
  return exit_code::kOk;
}

// The table whose snapshots name the query's batches: the one of valid rows unless named.
Result<std::string> SinkTable(const config::PipelineSpec& spec, const ImportOptions& options) {
  if (options.table) return *options.table;
  std::string only;
  for (const config::TableSpec& table : spec.tables) {
    if (table.from != config::TableFrom::kValid) continue;
    if (!only.empty())
      return InvalidInput(
          "the pipeline has several tables of valid events; name the one that Spark "
          "wrote by --table",
          ErrorCode::kUsage);
    only = table.name;
  }
  if (only.empty())
    return InvalidInput("name the table that Spark wrote by --table", ErrorCode::kUsage);
  return only;
}

Result<SparkDecision> Decide(const SparkCheckpoint& checkpoint, const config::PipelineSpec& spec,
                             const ImportOptions& options) {
  if (options.batch) {
    for (const auto* batch : {&checkpoint.done, &checkpoint.in_work}) {
      if (*batch && (*batch)->number == *options.batch)
        return SparkDecision{&**batch, "--batch says so"};
    }
    return InvalidInput(fmt::format("the checkpoint does not end with batch {}", *options.batch),
                        ErrorCode::kUsage);
  }
  WEIR_ASSIGN_OR_RETURN(const std::string table, SinkTable(spec, options));
  WEIR_ASSIGN_OR_RETURN(const auto catalog, OpenCatalogToRead(spec));
  auto opened = OpenTableByName(*catalog, table, spec);
  std::vector<connect::SnapshotInfo> snapshots;
  if (opened) {
    snapshots = opened->table->Snapshots(*opened->version);
  } else if (checkpoint.in_work || opened.error().kind != ErrorKind::kNotFound) {
    return WithContext(std::move(opened).error(), "the table that Spark wrote");
  }
  return DecideSparkBatch(checkpoint, snapshots);
}

Result<int> RunSpark(const ImportOptions& options, Session& session) {
  const LoadedPipeline loaded = LoadPipelineFile(session);
  if (!loaded.spec) return loaded.exit_code;
  const config::PipelineSpec& spec = *loaded.spec;
  const std::filesystem::path folder =
      std::filesystem::path(session.environment.CurrentFolder()) / options.from;
  WEIR_ASSIGN_OR_RETURN(const SparkCheckpoint checkpoint, ReadSparkCheckpoint(folder.string()));
  WEIR_ASSIGN_OR_RETURN(const SparkDecision decision, Decide(checkpoint, spec, options));
  const std::string topic = options.topic.value_or(spec.source.topic);
  const auto offsets = decision.batch->offsets.find(topic);
  if (offsets == decision.batch->offsets.end()) {
    std::string known;
    for (const auto& [name, ignored] : decision.batch->offsets)
      known += (known.empty() ? "" : ", ") + name;
    return InvalidInput(fmt::format("batch {} has no offsets of topic {}, only of: {}",
                                    decision.batch->number, topic, known.empty() ? "none" : known),
                        ErrorCode::kUsage);
  }
  session.Note(fmt::format("query {}: {}; the pipeline begins behind batch {}", checkpoint.query_id,
                           decision.why, decision.batch->number));
  const bool noted = checkpoint.done && decision.batch == &*checkpoint.done;
  const engine::ImportedStart start{
      .offsets = offsets->second,
      .watermark = noted ? checkpoint.watermark_behind : decision.batch->watermark};
  return Begin(spec, start, options.dry_run, session);
}

Result<int> RunGroup(const ImportOptions& options, Session& session) {
  const LoadedPipeline loaded = LoadPipelineFile(session);
  if (!loaded.spec) return loaded.exit_code;
  const config::PipelineSpec& spec = *loaded.spec;
  if (spec.source.kind != config::SourceKind::kKafka)
    return InvalidInput("only a Kafka topic has consumer groups", ErrorCode::kUsage);
  WEIR_ASSIGN_OR_RETURN(const auto group,
                        kafka::AskGroupOffsets({.brokers = spec.source.brokers,
                                                .options = spec.source.options,
                                                .secret_options = spec.source.secret_options},
                                               spec.source.topic, options.from));
  if (group.members > 0 && !options.active)
    return WithRemedy(
        Refused(fmt::format("group {} has {}: its offsets go on moving", options.from,
                            CountOf(group.members, "member"))),
        "stop its consumers; or take what is committed now by --active, and know that what they "
        "still do is done twice");
  session.Note("group " + options.from +
               ": what it committed is taken as done; Kafka cannot tell whether its tables agree");
  return Begin(spec, {.offsets = group.committed, .watermark = {}}, options.dry_run, session);
}

Command MakeSpark() {
  auto options = std::make_shared<ImportOptions>();
  Command command;
  command.name = "spark-checkpoint";
  command.summary = "Begins where a stopped Structured Streaming query ended, on the same table";
  command.examples = {
      {"weir import spark-checkpoint /lake/_checkpoints/shop -c pipeline.yaml", ""},
      {"weir import spark-checkpoint /lake/_checkpoints/shop --dry-run", "only say where"}};
  command.details =
      "Stop the query first. The offsets behind its last batch, and its watermark, become the "
      "start "
      "of the pipeline. Where Spark began a batch that it did not note as done, the table decides: "
      "its snapshots name the query and the batch. Where neither can tell, the import is refused "
      "rather than guessed. State of windows and of dropDuplicates is not taken over.";
  command.options = {{.names = "DIR",
                      .value = "DIR",
                      .help = "the query's checkpointLocation, a local folder",
                      .target = &options->from,
                      .required = true},
                     {.names = "--table",
                      .value = "NAME",
                      .help = "the table that Spark wrote; the one of valid events unless given",
                      .target = &options->table},
                     {.names = "--topic",
                      .value = "TOPIC",
                      .help = "the topic in the checkpoint, if it had another name there",
                      .target = &options->topic},
                     {.names = "--batch",
                      .value = "N",
                      .help = "this batch is done, whatever the table says",
                      .target = &options->batch},
                     {.names = "--dry-run",
                      .help = "say what would be done, and change nothing",
                      .target = &options->dry_run}};
  command.run = [options](Session& session) { return RunSpark(*options, session); };
  return command;
}

Command MakeGroup() {
  auto options = std::make_shared<ImportOptions>();
  Command command;
  command.name = "kafka-group";
  command.summary = "Begins where a consumer group stands in the topic";
  command.examples = {{"weir import kafka-group connect-shop-sink -c pipeline.yaml",
                       "after a Kafka Connect sink was stopped"},
                      {"weir import kafka-group connect-shop-sink --dry-run", "only say where"}};
  command.details =
      "Stop the consumers first: a group with members is refused. Partitions without a committed "
      "offset are read from their first record. A group's offsets are what its consumers say they "
      "did; a sink that writes before it commits may have written more, and those rows then come "
      "twice.";
  command.options = {{.names = "GROUP",
                      .value = "GROUP",
                      .help = "the name of the consumer group",
                      .target = &options->from,
                      .required = true},
                     {.names = "--active",
                      .help = "take the offsets though the group has members",
                      .target = &options->active},
                     {.names = "--dry-run",
                      .help = "say what would be done, and change nothing",
                      .target = &options->dry_run}};
  command.run = [options](Session& session) { return RunGroup(*options, session); };
  return command;
}

}  // namespace

Command MakeImportCommand() {
  Command command;
  command.name = "import";
  command.summary = "Begins a pipeline where another program stopped";
  command.examples = {{"weir import spark-checkpoint DIR -c pipeline.yaml", "from Spark"},
                      {"weir import kafka-group GROUP -c pipeline.yaml", "from a consumer group"}};
  command.commands.push_back(MakeSpark());
  command.commands.push_back(MakeGroup());
  return command;
}

}  // namespace weir::app
