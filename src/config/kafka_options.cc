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

using enum OptionKind;

constexpr std::array kOptions = {
    KafkaOption{"api.version.request", kBoolean, "ask the broker which requests it knows"},
    KafkaOption{"broker.address.family", kChoice, "IP version", "any|v4|v6"},
    KafkaOption{"broker.address.ttl", kInteger, "ms to cache broker addresses"},
    KafkaOption{"check.crcs", kBoolean, "check the checksum of each batch"},
    KafkaOption{"client.dns.lookup", kChoice, "how names are looked up",
                "use_all_dns_ips|resolve_canonical_bootstrap_servers_only"},
    KafkaOption{"client.id", kText, "the name that the broker logs"},
    KafkaOption{"client.rack", kText, "the rack, to read from the nearest replica"},
    KafkaOption{"connections.max.idle.ms", kInteger, "ms after which idle connections are closed"},
    KafkaOption{"debug", kText, "debug contexts of the client, for support"},
    KafkaOption{"enable.metrics.push", kBoolean, "push client metrics to the broker"},
    KafkaOption{"enable.sasl.oauthbearer.unsecure.jwt", kBoolean, "unsigned tokens, for tests"},
    KafkaOption{"enable.ssl.certificate.verification", kBoolean, "check the broker's certificate"},
    KafkaOption{"fetch.error.backoff.ms", kInteger, "ms to wait after a failed fetch"},
    KafkaOption{"fetch.max.bytes", kInteger, "most bytes of one fetch"},
    KafkaOption{
        "fetch.message.max.bytes", kInteger, "most bytes of one partition in a fetch", {}, 1},
    KafkaOption{"fetch.min.bytes", kInteger, "least bytes that the broker waits for", {}, 1},
    KafkaOption{"fetch.queue.backoff.ms", kInteger, "ms to wait when the queue is full"},
    KafkaOption{"fetch.wait.max.ms", kInteger, "ms that the broker waits for that much"},
    KafkaOption{"https.ca.location", kPath, "trusted certificates for token endpoints"},
    KafkaOption{"isolation.level", kChoice, "whether aborted transactions are seen",
                "read_committed|read_uncommitted"},
    KafkaOption{"log_level", kInteger, "syslog level of the client's log", {}, 0, 7},
    KafkaOption{"max.in.flight.requests.per.connection", kInteger, "requests in flight", {}, 1},
    KafkaOption{"message.max.bytes", kInteger, "largest request", {}, 1000},
    KafkaOption{"metadata.max.age.ms", kInteger, "ms after which metadata is stale", {}, 1},
    KafkaOption{"queued.max.messages.kbytes", kInteger, "most KiB fetched ahead", {}, 1},
    KafkaOption{"queued.min.messages", kInteger, "messages to fetch ahead", {}, 1, 10'000'000},
    KafkaOption{"receive.message.max.bytes", kInteger, "largest response", {}, 1000},
    KafkaOption{"reconnect.backoff.max.ms", kInteger, "longest ms between reconnects"},
    KafkaOption{"reconnect.backoff.ms", kInteger, "first ms between reconnects"},
    KafkaOption{"retry.backoff.max.ms", kInteger, "longest ms between retries", {}, 1},
    KafkaOption{"retry.backoff.ms", kInteger, "first ms between retries", {}, 1},
    KafkaOption{"sasl.mechanism", kChoice, "how to log in",
                "PLAIN|SCRAM-SHA-256|SCRAM-SHA-512|OAUTHBEARER"},
    KafkaOption{"sasl.oauthbearer.client.id", kText, "OAuth client"},
    KafkaOption{"sasl.oauthbearer.client.secret", kSecret, "OAuth client secret"},
    KafkaOption{"sasl.oauthbearer.config", kSecret, "settings of unsigned tokens"},
    KafkaOption{"sasl.oauthbearer.extensions", kText, "OAuth extensions"},
    KafkaOption{"sasl.oauthbearer.method", kChoice, "how tokens are got", "default|oidc"},
    KafkaOption{"sasl.oauthbearer.scope", kText, "OAuth scope"},
    KafkaOption{"sasl.oauthbearer.token.endpoint.url", kText, "OAuth token endpoint"},
    KafkaOption{"sasl.password", kSecret, "password"},
    KafkaOption{"sasl.username", kText, "user"},
    KafkaOption{"security.protocol", kChoice, "how to connect",
                "plaintext|ssl|sasl_plaintext|sasl_ssl"},
    KafkaOption{"socket.connection.setup.timeout.ms", kInteger, "ms to connect", {}, 1000},
    KafkaOption{"socket.keepalive.enable", kBoolean, "TCP keep-alive"},
    KafkaOption{"socket.max.fails", kInteger, "timeouts before a connection is closed"},
    KafkaOption{"socket.nagle.disable", kBoolean, "TCP_NODELAY"},
    KafkaOption{"socket.receive.buffer.bytes", kInteger, "receive buffer"},
    KafkaOption{"socket.send.buffer.bytes", kInteger, "send buffer"},
    KafkaOption{"socket.timeout.ms", kInteger, "ms until a request is given up", {}, 10},
    KafkaOption{"ssl.ca.location", kPath, "trusted certificates"},
    KafkaOption{"ssl.ca.pem", kText, "trusted certificates, as text"},
    KafkaOption{"ssl.certificate.location", kPath, "client certificate"},
    KafkaOption{"ssl.certificate.pem", kText, "client certificate, as text"},
    KafkaOption{"ssl.cipher.suites", kText, "cipher suites"},
    KafkaOption{"ssl.crl.location", kPath, "revoked certificates"},
    KafkaOption{"ssl.curves.list", kText, "curves"},
    KafkaOption{"ssl.endpoint.identification.algorithm", kChoice, "check the broker's host name",
                "none|https"},
    KafkaOption{"ssl.key.location", kPath, "client key"},
    KafkaOption{"ssl.key.password", kSecret, "password of the client key"},
    KafkaOption{"ssl.key.pem", kSecret, "client key, as text"},
    KafkaOption{"ssl.keystore.location", kPath, "PKCS#12 key store"},
    KafkaOption{"ssl.keystore.password", kSecret, "password of the key store"},
    KafkaOption{"ssl.sigalgs.list", kText, "signature algorithms"},
    KafkaOption{
        "topic.metadata.refresh.interval.ms", kInteger, "ms between metadata refreshes", {}, -1},
    KafkaOption{"topic.metadata.refresh.sparse", kBoolean, "refresh only topics in use"},
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
    case kBoolean:
      if (value == "true" || value == "false") return value;
      return Bad(fmt::format("`{}` is neither true nor false", Printable(value, 60)));
    case kChoice: {
      const auto choices = Choices(option.choices);
      const auto found = std::find_if(
          choices.begin(), choices.end(),
          [&value](std::string_view choice) { return LowerCase(choice) == LowerCase(value); });
      if (found != choices.end()) return std::string(*found);
      return Bad(fmt::format("`{}` is none of {}", Printable(value, 60), fmt::join(choices, ", ")));
    }
    case kInteger: {
      std::int64_t number = 0;
      const auto parsed = std::from_chars(value.data(), value.data() + value.size(), number);
      if (parsed.ec == std::errc() && parsed.ptr == value.data() + value.size() &&
          number >= option.min && number <= option.max) {
        return value;
      }
      return Bad(fmt::format("`{}` is no whole number from {} to {}", Printable(value, 60),
                             option.min, option.max));
    }
    case kText:
    case kPath:
    case kSecret:
      return value;
  }
  return value;
}

}  // namespace weir::config
