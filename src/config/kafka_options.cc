#include "config/kafka_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "config/descriptor.h"

namespace weir::config {
namespace {

constexpr KafkaOption Text(std::string_view name, std::string_view doc) {
  return {.name = name, .kind = OptionKind::kText, .doc = doc};
}
constexpr KafkaOption Boolean(std::string_view name, std::string_view doc) {
  return {.name = name, .kind = OptionKind::kBoolean, .doc = doc};
}
constexpr KafkaOption Path(std::string_view name, std::string_view doc) {
  return {.name = name, .kind = OptionKind::kPath, .doc = doc};
}
constexpr KafkaOption Secret(std::string_view name, std::string_view doc) {
  return {.name = name, .kind = OptionKind::kSecret, .doc = doc};
}
constexpr KafkaOption Choice(std::string_view name, std::string_view choices,
                             std::string_view doc) {
  return {.name = name, .kind = OptionKind::kChoice, .doc = doc, .choices = choices};
}
constexpr KafkaOption Integer(std::string_view name, std::int64_t min, std::int64_t max,
                              std::string_view doc) {
  return {.name = name, .kind = OptionKind::kInteger, .doc = doc, .min = min, .max = max};
}

// Names, ranges and choices are librdkafka's.
constexpr std::array kOptions = {
    Boolean("api.version.request", "ask the broker which requests it knows"),
    Choice("broker.address.family", "any|v4|v6", "IP version"),
    Integer("broker.address.ttl", 0, 86'400'000, "ms to cache broker addresses"),
    Boolean("check.crcs", "check the checksum of each batch"),
    Choice("client.dns.lookup", "use_all_dns_ips|resolve_canonical_bootstrap_servers_only",
           "how names are looked up"),
    Text("client.id", "the name that the broker logs"),
    Text("client.rack", "the rack, to read from the nearest replica"),
    Integer("connections.max.idle.ms", 0, 2'147'483'647,
            "ms after which idle connections are closed"),
    Text("debug", "debug contexts of the client, for support"),
    Boolean("enable.metrics.push", "push client metrics to the broker"),
    Boolean("enable.sasl.oauthbearer.unsecure.jwt", "unsigned tokens, for tests"),
    Boolean("enable.ssl.certificate.verification", "check the broker's certificate"),
    Integer("fetch.error.backoff.ms", 0, 300'000, "ms to wait after a failed fetch"),
    Integer("fetch.max.bytes", 0, 2'147'483'135, "most bytes of one fetch"),
    Integer("fetch.message.max.bytes", 1, 1'000'000'000, "most bytes of one partition in a fetch"),
    Integer("fetch.min.bytes", 1, 2'147'483'647, "least bytes that the broker waits for"),
    Integer("fetch.queue.backoff.ms", 0, 300'000, "ms to wait when the queue is full"),
    Integer("fetch.wait.max.ms", 0, 300'000, "ms that the broker waits for that much"),
    Path("https.ca.location", "trusted certificates for token endpoints"),
    Choice("isolation.level", "read_committed|read_uncommitted",
           "whether aborted transactions are seen"),
    Integer("log_level", 0, 7, "syslog level of the client's log"),
    Integer("max.in.flight.requests.per.connection", 1, 1'000'000, "requests in flight"),
    Integer("message.max.bytes", 1000, 1'000'000'000, "largest request"),
    Integer("metadata.max.age.ms", 1, 86'400'000, "ms after which metadata is stale"),
    Integer("queued.max.messages.kbytes", 1, 2'097'151, "most KiB fetched ahead"),
    Integer("queued.min.messages", 1, 10'000'000, "messages to fetch ahead"),
    Integer("receive.message.max.bytes", 1000, 2'147'483'647, "largest response"),
    Integer("reconnect.backoff.max.ms", 0, 3'600'000, "longest ms between reconnects"),
    Integer("reconnect.backoff.ms", 0, 3'600'000, "first ms between reconnects"),
    Integer("retry.backoff.max.ms", 1, 300'000, "longest ms between retries"),
    Integer("retry.backoff.ms", 1, 300'000, "first ms between retries"),
    Choice("sasl.mechanism", "PLAIN|SCRAM-SHA-256|SCRAM-SHA-512|OAUTHBEARER", "how to log in"),
    Text("sasl.oauthbearer.client.id", "OAuth client"),
    Secret("sasl.oauthbearer.client.secret", "OAuth client secret"),
    Secret("sasl.oauthbearer.config", "settings of unsigned tokens"),
    Text("sasl.oauthbearer.extensions", "OAuth extensions"),
    Choice("sasl.oauthbearer.method", "default|oidc", "how tokens are got"),
    Text("sasl.oauthbearer.scope", "OAuth scope"),
    Text("sasl.oauthbearer.token.endpoint.url", "OAuth token endpoint"),
    Secret("sasl.password", "password"),
    Text("sasl.username", "user"),
    Choice("security.protocol", "plaintext|ssl|sasl_plaintext|sasl_ssl", "how to connect"),
    Integer("socket.connection.setup.timeout.ms", 1000, 2'147'483'647, "ms to connect"),
    Boolean("socket.keepalive.enable", "TCP keep-alive"),
    Integer("socket.max.fails", 0, 1'000'000, "timeouts before a connection is closed"),
    Boolean("socket.nagle.disable", "TCP_NODELAY"),
    Integer("socket.receive.buffer.bytes", 0, 100'000'000, "receive buffer"),
    Integer("socket.send.buffer.bytes", 0, 100'000'000, "send buffer"),
    Integer("socket.timeout.ms", 10, 300'000, "ms until a request is given up"),
    Path("ssl.ca.location", "trusted certificates"),
    Text("ssl.ca.pem", "trusted certificates, as text"),
    Path("ssl.certificate.location", "client certificate"),
    Text("ssl.certificate.pem", "client certificate, as text"),
    Text("ssl.cipher.suites", "cipher suites"),
    Path("ssl.crl.location", "revoked certificates"),
    Text("ssl.curves.list", "curves"),
    Choice("ssl.endpoint.identification.algorithm", "none|https", "check the broker's host name"),
    Path("ssl.key.location", "client key"),
    Secret("ssl.key.password", "password of the client key"),
    Secret("ssl.key.pem", "client key, as text"),
    Path("ssl.keystore.location", "PKCS#12 key store"),
    Secret("ssl.keystore.password", "password of the key store"),
    Text("ssl.sigalgs.list", "signature algorithms"),
    Integer("topic.metadata.refresh.interval.ms", -1, 3'600'000, "ms between metadata refreshes"),
    Boolean("topic.metadata.refresh.sparse", "refresh only topics in use"),
};

struct Reserved {
  std::string_view name;
  std::string_view why;
};
constexpr std::array kReserved = {
    Reserved{"bootstrap.servers", "write it as `brokers`"},
    Reserved{"metadata.broker.list", "write it as `brokers`"},
    Reserved{"group.id", "write it as `group`"},
    Reserved{"auto.offset.reset", "write it as `start`; Weir never jumps over a gap by itself"},
    Reserved{"enable.auto.commit", "Weir keeps its own offsets in the tables and reports progress"},
    Reserved{"enable.auto.offset.store", "Weir keeps its own offsets in the tables"},
    Reserved{"enable.partition.eof", "Weir sets it"},
    Reserved{"group.instance.id", "Weir assigns partitions itself"},
    Reserved{"group.protocol", "Weir assigns partitions itself"},
    Reserved{"partition.assignment.strategy", "Weir assigns partitions itself"},
    Reserved{"session.timeout.ms", "Weir assigns partitions itself"},
    Reserved{"heartbeat.interval.ms", "Weir assigns partitions itself"},
    Reserved{"max.poll.interval.ms", "Weir assigns partitions itself"},
    Reserved{"allow.auto.create.topics", "a missing topic is an error"},
    Reserved{"statistics.interval.ms", "Weir sets it"},
    Reserved{"sasl.mechanisms", "write it as `sasl.mechanism`"},
    Reserved{"max.partition.fetch.bytes", "write it as `fetch.message.max.bytes`"},
    Reserved{"sasl.kerberos.service.name", "Kerberos is not in this version"},
    Reserved{"plugin.library.paths", "plug-ins are not loaded"},
    Reserved{"ssl.providers", "OpenSSL providers are not loaded"},
    Reserved{"ssl.engine.location", "OpenSSL engines are not loaded"},
};

Error Bad(std::string message) { return InvalidInput(std::move(message), ErrorCode::kBadValue); }

std::string LowerCase(std::string_view text) {
  std::string lower;
  for (char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

}  // namespace

std::span<const KafkaOption> KafkaOptions() { return kOptions; }

const KafkaOption* FindKafkaOption(std::string_view name) {
  const auto found = std::find_if(kOptions.begin(), kOptions.end(),
                                  [name](const KafkaOption& known) { return known.name == name; });
  return found == kOptions.end() ? nullptr : &*found;
}

std::string_view ReservedKafkaOption(std::string_view name) {
  const auto found = std::find_if(kReserved.begin(), kReserved.end(),
                                  [name](const Reserved& known) { return known.name == name; });
  return found == kReserved.end() ? std::string_view() : found->why;
}

Result<std::string> ReadKafkaOption(const KafkaOption& option, const std::string& value) {
  if (value.empty()) return Bad("the value is empty");
  switch (option.kind) {
    case OptionKind::kBoolean:
      if (value == "true" || value == "false") return value;
      return Bad(fmt::format("`{}` is neither true nor false", Printable(value, 60)));
    case OptionKind::kChoice: {
      const auto choices = Choices(option.choices);
      const auto found = std::find_if(
          choices.begin(), choices.end(),
          [&value](std::string_view choice) { return LowerCase(choice) == LowerCase(value); });
      if (found != choices.end()) return std::string(*found);
      return Bad(fmt::format("`{}` is none of {}", Printable(value, 60), fmt::join(choices, ", ")));
    }
    case OptionKind::kInteger: {
      std::int64_t number = 0;
      const auto parsed = std::from_chars(value.data(), value.data() + value.size(), number);
      if (parsed.ec == std::errc() && parsed.ptr == value.data() + value.size() &&
          number >= option.min && number <= option.max) {
        return value;
      }
      return Bad(fmt::format("`{}` is no whole number from {} to {}", Printable(value, 60),
                             option.min, option.max));
    }
    case OptionKind::kText:
    case OptionKind::kPath:
    case OptionKind::kSecret:
      return value;
  }
  return value;
}

}  // namespace weir::config
