#include "config/source_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"
#include "config/environment.h"
#include "config/kafka_options.h"
#include "config/quantity.h"
#include "config/secret.h"

namespace weir::config {
namespace {

constexpr std::size_t kMaxTopicBytes = 249;

bool IsTopicByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
}

std::string ReadTopic(Section& section) {
  const auto topic = section.Text("topic");
  if (!topic) return {};
  const bool legal = std::all_of(topic->begin(), topic->end(), IsTopicByte) &&
                     topic->size() <= kMaxTopicBytes && *topic != "." && *topic != "..";
  if (!legal) {
    section.Error("topic", ErrorCode::kBadValue,
                  "`topic` is no name of a topic: letters, digits, `.`, `_` and `-`, at most 249");
  }
  return *topic;
}

void ReadStart(Section& section, SourceSpec& source) {
  const std::string start = section.Text("start").value_or("earliest");
  if (start == "earliest" || start == "latest") {
    source.start = start == "latest" ? StartKind::kLatest : StartKind::kEarliest;
    return;
  }
  const Result<Micros> time = ParseTime(start);
  if (!time || *time < 0) {
    section.Error("start", ErrorCode::kBadValue,
                  fmt::format("`start` cannot be `{}`", Printable(start, 60)),
                  "write earliest, latest, or a time such as 2026-11-01T00:00:00Z");
    return;
  }
  source.start = StartKind::kTimestamp;
  source.start_ms = *time / kMicrosPerMilli;
}

bool IsBroker(std::string_view broker) {
  const std::size_t colon = broker.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view port = broker.substr(colon + 1);
  const std::string_view host = broker.substr(0, colon);
  const bool digits =
      !port.empty() && port.size() <= 5 && std::all_of(port.begin(), port.end(), [](char c) {
        return std::isdigit(static_cast<unsigned char>(c)) != 0;
      });
  if (!digits || std::stoi(std::string(port)) > 65'535 || port == "0") return false;
  const bool literal = host.starts_with('[') && host.ends_with(']');  // IPv6
  return std::all_of(host.begin(), host.end(), [literal](char c) {
    return IsTopicByte(c) || (literal && (c == ':' || c == '[' || c == ']' || c == '%'));
  });
}

std::string ReadBrokers(Section& section) {
  const auto text = section.Text("brokers");
  if (!text) return {};
  std::string brokers;
  for (std::size_t at = 0; at <= text->size();) {
    const std::size_t end = std::min(text->find(',', at), text->size());
    std::string broker = text->substr(at, end - at);
    std::erase_if(broker, [](char c) { return c == ' '; });
    if (!IsBroker(broker)) {
      section.Error("brokers", ErrorCode::kBadValue, "`brokers` is no list of host:port",
                    "write it as kafka-1:9092,kafka-2:9092");
      return {};
    }
    brokers += (brokers.empty() ? "" : ",") + broker;
    at = end + 1;
  }
  return brokers;
}

struct SecuritySetting {
  std::string_view key;
  std::string_view option;
};
constexpr std::array kSecurityTexts = {SecuritySetting{"protocol", "security.protocol"},
                                       SecuritySetting{"mechanism", "sasl.mechanism"},
                                       SecuritySetting{"username", "sasl.username"},
                                       SecuritySetting{"password", "sasl.password"},
                                       SecuritySetting{"key_password", "ssl.key.password"}};
constexpr std::array kSecurityPaths = {SecuritySetting{"ca", "ssl.ca.location"},
                                       SecuritySetting{"certificate", "ssl.certificate.location"},
                                       SecuritySetting{"key", "ssl.key.location"}};

// Reads `security` and `options` into settings of the client.
class OptionReader {
 public:
  OptionReader(Section& kafka, SourceSpec& source)
      : kafka_(kafka), source_(source), diagnostics_(kafka.context().diagnostics) {}

  void Read() {
    const std::size_t errors_before = diagnostics_.errors();
    if (auto security = kafka_.Child("security")) ReadSecurity(*security);
    for (const auto& [name, text] : kafka_.TextMap("options")) ReadOption(name, text);
    for (const auto& [name, value] : source_.options) {
      const KafkaOption* option = FindKafkaOption(name);
      const bool secret = option != nullptr && option->kind == OptionKind::kSecret;
      const bool from_secret =
          std::find(from_secret_.begin(), from_secret_.end(), name) != from_secret_.end();
      if (secret || from_secret || IsSecretName(name)) source_.secret_options.push_back(name);
    }
    // A setting that could not be read would look like one that is missing.
    if (diagnostics_.errors() == errors_before) CheckTogether();
  }

 private:
  void ReadSecurity(Section& security) {
    for (const SecuritySetting& setting : kSecurityTexts) {
      const auto text = security.Text(setting.key);
      // A default that nobody wrote stays out of the client's settings.
      if (!text || !security.Has(setting.key)) continue;
      if (IsSecret(security.At(setting.key))) from_secret_.emplace_back(setting.option);
      const KafkaOption* option = FindKafkaOption(setting.option);
      source_.options[std::string(setting.option)] =
          ReadKafkaOption(*option, *text).value();  // the choices of the two tables are the same
    }
    for (const SecuritySetting& setting : kSecurityPaths) {
      auto path = security.Path(setting.key);
      if (!path) continue;
      if (IsSecret(security.At(setting.key))) from_secret_.emplace_back(setting.option);
      source_.options[std::string(setting.option)] = std::move(*path);
    }
    security_place_ = security.place();
  }

  void ReadOption(const std::string& name, const PlacedText& text) {
    const KafkaOption* option = FindKafkaOption(name);
    if (option == nullptr) {
      ReportUnknown(name, text.place);
      return;
    }
    if (source_.options.contains(name)) {
      diagnostics_.Error(ErrorCode::kPipelineInvalid, text.place,
                         fmt::format("`{}` is set here and under `security`", name), "keep one");
      return;
    }
    Result<std::string> value = ReadKafkaOption(*option, text.text);
    if (!value) {
      const std::string why =
          IsSecret(text.place) ? "the value does not fit" : value.error().message;
      diagnostics_.Error(ErrorCode::kBadValue, text.place, fmt::format("`{}`: {}", name, why));
      return;
    }
    if (option->kind == OptionKind::kPath) {
      value = AbsolutePath(kafka_.context().folder, *value);
    }
    if (IsSecret(text.place)) from_secret_.push_back(name);
    source_.options[name] = std::move(value).value();
  }

  bool IsSecret(const Place& place) const {
    const auto& paths = kafka_.context().secret_paths;
    return std::find(paths.begin(), paths.end(), place.key_path) != paths.end();
  }

  void ReportUnknown(const std::string& name, const Place& place) {
    std::vector<std::string_view> known;
    for (const KafkaOption& option : KafkaOptions()) known.push_back(option.name);
    const std::string_view reserved = ReservedKafkaOption(name);
    Diagnostic diagnostic{.severity = Severity::kError,
                          .code = ErrorCode::kUnknownKey,
                          .place = place,
                          .message = {},
                          .allowed = {},
                          .suggestion = {},
                          .help = {}};
    if (reserved.empty()) {
      diagnostic.message = fmt::format("unknown Kafka option `{}`", Printable(name, 60));
      diagnostic.suggestion = std::string(ClosestTo(name, known));
      diagnostic.help = "docs/CONFIG.md lists the options that a pipeline may set";
    } else {
      diagnostic.message = fmt::format("`{}` cannot be set here", name);
      diagnostic.help = std::string(reserved);
    }
    diagnostics_.Add(std::move(diagnostic));
  }

  std::string Value(const std::string& name) const {
    const auto found = source_.options.find(name);
    return found == source_.options.end() ? std::string() : found->second;
  }

  // Where a contradiction between settings is reported.
  Place Where() const { return security_place_.value_or(kafka_.At("options")); }

  void CheckTogether() {
    const bool sasl = Value("security.protocol").starts_with("sasl");
    const std::string mechanism = Value("sasl.mechanism");
    if (!sasl && (!mechanism.empty() || !Value("sasl.password").empty())) {
      diagnostics_.Error(ErrorCode::kPipelineInvalid, Where(),
                         "a login is given, but the protocol has none",
                         "set `protocol` to sasl_ssl or sasl_plaintext");
    }
    if (sasl && mechanism.empty()) {
      diagnostics_.Error(ErrorCode::kPipelineInvalid, Where(),
                         "the protocol needs a login, but `mechanism` is missing",
                         "set it to plain, scram-sha-256, scram-sha-512 or oauthbearer");
    }
    const bool by_password = sasl && !mechanism.empty() && mechanism != "OAUTHBEARER";
    if (by_password && (Value("sasl.username").empty() || Value("sasl.password").empty())) {
      diagnostics_.Error(ErrorCode::kPipelineInvalid, Where(),
                         fmt::format("{} needs `username` and `password`", mechanism));
    }
  }

  Section& kafka_;
  SourceSpec& source_;
  Diagnostics& diagnostics_;
  std::optional<Place> security_place_;
  std::vector<std::string> from_secret_;  // settings whose value came from ${file:...}
};

void ReadKafka(Section& kafka, const std::string& pipeline, SourceSpec& source) {
  source.kind = SourceKind::kKafka;
  source.brokers = ReadBrokers(kafka);
  source.topic = ReadTopic(kafka);
  source.group = kafka.Text("group").value_or("weir-" + pipeline);
  ReadStart(kafka, source);
  OptionReader(kafka, source).Read();
}

void ReadRegistry(Section& section, SourceSpec& source) {
  RegistrySpec registry;
  if (const auto url = section.Shorthand("registry")) {
    registry.url = url->text;
  } else if (auto child = section.Child("registry")) {
    registry.url = child->Text("url").value_or("");
    registry.user = child->Text("username").value_or("");
    registry.password = child->Text("password").value_or("");
    registry.ca_file = child->Path("ca").value_or("");
    registry.retry_unknown = child->Text("unknown_schema").value_or("quarantine") == "retry";
    if (registry.url.empty()) return;  // reported
  } else {
    return;
  }
  const bool legal =
      (registry.url.starts_with("http://") || registry.url.starts_with("https://")) &&
      registry.url.find_first_of(" @#?") == std::string::npos;
  if (!legal) {
    section.Error(
        "registry", ErrorCode::kBadValue, "the registry's url is not http://HOST or https://HOST",
        "write it as https://registry.example:8081; user and password have their own keys");
  }
  source.registry = std::move(registry);
}

}  // namespace

SourceSpec ReadSource(Section section, const std::string& pipeline) {
  SourceSpec source;
  if (!section.complete()) return source;
  ReadRegistry(section, source);
  auto kafka = section.Child("kafka");
  const bool spool = section.Has("spool");
  if (kafka && spool) {
    section.Error("spool", ErrorCode::kPipelineInvalid, "`spool` and `kafka` are both given",
                  "a pipeline has one source; keep one of them");
    return source;
  }
  if (!kafka && !spool) {
    section.Error("kafka", ErrorCode::kPipelineInvalid, "the source is neither `kafka` nor `spool`",
                  "add `kafka: {brokers: ..., topic: ...}`, or `spool: FOLDER` and `topic: ...`");
    return source;
  }
  if (spool) {
    source.kind = SourceKind::kSpool;
    source.spool_path = section.Path("spool").value_or("");
    if (!section.Has("topic")) {
      section.Error("topic", ErrorCode::kMissingKey, "`topic` is missing",
                    "it is the topic in the embedded log");
    }
    source.topic = ReadTopic(section);
    ReadStart(section, source);
    return source;
  }
  for (const std::string_view key : {"topic", "start"}) {
    if (!section.Has(key)) continue;
    section.Error(key, ErrorCode::kPipelineInvalid,
                  fmt::format("`{}` stands beside `kafka`, not in it", key),
                  fmt::format("write it as source.kafka.{}", key));
  }
  ReadKafka(*kafka, pipeline, source);
  return source;
}

}  // namespace weir::config
