#include "app/demo_command.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

#include <fmt/format.h>

#include "app/cell_text.h"
#include "app/demo_folder.h"
#include "app/listing.h"
#include "app/pipeline_file.h"
#include "app/pipeline_run.h"
#include "app/reader_lines.h"
#include "app/session.h"
#include "app/stop_signals.h"
#include "app/table_scan.h"
#include "app/wiring.h"
#include "base/digits.h"
#include "base/log.h"
#include "generate/delivery.h"
#include "generate/generator.h"
#include "spool/spool.h"

namespace weir::app {
namespace {

constexpr std::string_view kFaults = "late=1%:20m,dup=1%,bad=0.5%";
constexpr Micros kLogEvery = 5 * kMicrosPerSecond;

struct DemoOptions {
  std::string run_for = "20s";
  std::string dir = "weir-demo";
  std::string object_store;
  std::optional<std::int64_t> seed;
  std::optional<std::int64_t> rate;
  std::string format = "iceberg";
};

// The shop: sends events for the time of the demo, and asks the pipeline to stop once it has read
// them all. The first signal ends the shop, so the pipeline still reads what was sent.
class ShopThread {
 public:
  ShopThread(generate::Generator& generator, connect::LogSink& sink, Clock& clock,
             std::stop_token signals)
      : on_signal_(std::move(signals), [this] { shop_stop_.request_stop(); }),
        thread_([this, &generator, &sink, &clock] {
          auto done = generate::Deliver(generator, sink, {.stop = shop_stop_.get_token()}, clock);
          if (!done) {
            failure_ = done.error();
            pipeline_stop_.request_stop();
            return;
          }
          sent_ = static_cast<std::int64_t>(done->records);
          StopIfDone();
        }) {}
  ~ShopThread() {
    shop_stop_.request_stop();
    thread_.join();
  }
  ShopThread(const ShopThread&) = delete;
  ShopThread& operator=(const ShopThread&) = delete;

  std::stop_token pipeline_stop() const { return pipeline_stop_.get_token(); }
  void OnRead(std::int64_t records) {
    read_ += records;
    StopIfDone();
  }
  /// After the pipeline ended.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  void StopIfDone() {
    const std::int64_t sent = sent_;
    if (sent >= 0 && read_ >= sent) pipeline_stop_.request_stop();
  }

  std::stop_source shop_stop_;
  std::stop_source pipeline_stop_;
  std::stop_callback<std::function<void()>> on_signal_;
  std::atomic<std::int64_t> sent_{-1};  // -1: still sending
  std::atomic<std::int64_t> read_{0};
  std::optional<Error> failure_;  // written before pipeline_stop_ is requested
  std::thread thread_;            // last: it uses all of the above
};

Result<std::unique_ptr<generate::Generator>> MakeShop(const DemoOptions& given, Micros run_for,
                                                      Micros now) {
  constexpr std::int64_t kDefaultRate = 500;
  constexpr std::int64_t kMostRate = 1'000'000;
  generate::GeneratorOptions options;
  if (given.seed) options.seed = static_cast<std::uint64_t>(*given.seed);
  const std::int64_t rate = given.rate.value_or(kDefaultRate);
  if (rate < 1 || rate > kMostRate) {
    return InvalidInput("--rate is a number from 1 to 1 000 000", ErrorCode::kUsage);
  }
  options.rate = static_cast<std::uint64_t>(rate);
  const double seconds = static_cast<double>(run_for) / kMicrosPerSecond;
  options.count =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(rate) * seconds));
  WEIR_ASSIGN_OR_RETURN(options.faults, generate::ParseFaults(kFaults));
  options.partitions = 1;
  return generate::Generator::Make(options, now);
}

// --- what is shown at the end --------------------------------------------------------------------

