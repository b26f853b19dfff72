#include "app/generate_command.h"

#include <cmath>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include "app/listing.h"
#include "app/live_line.h"
#include "app/log_target.h"
#include "app/session.h"
#include "app/stop_signals.h"
#include "app/wiring.h"
#include "base/digits.h"
#include "config/quantity.h"
#include "generate/answer_key.h"
#include "generate/delivery.h"
#include "generate/generator.h"
#include "generate/ndjson_sink.h"

namespace weir::app {
namespace {

struct GenerateOptions {
  LogTargetOptions target;
  std::optional<std::int64_t> seed;
  std::optional<std::int64_t> count;
  std::optional<std::int64_t> rate;
  std::optional<std::int64_t> mean_rate;
  std::optional<std::string> run_for;
  std::optional<std::string> start;
  std::string faults;
  std::string shape = "retail";
  std::optional<std::string> answer_key;
  std::optional<std::string> delay;
  std::optional<std::string> out;
  bool envelope = false;
};

Error Usage(std::string message) { return InvalidInput(std::move(message), ErrorCode::kUsage); }

Result<generate::GeneratorOptions> ReadOptions(const GenerateOptions& given) {
  generate::GeneratorOptions options;
  if (given.seed) options.seed = static_cast<std::uint64_t>(*given.seed);
  for (const auto* number : {&given.count, &given.rate, &given.mean_rate}) {
    if (*number && **number <= 0) {
      return Usage("--count, --rate and --mean-rate are numbers above zero");
    }
  }
  if (given.rate && given.mean_rate) return Usage("--rate and --mean-rate exclude each other");
  if (!given.count && !given.rate) return Usage("how many? --count N, or --rate N a second");
  if (given.count) options.count = static_cast<std::uint64_t>(*given.count);
  if (given.rate) options.rate = static_cast<std::uint64_t>(*given.rate);
  if (given.mean_rate) options.mean_rate = static_cast<std::uint64_t>(*given.mean_rate);
  if (given.run_for) {
    if (!given.rate || given.count) return Usage("--for belongs to --rate alone");
    WEIR_ASSIGN_OR_RETURN(const Micros span, ParseSpanOption("--for", *given.run_for));
    const auto seconds = static_cast<double>(span) / kMicrosPerSecond;
    options.count =
        static_cast<std::uint64_t>(std::llround(static_cast<double>(*given.rate) * seconds));
  }
  if (given.start) {
    auto start = config::ParseTime(*given.start);
    if (!start) return Usage("--start: " + start.error().message);
    options.start = *start;
  }
  WEIR_ASSIGN_OR_RETURN(options.faults, generate::ParseFaults(given.faults));
  options.shape = given.shape;
  return options;
}

// Where events go: a log, a file, or standard output.
struct Outlet {
  std::string description;
  int partitions = 0;
  bool is_log = false;
  std::unique_ptr<std::ofstream> file;
  std::unique_ptr<connect::LogSink> sink;
};

Result<Outlet> OpenOutlet(const GenerateOptions& given, Session& session) {
  Outlet outlet;
  if (given.out) {
    if (given.target.named(session)) return Usage("--out and a topic exclude each other");
    const auto form = given.envelope ? generate::LineForm::kEnvelope : generate::LineForm::kValue;
    outlet.description = *given.out == "-" ? "standard output" : *given.out;
    if (*given.out != "-") {
      outlet.file = std::make_unique<std::ofstream>(*given.out, std::ios::binary | std::ios::trunc);
      if (!*outlet.file) {
        return InvalidInput(*given.out + ": cannot be written", ErrorCode::kUsage);
      }
    }
    std::ostream& out = outlet.file ? *outlet.file : session.out;
    outlet.sink = std::make_unique<generate::NdjsonSink>(out, outlet.description, form);
    outlet.partitions = static_cast<int>(given.target.partitions.value_or(0));
    return outlet;
  }
  if (given.envelope) return Usage("--envelope belongs to --out");
  WEIR_ASSIGN_OR_RETURN(const auto target, ResolveLogTarget(given.target, session));
  WEIR_ASSIGN_OR_RETURN(outlet.sink, OpenSink(target, given.target.partitions));
  WEIR_ASSIGN_OR_RETURN(auto reader, OpenReader(target, false));
  constexpr Micros kPatience = 10 * kMicrosPerSecond;  // a topic just made may take a moment
  WEIR_ASSIGN_OR_RETURN(const auto topic, DescribePatiently(*reader, session.clock, kPatience, {}));
  outlet.partitions = static_cast<int>(topic.partitions.size());
  outlet.description = DescribeSource(target);
  outlet.is_log = true;
  return outlet;
}

std::string ProgressText(const generate::DeliveryProgress& progress,
                         const generate::GeneratorOptions& options) {
  const auto records = static_cast<std::int64_t>(progress.records);
  const double seconds =
      static_cast<double>(std::max<Micros>(1, progress.elapsed)) / kMicrosPerSecond;
  const double rate = static_cast<double>(records) / seconds;
  std::string text = fmt::format("{} events  {}/s", GroupDigits(records),
                                 GroupDigits(static_cast<std::int64_t>(rate)));
  if (options.count && rate > 0) {
    const double left = static_cast<double>(*options.count - progress.records) / rate;
    text += fmt::format("  {} %  {} left", 100 * progress.records / *options.count,
                        FormatSpan(static_cast<Micros>(left * kMicrosPerSecond)));
  }
  return text;
}

Status WriteKey(const std::string& path, const generate::AnswerKey& key) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << key.ToJson();
  file.close();
  if (file) return Ok();
  return Unavailable(path + ": the answer key cannot be written", ErrorCode::kStorageFailed);
}

Result<int> RunGenerate(const GenerateOptions& given, Session& session) {
  const StopSignals signals;
  WEIR_ASSIGN_OR_RETURN(auto options, ReadOptions(given));
  WEIR_ASSIGN_OR_RETURN(Outlet outlet, OpenOutlet(given, session));
  options.partitions = outlet.partitions;
  WEIR_ASSIGN_OR_RETURN(auto generator, generate::Generator::Make(options, session.clock.Now()));
  std::optional<Micros> delay;
  if (given.delay) {
    if (!given.answer_key) return Usage("--delay belongs to --answer-key");
    if (outlet.partitions == 0) return Usage("--delay needs --partitions");
    WEIR_ASSIGN_OR_RETURN(delay, ParseSpanOption("--delay", *given.delay));
  }
  generate::AnswerKeyBuilder key(*generator, delay);
  Result<generate::DeliveryProgress> done = generate::DeliveryProgress{};
  {
    LiveLine line(session);
    done = generate::Deliver(
        *generator, *outlet.sink,
        {.stop = signals.token(),
         .progress = [&](const auto& progress) { line.Show(ProgressText(progress, options)); },
         .keep_times = !outlet.is_log,
         .key = given.answer_key ? &key : nullptr},
        session.clock);
  }
  // Whoever read standard output has seen enough, or main says what went wrong with it.
  if (!done && given.out == "-" && !session.out) return exit_code::kOk;
  if (!done) return done.error();
  if (given.answer_key) WEIR_TRY(WriteKey(*given.answer_key, key.Build()));
  session.Note(fmt::format("generated {} ({}) into {} in {}",
                           CountOf(static_cast<std::int64_t>(done->records), "event"),
                           ShowBytes(static_cast<std::int64_t>(done->bytes)), outlet.description,
                           FormatSpan(done->elapsed)));
  return exit_code::kOk;
}

}  // namespace

