#include "app/contract_drift.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "app/listing.h"
#include "app/log_target.h"
#include "app/pipeline_file.h"
#include "app/session.h"
#include "app/stop_signals.h"
#include "base/bytes.h"
#include "base/digits.h"
#include "codec/field_profile.h"
#include "codec/record_decoder.h"
#include "codec/registry_client.h"
#include "config/contract_patch.h"
#include "config/contract_writer.h"
#include "config/quantity.h"
#include "config/yaml_node.h"

namespace weir::app {
namespace {

constexpr Micros kMostPatience = 60 * kMicrosPerSecond;
constexpr Micros kPollWait = 100 * kMicrosPerMilli;
constexpr std::size_t kPollRecords = 4'096;

struct ScanOptions {
  std::optional<std::string> from;
  std::optional<std::int64_t> count;
  std::optional<std::string> producer;
  bool all = false;
};

std::vector<Option> MakeScanOptions(ScanOptions& options) {
  return {{.names = "--from",
           .value = "WHERE",
           .help = "where to begin: earliest, or a time; earliest unless given",
           .target = &options.from},
          {.names = "-n,--count",
           .value = "N",
           .help = "look at so many records at most",
           .target = &options.count},
          {.names = "--producer",
           .value = "WHAT",
           .help = "what tells producers apart: header:NAME, field:NAME or key",
           .target = &options.producer}};
}

// What a record's producer is called. Kafka does not tell who wrote a record, so producers say it.
class ProducerNames {
 public:
  static Result<ProducerNames> Of(const std::optional<std::string>& option) {
    ProducerNames names;
    const std::string text = option.value_or("");
    if (text.empty()) {
      names.headers_ = {"producer", "ce_source"};
    } else if (text == "key") {
      names.key_ = true;
    } else if (text.starts_with("header:") && text.size() > 7) {
      names.headers_ = {text.substr(7)};
    } else if (text.starts_with("field:") && text.size() > 6) {
      names.field_ = text.substr(6);
    } else {
      return InvalidInput(
          "--producer takes header:NAME, field:NAME or key, not `" + Printable(text, 60) + "`",
          ErrorCode::kUsage);
    }
    return names;
  }

  std::string NameOf(const LogRecord& record, std::string_view json) const {
    if (key_) return record.key ? Printable(*record.key, 80) : "-";
    for (const std::string& wanted : headers_) {
      for (const RecordHeader& header : record.headers) {
        if (header.name == wanted && header.value) return Printable(*header.value, 80);
      }
    }
    return field_.empty() ? "-" : FieldOf(json);
  }

 private:
  std::string FieldOf(std::string_view json) const {
    codec::JsonScanner scanner(64);
    if (scanner.Scan(json)) return "-";
    for (const codec::JsonMember& member : scanner.members()) {
      if (scanner.TextOf(member.key) == field_) return Printable(scanner.TextOf(member.value), 80);
    }
    return "-";
  }

  bool key_ = false;
  std::vector<std::string> headers_;
  std::string field_;
};

Result<OffsetMap> StartOf(const ScanOptions& options, const connect::TopicInfo& topic,
                          connect::LogSource& source) {
  OffsetMap start;
  if (options.from && *options.from != "earliest") {
    const auto time = config::ParseTime(*options.from);
    if (!time)
      return InvalidInput("--from takes earliest or a time, not `" + *options.from + "`",
                          ErrorCode::kUsage);
    WEIR_ASSIGN_OR_RETURN(start, source.OffsetsAt(*time / kMicrosPerMilli));
  }
  for (const auto& [partition, bounds] : topic.partitions) {
    const auto at = start.find(partition);
    start[partition] =
        at == start.end() ? bounds.begin : std::clamp(at->second, bounds.begin, bounds.end);
  }
  return start;
}

// The values of framed records as texts; the values themselves where there is no registry.
class ValueTexts {
 public:
  explicit ValueTexts(const config::PipelineSpec& spec) {
    if (!spec.source.registry) return;
    const config::RegistrySpec& registry = *spec.source.registry;
    texts_ = codec::NewValueTexts(spec.contract,
                                  codec::NewRegistryClient({.url = registry.url,
                                                            .user = registry.user,
                                                            .password = registry.password,
                                                            .ca_file = registry.ca_file}));
  }
  Result<std::string_view> Of(std::string_view value) {
    if (!texts_) return value;
    return texts_->Of(value);
  }