// The highest offset in a file, by its statistics.
std::int64_t HighestOffset(const connect::TableVersion& version, const connect::DataFile& file) {
  const auto index = version.schema.IndexOf("offset");
  if (!index) return 0;
  const auto metrics = file.columns.find(version.schema.fields[*index].id);
  std::int64_t offset = 0;
  if (metrics == file.columns.end() || !metrics->second.upper ||
      metrics->second.upper->size() != sizeof(offset)) {
    return 0;
  }
  std::memcpy(&offset, metrics->second.upper->data(), sizeof(offset));  // little endian
  return offset;
}

Status ShowLastRows(OpenedTable& opened, Session& session) {
  constexpr std::size_t kRows = 5;
  const std::vector<std::string> columns = {"offset",       "event_time", "event_type", "user_id",
                                            "product_name", "quantity",   "price"};
  WEIR_ASSIGN_OR_RETURN(auto files, opened.table->LiveFiles(*opened.version));
  std::ranges::sort(files, std::ranges::greater(),
                    [&](const auto& file) { return HighestOffset(*opened.version, file); });
  std::vector<std::vector<Cell>> rows;
  for (const connect::DataFile& file : files) {
    WEIR_TRY(ScanFile(opened, file, columns, [&](const Batch& batch) -> Status {
      for (std::size_t row = 0; row < batch.rows(); ++row) {
        auto& cells = rows.emplace_back();
        for (const Column& column : batch.columns) cells.push_back(CellOf(column, row));
      }
      return Ok();
    }));
    if (rows.size() >= kRows) break;
  }
  std::ranges::sort(rows, {}, [](const auto& cells) {
    const auto* offset = std::get_if<std::int64_t>(&cells.front().value);
    return offset == nullptr ? 0 : *offset;
  });
  if (rows.size() > kRows) rows.erase(rows.begin(), rows.end() - kRows);
  Listing listing{.columns = columns, .rows = std::move(rows)};
  WriteListing(listing, session);
  return Ok();
}

void ShowReaders(const config::LakeSpec& lake, const std::string& table,
                 const connect::TableVersion& version, Session& session) {
  if (lake.format != "delta") {
    session.out << "PyIceberg   (pip install 'pyiceberg[pyarrow,sql-sqlite]')\n"
                << PyIcebergLine(lake, table) << '\n'
                << "Spark       (pip install pyspark==3.5.9, with Java 17)\n"
                << SparkLine(lake, table) << '\n';
  }
  if (lake.format != "iceberg") {
    session.out << "delta-rs    (pip install deltalake pyarrow)\n"
                << DeltaRsLine(version.location) << '\n'
                << "Spark       (pip install pyspark==3.5.9, with Java 17)\n"
                << DeltaSparkLine(version.location) << '\n';
  }
}

Status ShowTable(const config::PipelineSpec& spec, const DemoFolder& folder, Session& session) {
  const auto valid =
      std::ranges::find(spec.tables, config::TableFrom::kValid, &config::TableSpec::from);
  WEIR_ASSIGN_OR_RETURN(auto catalog, OpenCatalog(spec));
  WEIR_ASSIGN_OR_RETURN(auto opened, OpenTableByName(*catalog, valid->name, spec));
  WEIR_ASSIGN_OR_RETURN(const auto files, opened.table->LiveFiles(*opened.version));
  std::vector<std::string> paths;
  paths.reserve(files.size());
  for (const auto& file : files) paths.push_back(FileLocation(*opened.version, file));
  if (paths.empty()) {
    session.Note("the table is still empty: nothing was read in this time");
    return Ok();
  }
  std::ranges::sort(paths);
  const std::string view = opened.table->name().name;
  const std::string script = folder.path + "/duckdb.sql";
  WEIR_TRY(WriteTextFile(
      script, DuckDbScript(valid->name, view, opened.version->snapshot_id.value_or(0), paths)));
  session.out << "\nThe last rows of " << valid->name << " ("
              << GroupDigits(opened.version->total_records) << " rows):\n\n";
  WEIR_TRY(ShowLastRows(opened, session));
  session.out << "\nThe table is at " << opened.version->location << "\n\n"
              << "DuckDB      (pip install duckdb"
              << (io::IsS3Location(spec.lake.warehouse) ? "; INSTALL httpfs" : "") << ")\n"
              << DuckDbLine(script, view) << '\n';
  ShowReaders(spec.lake, valid->name, *opened.version, session);
  session.out << "\nLook further:  weir verify -c " << folder.pipeline
              << "   weir quarantine ls -c " << folder.pipeline << '\n';
  return Ok();
}