Command MakeGenerateCommand() {
  auto options = std::make_shared<GenerateOptions>();
  Command command;
  command.name = "generate";
  command.summary = "Makes events of a made-up shop, the same for the same seed";
  command.examples = {
      {"weir generate --seed 1 --count 100000 --spool ./log --topic shop",
       "as fast as the log takes "
       "them"},
      {"weir generate --seed 1 --rate 500 -c pipeline.yaml", "500 a second until Ctrl-C"},
      {"weir generate --seed 1 --count 10 --out -", "to look at"}};
  command.details =
      "--faults plants what goes wrong in a real log: late=2%:20m,dup=5%,bad=0.5%,tombstone=0.1%. "
      "--answer-key says what the tables must hold afterwards; `weir verify --key` compares.";
  command.options = MakeLogTargetOptions(options->target, true);
  const std::vector<Option> own{
      {.names = "--out",
       .value = "FILE",
       .help = "write lines to a file, or to - (standard output)",
       .target = &options->out},
      {.names = "--envelope",
       .help = "with --out: whole records, as `weir produce --envelope` reads",
       .target = &options->envelope},
      {.names = "--seed",
       .value = "N",
       .help = "another seed is another shop; 1 unless given",
       .target = &options->seed},
      {.names = "--count", .value = "N", .help = "so many events", .target = &options->count},
      {.names = "--rate",
       .value = "N",
       .help = "so many a second, from now on",
       .target = &options->rate},
      {.names = "--mean-rate",
       .value = "N",
       .help = "so many a second of event time on average, by the curve of a day; 25 unless given",
       .target = &options->mean_rate},
      {.names = "--for",
       .value = "SPAN",
       .help = "with --rate: end after this time",
       .target = &options->run_for},
      {.names = "--start",
       .value = "TIME",
       .help = "the first event time; 2025-06-02T08:00:00Z unless given, with --rate now",
       .target = &options->start},
      {.names = "--faults",
       .value = "LIST",
       .help = "what goes wrong, and how often",
       .target = &options->faults},
      {.names = "--shape",
       .value = "SHAPE",
       .help = "the fields of an event",
       .target = &options->shape,
       .choices = {"retail", "events"}},
      {.names = "--answer-key",
       .value = "FILE",
       .help = "write what the tables must hold",
       .target = &options->answer_key},
      {.names = "--delay",
       .value = "SPAN",
       .help =
           "with --answer-key: of the pipeline's watermark; the key then tells late from on time",
       .target = &options->delay}};
  command.options.insert(command.options.end(), own.begin(), own.end());
  command.run = [options](Session& session) { return RunGenerate(*options, session); };
  return command;
}

}  // namespace weir::app
