#include "config/echo.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/time.h"
#include "config/aggregate_text.h"
#include "config/contract_writer.h"
#include "config/key_path.h"
#include "config/partition_text.h"
#include "config/quantity.h"
#include "config/rows_reader.h"
#include "config/secret.h"
#include "config/variables.h"
#include "config/yaml_writer.h"

namespace weir::config {
namespace {

std::string_view BooleanText(bool value) { return value ? "true" : "false"; }

std::string StartText(const SourceSpec& source) {
  if (source.start == StartKind::kEarliest) return "earliest";
  if (source.start == StartKind::kLatest) return "latest";
  return FormatTime(source.start_ms * kMicrosPerMilli);
}

// Writes the keys of mappings, hiding secrets by their key paths.
class Echoer {
 public:
  explicit Echoer(const PipelineSpec& spec) : spec_(spec) {}

  std::string Run() {
    Text("pipeline", spec_.name);
    WriteSource();
    Text("state", spec_.state);
    Open("contract");
    WriteContract(
        spec_.contract,
        [this](std::string_view path, std::string_view text) { return Shown(path, text); }, yaml_);
    Close();
    WriteLake();
    WriteS3();
    Open("epoch");
    Plain("every", FormatDuration(spec_.epoch.every));
    Plain("max_rows", std::to_string(spec_.epoch.max_rows));
    Plain("max_bytes", FormatSize(spec_.epoch.max_bytes));
    Close();
    WriteMetrics();
    WriteEventTime();
    Open("tables");
    for (const TableSpec& table : spec_.tables) WriteTable(table);
    Close();
    Plain("on_error", spec_.on_error == OnError::kFail ? "fail" : "quarantine");
    Plain("memory", FormatSize(spec_.memory_bytes));
    Plain("state_memory", FormatSize(spec_.state_memory_bytes));
    return yaml_.Take();
  }

 private:
  void Open(std::string_view key) {
    path_.emplace_back(key);
    yaml_.Open(key);
  }
  void Close() {
    path_.pop_back();
    yaml_.Close();
  }

  std::string PathOf(std::string_view key) const {
    std::string path;
    for (const std::string& part : path_) path = KeyPath(path, part);
    return KeyPath(path, key);
  }

  bool IsSecret(const std::string& path) const {
    const auto& paths = spec_.secret_paths;
    return std::find(paths.begin(), paths.end(), path) != paths.end();
  }

  void Text(std::string_view key, std::string_view text) {
    const bool secret = IsSecretName(key) || IsSecret(PathOf(key));
    yaml_.Scalar(key, secret ? std::string(kMask) : EscapeVariables(std::string(text)));
  }

  // A text of the contract, whose path counts from there.
  std::string Shown(std::string_view path, std::string_view text) const {
    const std::string_view key = path.substr(path.rfind('.') + 1);
    const bool secret = IsSecretName(key) || IsSecret("contract." + std::string(path));
    return secret ? std::string(kMask) : EscapeVariables(std::string(text));
  }

  // Numbers and words that need no quotes and are no secrets.
  void Plain(std::string_view key, std::string_view text) { yaml_.Plain(key, text); }

  void Texts(std::string_view key, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    std::vector<std::string> shown;
    shown.reserve(texts.size());
    for (const std::string& text : texts) shown.push_back(EscapeVariables(text));
    yaml_.List(key, shown);
  }

  void WriteSource() {
    const SourceSpec& source = spec_.source;
    Open("source");
    const bool kafka = source.kind == SourceKind::kKafka;
    if (kafka) {
      Open("kafka");
      Text("brokers", source.brokers);
      Text("topic", source.topic);
      Text("group", source.group);
    } else {
      Text("spool", source.spool_path);
      Text("topic", source.topic);
    }
    Plain("start", YamlScalar(StartText(source)));
    if (kafka) {
      WriteOptions();
      Close();
    }
    if (source.registry) WriteRegistry(*source.registry);
    Close();
  }

  void WriteRegistry(const RegistrySpec& registry) {
    Open("registry");
    Text("url", registry.url);
    if (!registry.user.empty()) Text("username", registry.user);
    if (!registry.password.empty()) Text("password", registry.password);
    if (!registry.ca_file.empty()) Text("ca", registry.ca_file);
    Plain("unknown_schema", registry.retry_unknown ? "retry" : "quarantine");
    Close();
  }

  void WriteOptions() {
    const SourceSpec& source = spec_.source;
    if (source.options.empty()) return;
    Open("options");
    for (const auto& [name, value] : source.options) {
      const auto& secrets = source.secret_options;
      const bool secret = std::find(secrets.begin(), secrets.end(), name) != secrets.end();
      if (secret) {
        yaml_.Scalar(name, kMask);
      } else {
        Text(name, value);
      }
    }
    Close();
  }

  void WriteS3() {
    const S3Spec& s3 = spec_.s3;
    const std::pair<std::string_view, const std::string*> texts[] = {
        {"endpoint", &s3.endpoint},           {"region", &s3.region},
        {"access_key", &s3.access_key},       {"secret_key", &s3.secret_key},
        {"session_token", &s3.session_token}, {"ca", &s3.ca_file}};
    const bool any = std::any_of(std::begin(texts), std::end(texts),
                                 [](const auto& text) { return !text.second->empty(); });
    if (!any && !s3.path_style) return;
    Open("s3");
    for (const auto& [key, text] : texts) {
      if (!text->empty()) Text(key, *text);
    }
    if (s3.path_style) Plain("path_style", BooleanText(*s3.path_style));
    Close();
  }

  void WriteMetrics() {
    if (!spec_.metrics) return;
    const std::string& host = spec_.metrics->host;
    const bool is_v6 = host.find(':') != std::string::npos;
    Open("metrics");
    Text("listen", fmt::format("{}:{}", is_v6 ? "[" + host + "]" : host, spec_.metrics->port));
    Close();
  }