// --- the command ---------------------------------------------------------------------------------

Result<int> RunDemo(const DemoOptions& given, Session& session) {
  const StopSignals signals;
  WEIR_ASSIGN_OR_RETURN(const Micros run_for, ParseSpanOption("--for", given.run_for));
  WEIR_ASSIGN_OR_RETURN(auto generator, MakeShop(given, run_for, session.clock.Now()));
  WEIR_ASSIGN_OR_RETURN(const DemoFolder folder,
                        PrepareDemoFolder(given.dir, given.format, given.object_store));
  session.options.config = folder.pipeline;
  const LoadedPipeline loaded = LoadPipelineFile(session);
  if (!loaded.spec) return loaded.exit_code;
  const config::PipelineSpec& spec = *loaded.spec;
  AnnouncePipeline(spec);
  WEIR_ASSIGN_OR_RETURN(auto sink, spool::OpenSpoolSink(spec.source.spool_path, spec.source.topic));

  Result<std::optional<engine::RunSummary>> summary = std::optional<engine::RunSummary>();
  {
    ShopThread shop(*generator, *sink, session.clock, signals.token());
    PipelineRunOptions options;
    options.log_every = kLogEvery;
    options.on_epoch = [&shop](const engine::EpochReport& report) {
      shop.OnRead(report.counts.read);
    };
    summary = RunPipeline(spec, options, shop.pipeline_stop(), session);
    if (!summary) return summary.error();
    if (shop.failure()) return *shop.failure();
  }
  if (*summary) PrintSummary(spec, **summary, session);
  WEIR_TRY(ShowTable(spec, folder, session));
  return exit_code::kOk;
}

}  // namespace

Command MakeDemoCommand() {
  auto options = std::make_shared<DemoOptions>();
  Command command;
  command.name = "demo";
  command.summary = "Runs a shop, its log and the retail job in one process, and shows the table";
  command.examples = {{"weir demo", "20 seconds, in ./weir-demo"},
                      {"weir demo --for 2m --rate 5000", "more of it"},
                      {"weir demo --format both", "tables that are Iceberg and Delta at once"}};
  command.details =
      "Needs nothing but this program. One event in 200 is bad on purpose and goes to the "
      "quarantine table. The folder is cleared first if a demo made it, used if it is empty, and "
      "refused otherwise. At the end lines are printed that open the table in DuckDB, in PyIceberg "
      "or delta-rs, and in Spark. DuckDB's reads exactly the files of the last snapshot, from the "
      "list in duckdb.sql: it needs no extension and no network, and does not follow later "
      "commits. "
      "The others read the table itself.";
  command.options = {{.names = "--for",
                      .value = "SPAN",
                      .help = "how long the shop is open; 20s unless given",
                      .target = &options->run_for},
                     {.names = "--dir",
                      .value = "FOLDER",
                      .help = "where; ./weir-demo unless given",
                      .target = &options->dir},
                     {.names = "--s3",
                      .value = "LOCATION",
                      .help = "state and lake below s3://bucket/prefix; keys and endpoint as in "
                              "AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL ...",
                      .target = &options->object_store},
                     {.names = "--seed",
                      .value = "N",
                      .help = "another seed is another shop; 1 unless given",
                      .target = &options->seed},
                     {.names = "--format",
                      .value = "FORMAT",
                      .help = "of the tables: iceberg, delta or both; iceberg unless given",
                      .target = &options->format,
                      .choices = {"iceberg", "delta", "both"}},
                     {.names = "--rate",
                      .value = "N",
                      .help = "events a second; 500 unless given",
                      .target = &options->rate}};
  command.run = [options](Session& session) { return RunDemo(*options, session); };
  return command;
}

}  // namespace weir::app
