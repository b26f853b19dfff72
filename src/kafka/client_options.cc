#include "kafka/client_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/bytes.h"
#include "kafka/client.h"

namespace weir::kafka {

namespace {

// What offsets, exactly-once and our own logging rest on.
constexpr std::array<std::string_view, 13> kOwn{"bootstrap.servers",
                                                "metadata.broker.list",
                                                "group.id",
                                                "enable.auto.commit",
                                                "auto.commit.enable",
                                                "enable.auto.offset.store",
                                                "auto.offset.reset",
                                                "enable.partition.eof",
                                                "enable.idempotence",
                                                "log.queue",
                                                "group.protocol",
                                                "transactional.id",
                                                "partition.assignment.strategy"};

// Names of all settings that librdkafka knows, of clients and of topics.
std::vector<std::string> KnownNames() {
  std::vector<std::string> names;
  std::size_t count = 0;
  const auto take = [&](const char** dump) {
    for (std::size_t i = 0; i + 1 < count; i += 2) names.emplace_back(dump[i]);
    rd_kafka_conf_dump_free(dump, count);
  };
  const ConfPtr conf(rd_kafka_conf_new());
  take(rd_kafka_conf_dump(conf.get(), &count));
  rd_kafka_topic_conf_t* topic = rd_kafka_topic_conf_new();
  take(rd_kafka_topic_conf_dump(topic, &count));
  rd_kafka_topic_conf_destroy(topic);
  return names;
}

Error UnknownSetting(const std::string& name) {
  std::string nearest;
  std::size_t distance = std::max<std::size_t>(2, name.size() / 4) + 1;
  for (std::string& known : KnownNames()) {
    const std::size_t steps = EditDistance(name, known);
    if (steps < distance) {
      distance = steps;
      nearest = std::move(known);
    }
  }
  Error error = InvalidInput("the Kafka client has no setting '" + Printable(name) + "'",
                             ErrorCode::kBadValue);
  return nearest.empty() ? error : WithRemedy(std::move(error), "did you mean '" + nearest + "'?");
}

bool IsSecret(const ClientOptions& options, const std::string& name) {
  return std::find(options.secret_options.begin(), options.secret_options.end(), name) !=
             options.secret_options.end() ||
         name.find("password") != std::string::npos || name.find("secret") != std::string::npos ||
         name.ends_with("key.pem");
}

Status SetOption(const ClientOptions& options, const std::string& name, const std::string& value,
                 rd_kafka_conf_t* conf) {
  char reason[512] = "";
  switch (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), reason, sizeof reason)) {
    case RD_KAFKA_CONF_OK:
      return Ok();
    case RD_KAFKA_CONF_UNKNOWN:
      return UnknownSetting(name);
    default:
      // The reason may quote the value.
      return InvalidInput("the Kafka setting '" + name + "' has a value that cannot be used" +
                              (IsSecret(options, name) ? "" : ": " + Printable(reason)),
                          ErrorCode::kBadValue);
  }
}

}  // namespace

Result<ConfPtr> MakeConf(const ClientOptions& options, const Client::Setup& setup) {
  ConfPtr conf(rd_kafka_conf_new());
  for (const auto& [name, value] : setup.defaults) {
    if (!options.options.contains(name)) {
      WEIR_TRY(SetOption(options, name, value, conf.get()));
    }
  }
  for (const auto& [name, value] : options.options) {
    if (std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end()) {
      return WithRemedy(
          InvalidInput("the Kafka setting '" + name + "' is Weir's own", ErrorCode::kBadValue),
          "leave it out: offsets, brokers and group are set elsewhere");
    }
    WEIR_TRY(SetOption(options, name, value, conf.get()));
  }
  for (const auto& [name, value] : setup.required) {
    WEIR_TRY(SetOption(options, name, value, conf.get()));
  }
  if (!options.brokers.empty()) {
    WEIR_TRY(SetOption(options, "bootstrap.servers", options.brokers, conf.get()));
  }
  return conf;
}

Status CheckOptions(const ClientOptions& client) {
  // A client without brokers: settings that contradict each other and files that are not there come
  // out, and nothing is connected.
  ClientOptions offline = client;
  offline.brokers.clear();
  WEIR_ASSIGN_OR_RETURN(ConfPtr conf, MakeConf(offline, {}));
  rd_kafka_conf_set_log_cb(conf.get(), nullptr);
  char reason[512] = "";
  rd_kafka_t* handle = rd_kafka_new(RD_KAFKA_CONSUMER, conf.get(), reason, sizeof reason);
  if (handle == nullptr) {
    return InvalidInput("the Kafka settings cannot be used: " + Printable(reason),
                        ErrorCode::kBadValue);
  }
  (void)conf.release();  // the handle's now
  rd_kafka_destroy(handle);
  return Ok();
}

std::string ClientLibrary() { return std::string("librdkafka ") + rd_kafka_version_str(); }

}  // namespace weir::kafka
