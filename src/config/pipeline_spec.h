#pragma once
// PipelineSpec: the pipeline file as typed values, checked and with every variable resolved.
// config/ reads it from YAML; app and engine take it as it is. A plain value.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "record/contract.h"
#include "record/operator_rules.h"

namespace weir::config {

enum class SourceKind { kKafka, kSpool };
enum class StartKind { kEarliest, kLatest, kTimestamp };

/// Where the schemas of the values are: they are Avro, Protobuf or JSON behind a schema id.
struct RegistrySpec {
  std::string url;
  std::string user;
  std::string password;        // without a user: a bearer token
  std::string ca_file;         // absolute; empty: the system's certificates
  bool retry_unknown = false;  // wait for a schema that is not there instead of quarantining
  bool operator==(const RegistrySpec&) const = default;
};

struct SourceSpec {
  SourceKind kind = SourceKind::kSpool;
  std::string brokers;     // kafka: host:port, comma separated
  std::string spool_path;  // spool: folder of the embedded log
  std::string topic;
  std::string group;  // kafka: consumer group that progress is reported to; default weir-<pipeline>
  StartKind start = StartKind::kEarliest;
  std::int64_t start_ms = 0;                   // kTimestamp, Unix milliseconds
  std::map<std::string, std::string> options;  // kafka: passed through to the client, validated
  std::vector<std::string> secret_options;     // names in `options` whose values are never printed
  std::optional<RegistrySpec> registry;        // nullopt: values are JSON texts
};

enum class CatalogKind { kSqlite, kFolder, kPostgres, kRest };

/// A REST catalog; kRest. Token, credential and some headers are secrets.
struct RestSpec {
  std::string uri;
  std::string warehouse;   // as the server knows it
  std::string token;       // sent as it is
  std::string credential;  // "id:secret", which tokens are got with
  std::string oauth2_uri;
  std::string scope;
  std::string ca_file;
  std::map<std::string, std::string> headers;
  std::string signing_service;  // AWS's name of it; empty: not signed
  std::string signing_region;
  bool vended_credentials = false;
};

struct LakeSpec {
  std::string name = "weir";  // catalog name as engines see it (catalog_name of the SQL catalog)
  std::string warehouse;      // absolute folder, or s3://bucket/prefix; may be empty with kRest
  std::string format = "iceberg";
  CatalogKind catalog = CatalogKind::kSqlite;
  std::string catalog_path;      // kSqlite: absolute path; kPostgres: URL without a password
  std::string catalog_password;  // kPostgres; empty: what the environment says
  RestSpec rest;
};

/// Empty values: as AWS's tools find them.
struct S3Spec {
  std::string endpoint;
  std::string region;
  std::optional<bool> path_style;  // nullopt: true where there is an endpoint
  std::string access_key;
  std::string secret_key;
  std::string session_token;
  std::string ca_file;  // absolute
};

/// Where a running pipeline answers programs that look at it.
struct MetricsSpec {
  std::string host;  // a numeric address, or localhost
  int port = 0;
};

struct EpochSpec {
  Micros every = kMicrosPerSecond;
  std::int64_t max_rows = 2'000'000;
  std::int64_t max_bytes = 512LL << 20;
};

/// Where a table's rows come from: the first three are bronze, silver and quarantine.
enum class TableFrom {
  kSource,
  kValid,
  kInvalid,
  kLate,
  kWindows,
  kSessions,
  kFunnel,
  kActiveUsers,
  kSessionStats,
  kDecisions,
};
enum class CreateMode { kNever, kIfMissing };

struct PartitionBy {
  std::string transform;  // identity, year, month, day, hour, bucket, truncate
  std::string column;
  int width = 0;
};

struct TableSpec {
  std::string name;  // "retail.events"
  TableFrom from = TableFrom::kValid;
  CreateMode create = CreateMode::kIfMissing;
  std::vector<PartitionBy> partition_by;
  std::vector<std::string> sort_by;
  bool coordinates = true;  // valid: also write topic, partition, offset columns
  std::map<std::string, std::string> properties;
  Micros expire_after = 5 * kMicrosPerDay;  // own snapshots older than this ...
  int keep_snapshots = 100;                 // ... and beyond this many are expired
  // Valid tables: nullopt keeps duplicates. All deduplicated tables of a pipeline have equal rules.
  std::optional<DedupeRules> dedupe;
  // Exactly the one that `from` names is there.
  std::optional<WindowRules> windows;
  std::optional<SessionRules> sessions;
  std::optional<FunnelRules> funnel;
  std::optional<ActiveUserRules> active_users;
  std::optional<SessionStatsRules> session_stats;
};

enum class OnError { kFail, kQuarantine };

struct PipelineSpec {
  std::string name;
  std::string file;       // where it was read from
  std::string text_hash;  // of the resolved configuration without secrets; goes into records
  SourceSpec source;
  std::string state;  // absolute folder, or s3://bucket/prefix
  Contract contract;
  std::string contract_file;  // absolute; empty: it stands in `file`
  LakeSpec lake;
  S3Spec s3;
  EpochSpec epoch;
  std::optional<MetricsSpec> metrics;  // nullopt: it answers nobody
  std::vector<TableSpec> tables;
  OnError on_error = OnError::kQuarantine;
  std::int64_t memory_bytes = 256LL << 20;      // of buffered rows before files are cut
  std::optional<WatermarkRules> watermark;      // nullopt: no event time, nothing is late
  bool count_late = false;                      // no late table: late rows are only counted
  std::int64_t state_memory_bytes = 2LL << 30;  // of dedupe keys, open windows and sessions
  // Key paths ("source.kafka.brokers") of values that must never be printed, because they came from
  // ${file:...} or are secrets by their name.
  std::vector<std::string> secret_paths;
};

}  // namespace weir::config