  void WriteLake() {
    const LakeSpec& lake = spec_.lake;
    Open("lake");
    Text("name", lake.name);
    if (!lake.warehouse.empty()) Text("warehouse", lake.warehouse);
    Text("format", lake.format);
    Open("catalog");
    switch (lake.catalog) {
      case CatalogKind::kFolder:
        Plain("folder", "true");
        break;
      case CatalogKind::kSqlite:
        Text("sql", "sqlite:" + lake.catalog_path);
        break;
      case CatalogKind::kPostgres:
        Text("sql", lake.catalog_path);
        TextIfAny("password", lake.catalog_password);
        break;
      case CatalogKind::kRest:
        WriteRest(lake.rest);
        break;
    }
    Close();
    Close();
  }

  void TextIfAny(const std::string& name, const std::string& value) {
    if (!value.empty()) Text(name, value);
  }

  void WriteRest(const RestSpec& rest) {
    Open("rest");
    Text("uri", rest.uri);
    TextIfAny("warehouse", rest.warehouse);
    TextIfAny("credential", rest.credential);
    TextIfAny("oauth2_uri", rest.oauth2_uri);
    TextIfAny("scope", rest.scope);
    TextIfAny("token", rest.token);
    if (!rest.headers.empty()) {
      Open("headers");
      for (const auto& [name, value] : rest.headers) Text(name, value);
      Close();
    }
    TextIfAny("signing_service", rest.signing_service);
    TextIfAny("signing_region", rest.signing_region);
    if (rest.vended_credentials) Plain("vended_credentials", "true");
    TextIfAny("ca", rest.ca_file);
    Close();
  }

  void WriteTable(const TableSpec& table) {
    Open(table.name);
    if (!IsOperator(table.from)) Plain("from", NameOf(table.from));
    WriteOperators(table);
    Plain("create", table.create == CreateMode::kNever ? "never" : "if_missing");
    std::vector<std::string> partitions;
    for (const PartitionBy& partition : table.partition_by) {
      partitions.push_back(ToString(partition));
    }
    const bool given = table.from == TableFrom::kSessions || table.from == TableFrom::kFunnel;
    if (!given) Texts("partition_by", partitions);
    Texts("sort_by", table.sort_by);
    if (table.from == TableFrom::kValid) Plain("coordinates", BooleanText(table.coordinates));
    Plain("expire_after", FormatDuration(table.expire_after));
    Plain("keep_snapshots", std::to_string(table.keep_snapshots));
    if (!table.properties.empty()) {
      Open("properties");
      for (const auto& [name, value] : table.properties) Text(name, value);
      Close();
    }
    Close();
  }

  void WriteEventTime() {
    if (spec_.watermark) {
      const WatermarkRules& rules = *spec_.watermark;
      Open("watermark");
      Plain("delay", FormatDuration(rules.delay));
      if (rules.idle_after) Plain("idle_after", FormatDuration(*rules.idle_after));
      if (rules.max_future) Plain("max_future", FormatDuration(*rules.max_future));
      Plain("on_silence", rules.advance_on_silence ? "advance" : "hold");
      Close();
    }
    if (spec_.count_late) Plain("late", "count");
  }

  void WriteOperators(const TableSpec& table) {
    if (table.dedupe) {
      Open("dedupe");
      Texts("key", table.dedupe->key);
      Plain("horizon", FormatDuration(table.dedupe->horizon));
      Plain("mode", table.dedupe->compact ? "compact" : "exact");
      Close();
    }
    if (table.windows) WriteWindows(*table.windows);
    if (table.sessions) WriteSessions(*table.sessions);
    if (table.funnel) {
      Open("funnel");
      Texts("steps", table.funnel->steps);
      Plain("size", FormatDuration(table.funnel->size));
      Close();
    }
    if (table.active_users) {
      Open("active_users");
      Name("user", table.active_users->user);
      Close();
    }
    if (table.session_stats) {
      Open("session_stats");
      Plain("size", FormatDuration(table.session_stats->size));
      Close();
    }
  }

  void WriteWindows(const WindowRules& rules) {
    Open("windows");
    Plain("size", FormatDuration(rules.size));
    Plain("offset", FormatDuration(rules.offset));
    Texts("by", rules.by);
    Open("aggregates");
    for (const Aggregate& aggregate : rules.aggregates) {
      Name(aggregate.name, ToString(aggregate));
    }
    Close();
    Close();
  }

  void WriteSessions(const SessionRules& rules) {
    Open("sessions");
    Name("by", rules.by);
    Plain("gap", FormatDuration(rules.gap));
    Plain("split", rules.split == SessionSplit::kDay    ? "day"
                   : rules.split == SessionSplit::kHour ? "hour"
                                                        : "none");
    if (!rules.page.empty()) Name("page", rules.page);
    Texts("first", rules.first);
    Texts("last", rules.last);
    if (!rules.value_event.empty()) {
      Open("value");
      Name("event", rules.value_event);
      Name("price", rules.price);
      if (!rules.quantity.empty()) Name("quantity", rules.quantity);
      Close();
    }
    Close();
  }

  // Names of columns and event types: no secrets, whatever they are called.
  void Name(std::string_view key, std::string_view text) {
    yaml_.Scalar(key, EscapeVariables(std::string(text)));
  }

  const PipelineSpec& spec_;
  YamlWriter yaml_;
  std::vector<std::string> path_;
};

}  // namespace

std::string Echo(const PipelineSpec& spec) { return Echoer(spec).Run(); }

std::string ConfigHash(const PipelineSpec& spec) { return Sha256Hex(Echo(spec)); }

}  // namespace weir::config