 private:
  std::unique_ptr<codec::ValueTexts> texts_;
};

Status Scan(const config::PipelineSpec& spec, const ScanOptions& options,
            const std::stop_token& stop, Session& session, codec::FieldProfile* profile) {
  WEIR_ASSIGN_OR_RETURN(const ProducerNames names, ProducerNames::Of(options.producer));
  WEIR_ASSIGN_OR_RETURN(auto source, OpenReader(spec.source, /*want_headers=*/true));
  WEIR_ASSIGN_OR_RETURN(const auto topic,
                        DescribePatiently(*source, session.clock, kMostPatience, stop));
  WEIR_ASSIGN_OR_RETURN(const OffsetMap start, StartOf(options, topic, *source));
  WEIR_TRY(source->Assign(start));
  ValueTexts texts(spec);
  const std::int64_t most = options.count.value_or(INT64_MAX);
  const auto done = [&] {
    const OffsetMap at = source->Positions();
    return std::ranges::all_of(topic.partitions, [&](const auto& entry) {
      const auto position = at.find(entry.first);
      return position != at.end() && position->second >= entry.second.end;
    });
  };
  while (!done() && profile->records() < most && !stop.stop_requested()) {
    auto batch = source->Poll(kPollWait, kPollRecords);
    if (!batch && batch.error().kind != ErrorKind::kUnavailable) return std::move(batch).error();
    if (!batch) continue;
    for (const LogRecord& record : batch->records) {
      if (profile->records() >= most) break;
      if (!record.value) continue;
      WEIR_ASSIGN_OR_RETURN(const std::string_view json, texts.Of(*record.value));
      profile->Observe(json, record, names.NameOf(record, json));
    }
  }
  return Ok();
}

// What is to be said of one kind of values under one name; empty: nothing.
std::string Verdict(const std::string& name, codec::ValueKind kind,
                    const std::map<std::string, codec::FieldUse>& producers,
                    const Contract& contract) {
  const auto index = contract.IndexOf(name);
  const bool known = index && !contract.fields[*index].from_ingestion;
  if (known) return codec::Fits(kind, contract.fields[*index]) ? "" : "drift";
  const bool may_be_time = codec::SoundsLikeTime(name);
  for (const auto& [producer, use] : producers) {
    for (const auto& [other, count] : use.kinds) {
      if (codec::AreDrift(kind, other, may_be_time)) return "unknown, drift";
    }
  }
  return "unknown";
}

void WriteDrift(const codec::FieldProfile& profile, const Contract& contract, bool all,
                Session& session) {
  Listing listing{.columns = {"field", "producer", "values", "count", "first_seen", "example",
                              "contract", "verdict"},
                  .rows = {}};
  for (const auto& [name, producers] : profile.fields()) {
    const auto index = contract.IndexOf(name);
    for (const auto& [producer, use] : producers) {
      for (const auto& [kind, count] : use.kinds) {
        const std::string verdict = Verdict(name, kind, producers, contract);
        if (verdict.empty() && !all) continue;
        listing.Add({Printable(name, 80), producer, ToString(kind), count.count,
                     fmt::format("{}:{}", count.partition.value(), count.offset.value()),
                     count.example,
                     index ? Cell(ToString(contract.fields[*index].field.type)) : Cell(),
                     verdict.empty() ? "fits" : verdict});
      }
    }
  }
  WriteListing(listing, session);
  session.Note(fmt::format("{} records looked at, {} of them no JSON object",
                           GroupDigits(profile.records()), GroupDigits(profile.unreadable())));
  if (profile.beyond() > 0)
    session.Note(fmt::format("{} uses of further fields: more than {} fields are not told apart",
                             GroupDigits(profile.beyond()), codec::FieldProfile::kMaxFields));
}

Result<int> RunDrift(const ScanOptions& options, Session& session) {
  const StopSignals signals;
  const LoadedPipeline loaded = LoadPipelineFile(session);
  if (!loaded.spec) return loaded.exit_code;
  codec::FieldProfile profile;
  WEIR_TRY(Scan(*loaded.spec, options, signals.token(), session, &profile));
  WriteDrift(profile, loaded.spec->contract, options.all, session);
  return exit_code::kOk;
}

Result<int> RunPromote(const ScanOptions& options, const std::string& name, Session& session) {
  const StopSignals signals;
  const LoadedPipeline loaded = LoadPipelineFile(session);
  if (!loaded.spec) return loaded.exit_code;
  const config::PipelineSpec& spec = *loaded.spec;
  if (spec.contract.IndexOf(name))
    return InvalidInput("`" + name + "` is a field of the contract already", ErrorCode::kUsage);
  codec::FieldProfile profile;
  WEIR_TRY(Scan(spec, options, signals.token(), session, &profile));
  const auto found = profile.fields().find(name);
  if (found == profile.fields().end())
    return InvalidInput(fmt::format("no event has a field `{}` ({} records looked at)",
                                    Printable(name, 60), GroupDigits(profile.records())),
                        ErrorCode::kUsage);
  std::map<codec::ValueKind, codec::KindCount> kinds;
  for (const auto& [producer, use] : found->second)
    kinds.insert(use.kinds.begin(), use.kinds.end());
  WEIR_ASSIGN_OR_RETURN(const ContractField field, codec::ProposeField(name, kinds));
  Contract next = spec.contract;
  next.fields.push_back(field);
  WEIR_TRY(Check(next));
  const std::string file = spec.contract_file.empty() ? spec.file : spec.contract_file;
  WEIR_ASSIGN_OR_RETURN(const std::string text,
                        session.environment.ReadFile(file, config::kMaxFileBytes));
  const std::string patch = config::PatchWithField(text, file, field);
  session.out << (patch.empty() ? config::ContractText(next) : patch);
  session.Note(patch.empty() ? "the whole contract, with the field at its end"
                             : "apply it with `weir contract promote ... | patch -p0`; a running "
                               "pipeline takes it up by itself");
  return exit_code::kOk;
}

}  // namespace

Command MakeContractDriftCommand() {
  auto options = std::make_shared<ScanOptions>();
  Command command;
  command.name = "drift";
  command.summary = "Lists fields that the contract does not know, and fields whose type drifts";
  command.examples = {
      {"weir contract drift -c pipeline.yaml", "all events that the topic still holds"},
      {"weir contract drift --from 2026-11-01T00:00:00Z --producer header:app", "by the app"}};
  command.details =
      "Reads the topic, not the tables. For each field and producer: the kinds of values, how "
      "many, "
      "the partition:offset of the first, an example. Kafka does not say who wrote a record: a "
      "producer is the header `producer` or `ce_source` unless --producer names another header, a "
      "field of the value, or the key; records without it are `-`. Whole numbers of the size of "
      "seconds, milliseconds and microseconds since 1970 are told apart. Memory is bounded: 1,000 "
      "fields, 100 producers.";
  command.options = MakeScanOptions(*options);
  command.options.push_back(
      {.names = "--all", .help = "also what fits the contract", .target = &options->all});
  command.run = [options](Session& session) { return RunDrift(*options, session); };
  return command;
}

Command MakeContractPromoteCommand() {
  auto options = std::make_shared<ScanOptions>();
  auto name = std::make_shared<std::string>();
  Command command;
  command.name = "promote";
  command.summary = "Proposes the change that makes an unknown field part of the contract";
  command.examples = {{"weir contract promote coupon -c pipeline.yaml", "print the patch"},
                      {"weir contract promote coupon -c pipeline.yaml | patch -p0", "apply it"}};
  command.details =
      "Looks at the values in the topic and proposes an optional field of the type that takes all "
      "of them. Writes nothing.";
  command.options = {{.names = "FIELD",
                      .value = "FIELD",
                      .help = "a field that `weir contract drift` lists as unknown",
                      .target = name.get(),
                      .required = true}};
  for (Option& option : MakeScanOptions(*options)) command.options.push_back(std::move(option));
  command.run = [options, name](Session& session) { return RunPromote(*options, *name, session); };
  return command;
}

}  // namespace weir::app
