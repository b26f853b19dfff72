#include "app/log_target.h"

#include "app/wiring.h"
#include "config/load.h"
#include "engine/patience.h"
#include "kafka/kafka_sink.h"
#include "kafka/kafka_source.h"
#include "spool/spool.h"

namespace weir::app {
namespace {

constexpr std::int64_t kMostPartitions = 10'000;

Error Usage(std::string message) {
  return WithRemedy(InvalidInput(std::move(message), ErrorCode::kUsage),
                    "name one of --brokers HOST:PORT, --spool FOLDER and -c FILE");
}

kafka::ClientOptions ClientOf(const config::SourceSpec& source) {
  return {.brokers = source.brokers,
          .options = source.options,
          .secret_options = source.secret_options};
}

Result<config::SourceSpec> FromPipelineFile(Session& session) {
  auto outcome = config::LoadPipeline(session.config_file(), session.environment);
  if (!outcome.spec) {
    const Status status = outcome.diagnostics.ToStatus();
    return status.error();
  }
  return outcome.spec->source;
}

}  // namespace

std::vector<Option> MakeLogTargetOptions(LogTargetOptions& options, bool writes) {
  std::vector<Option> made{{.names = "--topic",
                            .value = "TOPIC",
                            .help = "the topic; with -c that of the pipeline unless given",
                            .target = &options.topic},
                           {.names = "--brokers",
                            .value = "HOST:PORT",
                            .help = "a Kafka cluster by its bootstrap servers",
                            .target = &options.brokers},
                           {.names = "--spool",
                            .value = "FOLDER",
                            .help = "an embedded log by its folder",
                            .target = &options.spool}};
  if (writes) {
    made.push_back({.names = "--partitions",
                    .value = "N",
                    .help = "create the topic with so many partitions if it is not there",
                    .target = &options.partitions});
  }
  return made;
}

Result<config::SourceSpec> ResolveLogTarget(const LogTargetOptions& options, Session& session) {
  const int named =
      (options.brokers ? 1 : 0) + (options.spool ? 1 : 0) + (session.options.config ? 1 : 0);
  if (named == 0) return Usage("which log?");
  if (named > 1) return Usage("more than one log is named");
  if (options.partitions && (*options.partitions < 1 || *options.partitions > kMostPartitions)) {
    return InvalidInput("--partitions is a number from 1 to 10 000", ErrorCode::kUsage);
  }
  config::SourceSpec target;
  if (session.options.config) {
    WEIR_ASSIGN_OR_RETURN(target, FromPipelineFile(session));
  } else if (options.brokers) {
    target.kind = config::SourceKind::kKafka;
    target.brokers = *options.brokers;
    target.group = "weir";  // the client asks for a name, though nobody joins or commits
  } else {
    target.kind = config::SourceKind::kSpool;
    target.spool_path = *options.spool;
  }
  if (options.topic) target.topic = *options.topic;
  if (target.topic.empty()) {
    return InvalidInput("which topic? name it by --topic", ErrorCode::kUsage);
  }
  return target;
}

Result<std::unique_ptr<connect::LogSink>> OpenSink(const config::SourceSpec& target,
                                                   std::optional<std::int64_t> partitions) {
  if (target.kind == config::SourceKind::kSpool) {
    spool::TopicSettings settings;
    if (partitions) settings.partitions = static_cast<int>(*partitions);
    return spool::OpenSpoolSink(target.spool_path, target.topic, {.create_topic = settings});
  }
  const kafka::ClientOptions client = ClientOf(target);
  if (partitions) {
    WEIR_TRY(kafka::CreateTopic(client, target.topic, static_cast<int>(*partitions)));
  }
  WEIR_ASSIGN_OR_RETURN(auto sink, kafka::KafkaSink::Open(client, target.topic));
  return std::unique_ptr<connect::LogSink>(std::move(sink));
}

Result<std::unique_ptr<connect::LogSource>> OpenReader(const config::SourceSpec& target,
                                                       bool want_headers) {
  if (target.kind == config::SourceKind::kSpool) {
    return spool::NewSpoolSource(target.spool_path, target.topic);
  }
  WEIR_ASSIGN_OR_RETURN(auto source, kafka::KafkaSource::Open({.client = ClientOf(target),
                                                               .topic = target.topic,
                                                               .group = target.group,
                                                               .want_headers = want_headers}));
  return std::unique_ptr<connect::LogSource>(std::move(source));
}

Result<connect::TopicInfo> DescribePatiently(connect::LogSource& source, Clock& clock, Micros limit,
                                             std::stop_token stop) {
  engine::PatienceRules rules;
  rules.limit = limit;
  rules.grace_after_stop = 0;
  rules.stop = std::move(stop);
  engine::Patience patience(clock, rules, "the log");
  while (true) {
    auto topic = source.Describe();
    if (topic) return topic;
    const bool may_pass = topic.error().kind == ErrorKind::kUnavailable ||
                          topic.error().code == ErrorCode::kTopicMissing;
    if (!may_pass) return topic;
    WEIR_TRY(patience.After(topic.error()));
  }
}

}  // namespace weir::app
