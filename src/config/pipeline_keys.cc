#include <array>

#include "base/time.h"
#include "config/keys.h"

namespace weir::config {
namespace {

using enum ValueKind;

constexpr std::int64_t kKibi = 1LL << 10;
constexpr std::int64_t kMebi = 1LL << 20;
constexpr std::int64_t kGibi = 1LL << 30;

constexpr KeyDescriptor kPipelineTable[] = {
    {.key = "pipeline",
     .kind = kText,
     .doc = "the name of the pipeline: letters, digits, `-`, `_` and `.`; it names the progress in "
            "the tables, so a new name is a new pipeline",
     .required = true},
    {.key = "source",
     .kind = kMapping,
     .doc = "the log that events come from",
     .required = true,
     .mapping = &kSourceKeys},
    {.key = "state",
     .kind = kLocation,
     .doc = "the folder, or the s3://bucket/prefix, of the pipeline's records; not shared with "
            "another pipeline and never deleted by hand",
     .required = true},
    {.key = "contract",
     .kind = kMapping,
     .doc = "what an event must look like: the path of a contract file, or the contract itself",
     .required = true,
     .shorthand = "the path of a contract file",
     .mapping = &kContractKeys},
    {.key = "lake",
     .kind = kMapping,
     .doc = "where the tables are",
     .required = true,
     .mapping = &kLakeKeys},
    {.key = "s3",
     .kind = kMapping,
     .doc = "how the object store is reached that `state` or `lake.warehouse` name",
     .mapping = &kS3Keys},
    {.key = "epoch",
     .kind = kMapping,
     .doc = "when a commit is due: whatever comes first",
     .mapping = &kEpochKeys},
    {.key = "tables",
     .kind = kNamed,
     .doc = "the tables by name, `namespace.table`",
     .required = true,
     .mapping = &kTableKeys},
    {.key = "on_error",
     .kind = kChoice,
     .doc = "what a bad event does: go to the quarantine table, or stop the pipeline before the "
            "epoch that holds it is committed",
     .fallback = "quarantine",
     .choices = "fail|quarantine"},
    {.key = "memory",
     .kind = kSize,
     .doc = "rows held in memory before files are cut",
     .fallback = "256MiB",
     .min = 16 * kMebi,
     .max = 1024 * kGibi},
    {.key = "watermark",
     .kind = kMapping,
     .doc = "event time: needed by `dedupe` and by tables of windows, sessions and late events",
     .mapping = &kWatermarkKeys},
    {.key = "late",
     .kind = kChoice,
     .doc = "`count`: there is no table `from: late`, late events are only counted",
     .choices = "count"},
    {.key = "state_memory",
     .kind = kSize,
     .doc = "keys of `dedupe`, open windows and open sessions held in memory",
     .fallback = "2GiB",
     .min = 16 * kMebi,
     .max = 1024 * kGibi},
    {.key = "metrics",
     .kind = kMapping,
     .doc = "where a running pipeline answers Prometheus and health checks; nowhere unless given",
     .mapping = &kMetricsKeys},
    {.key = "checks", .kind = kLater, .doc = "data quality checks"},
    {.key = "maintenance", .kind = kLater, .doc = "compaction of tables"},
    {.key = "collector", .kind = kLater, .doc = "the HTTP collector"},
    {.key = "ui", .kind = kLater, .doc = "the dashboard"},
    {.key = "lineage", .kind = kLater, .doc = "lineage events"},
    {.key = "alerts", .kind = kLater, .doc = "alerts"},
};

constexpr KeyDescriptor kSourceTable[] = {
    {.key = "kafka",
     .kind = kMapping,
     .doc = "a Kafka topic; either this or `spool`",
     .mapping = &kKafkaKeys},
    {.key = "spool", .kind = kPath, .doc = "the folder of an embedded log; either this or `kafka`"},
    {.key = "topic", .kind = kText, .doc = "with `spool`: the topic in it"},
    {.key = "start",
     .kind = kText,
     .doc = "with `spool`: where a new pipeline begins: earliest, latest, or a time such as "
            "2026-11-01T00:00:00Z; a known pipeline goes on where it stopped"},
    {.key = "registry",
     .kind = kMapping,
     .doc = "values are Avro, Protobuf or JSON behind the id of a schema in this registry",
     .shorthand = "the registry's url",
     .mapping = &kRegistryKeys},
    {.key = "http", .kind = kLater, .doc = "events over HTTP"},
};

constexpr KeyDescriptor kRegistryTable[] = {
    {.key = "url",
     .kind = kText,
     .doc = "a schema registry with Confluent's interface, http:// or https://",
     .required = true},
    {.key = "username", .kind = kText, .doc = "the user; without one the password is a token"},
    {.key = "password",
     .kind = kText,
     .doc = "the password or token; a secret: write ${NAME} or ${file:PATH}",
     .secret = true},
    {.key = "ca", .kind = kPath, .doc = "the file with the certificates that are trusted"},
    {.key = "unknown_schema",
     .kind = kChoice,
     .doc = "what becomes of a value whose schema id the registry does not know",
     .fallback = "quarantine",
     .choices = "quarantine|retry"},
};

constexpr KeyDescriptor kKafkaTable[] = {
    {.key = "brokers",
     .kind = kText,
     .doc = "the bootstrap servers, `host:port`, separated by commas",
     .required = true,
     .secret = true},
    {.key = "topic", .kind = kText, .doc = "the topic", .required = true},
    {.key = "group",
     .kind = kText,
     .doc = "the consumer group that progress is reported to, so that lag tools work; "
            "`weir-<pipeline>` unless given. Weir itself resumes from its own records"},
    {.key = "start",
     .kind = kText,
     .doc = "where a new pipeline begins: earliest, latest, or a time such as "
            "2026-11-01T00:00:00Z; a known pipeline goes on where it stopped",
     .fallback = "earliest"},
    {.key = "security", .kind = kMapping, .doc = "encryption and login", .mapping = &kSecurityKeys},
    {.key = "options",
     .kind = kTextMap,
     .doc = "further settings of the Kafka client by their own names, see below",
     .secret = true},
};

constexpr KeyDescriptor kSecurityTable[] = {
    {.key = "protocol",
     .kind = kChoice,
     .doc = "how to connect",
     .fallback = "plaintext",
     .choices = "plaintext|ssl|sasl_plaintext|sasl_ssl"},
    {.key = "mechanism",
     .kind = kChoice,
     .doc = "how to log in, with sasl_plaintext and sasl_ssl",
     .choices = "plain|scram-sha-256|scram-sha-512|oauthbearer",
     .later_choices = "gssapi"},
    {.key = "username", .kind = kText, .doc = "the user, with plain and scram", .secret = true},
    {.key = "password",
     .kind = kText,
     .doc = "the password; a secret: write ${NAME} or ${file:PATH}",
     .secret = true},
    {.key = "ca", .kind = kPath, .doc = "the file with the certificates that are trusted"},
    {.key = "certificate", .kind = kPath, .doc = "the file with the client's certificate"},
    {.key = "key", .kind = kPath, .doc = "the file with the client's private key"},
    {.key = "key_password",
     .kind = kText,
     .doc = "the password of that key; a secret",
     .secret = true},
};

constexpr KeyDescriptor kLakeTable[] = {
    {.key = "name",
     .kind = kText,
     .doc = "the catalog's name, as engines that open it must spell it",
     .fallback = "weir"},
    {.key = "warehouse",
     .kind = kLocation,
     .doc = "the folder, or the s3://bucket/prefix, that tables live in; required, but with a REST "
            "catalog, which knows it"},
    {.key = "format",
     .kind = kChoice,
     .doc = "the table format; `both`: one set of data files that is an Iceberg and a Delta table",
     .fallback = "iceberg",
     .choices = "iceberg|delta|both"},
    {.key = "catalog",
     .kind = kMapping,
     .doc =
         "how Iceberg tables are found; unless given, an SQLite catalog `catalog.db` in the "
         "warehouse, and of one on S3 its folders as with `folder: true`. Delta tables are found "
         "by their folders",
     .mapping = &kCatalogKeys},
};

constexpr KeyDescriptor kS3Table[] = {
    {.key = "endpoint",
     .kind = kText,
     .doc = "the server, `https://host:port`; unless given, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL "
            "or AWS's own of the region"},
    {.key = "region",
     .kind = kText,
     .doc = "the region; unless given, AWS_REGION, that of the profile, or us-east-1"},
    {.key = "path_style",
     .kind = kBoolean,
     .doc = "true: the bucket is in the path, not in the host name; true unless given where there "
            "is an endpoint"},
    {.key = "access_key",
     .kind = kText,
     .doc = "the access key; unless given, credentials are found as AWS's tools do: environment, "
            "web identity, profile files, the container's or the machine's role",
     .secret = true},
    {.key = "secret_key",
     .kind = kText,
     .doc = "the secret key; a secret: write ${NAME} or ${file:PATH}",
     .secret = true},
    {.key = "session_token",
     .kind = kText,
     .doc = "the session token of temporary keys; a secret",
     .secret = true},
    {.key = "ca", .kind = kPath, .doc = "the file with the certificates that are trusted"},
};

constexpr KeyDescriptor kCatalogTable[] = {
    {.key = "sql",
     .kind = kText,
     .doc = "an SQL catalog: `sqlite:PATH` or `postgresql://user@host:port/database`. Iceberg's "
            "JDBC catalog and PyIceberg's SQL catalog open it; one of `sql`, `rest` and `folder`"},
    {.key = "password",
     .kind = kText,
     .doc = "the password of a PostgreSQL user; a secret: write ${NAME} or ${file:PATH}. Unless "
            "given, PGPASSWORD or the password file",
     .secret = true},
    {.key = "folder",
     .kind = kBoolean,
     .doc = "true: no catalog but the folders of the warehouse, as Iceberg's Hadoop catalog"},
    {.key = "rest",
     .kind = kMapping,
     .doc = "a server that speaks the Iceberg REST protocol",
     .mapping = &kRestKeys},
    {.key = "hive", .kind = kLater, .doc = "Hive catalogs"},
    {.key = "glue", .kind = kLater, .doc = "Glue catalogs"},
};

constexpr KeyDescriptor kRestTable[] = {
    {.key = "uri",
     .kind = kText,
     .doc = "where the server is, without `/v1`, such as https://catalog.example/api",
     .required = true},
    {.key = "warehouse", .kind = kText, .doc = "the warehouse, as the server knows it"},
    {.key = "credential",
     .kind = kText,
     .doc = "`id:secret`, with which tokens are got (OAuth2 client credentials) and renewed; a "
            "secret: write ${NAME} or ${file:PATH}",
     .secret = true},
    {.key = "oauth2_uri",
     .kind = kText,
     .doc = "where tokens are got; unless given, what the server says, else its /v1/oauth/tokens"},
    {.key = "scope", .kind = kText, .doc = "the scope of such a token", .fallback = "catalog"},
    {.key = "token",
     .kind = kText,
     .doc = "a bearer token that is sent as it is, instead of a credential; a secret",
     .secret = true},
    {.key = "headers",
     .kind = kTextMap,
     .doc = "headers that are sent with each request",
     .secret = true},
    {.key = "signing_service",
     .kind = kText,
     .doc = "signs requests as AWS wants them (SigV4), for this service: `glue`, `s3tables`, "
            "`execute-api`. With the keys of `s3`. Unless given, what the server says"},
    {.key = "signing_region",
     .kind = kText,
     .doc = "the region to sign for; unless given, of the environment or profile"},
    {.key = "vended_credentials",
     .kind = kBoolean,
     .doc = "true: the server is asked for credentials of each table's files, which hold instead "
            "of those of `s3`",
     .fallback = "false"},
    {.key = "ca", .kind = kPath, .doc = "the file with the certificates that are trusted"},
};

constexpr KeyDescriptor kMetricsTable[] = {
    {.key = "listen",
     .kind = kText,
     .doc = "`address:port`; the address is numeric, or `localhost`",
     .fallback = "127.0.0.1:9464"},
};

constexpr KeyDescriptor kEpochTable[] = {
    {.key = "every",
     .kind = kDuration,
     .doc = "the longest time between two commits while events arrive",
     .fallback = "1s",
     .min = 10 * kMicrosPerMilli,
     .max = kMicrosPerDay},
    {.key = "max_rows",
     .kind = kCount,
     .doc = "the most events of one commit",
     .fallback = "2_000_000",
     .min = 1,
     .max = 1'000'000'000},
    {.key = "max_bytes",
     .kind = kSize,
     .doc = "the most bytes of events, as received, of one commit",
     .fallback = "512MiB",
     .min = 64 * kKibi,
     .max = 1024 * kGibi},
};

constexpr KeyDescriptor kTableTable[] = {
    {.key = "from",
     .kind = kChoice,
     .doc =
         "the rows: `source` = every record as received, `valid` = events that keep the "
         "contract, `invalid` = those that break it, with the reason, `late` = valid ones behind "
         "the watermark, `decisions` = what was decided by the clock; either this or one of "
         "`windows`, `sessions`, `funnel`, `active_users`, `session_stats`",
     .choices = "source|valid|invalid|late|decisions"},
    {.key = "dedupe",
     .kind = kMapping,
     .doc = "with `from: valid`: leave duplicates out",
     .mapping = &kDedupeKeys},
    {.key = "windows",
     .kind = kMapping,
     .doc = "the rows: aggregates by windows of event time",
     .mapping = &kWindowKeys},
    {.key = "sessions",
     .kind = kMapping,
     .doc = "the rows: sessions; at most one such table",
     .mapping = &kSessionKeys},
    {.key = "funnel",
     .kind = kMapping,
     .doc = "the rows: sessions that reached each step; at most one such table",
     .mapping = &kFunnelKeys},
    {.key = "active_users",
     .kind = kMapping,
     .doc = "the rows: active users by minute",
     .mapping = &kActiveUserKeys},
    {.key = "session_stats",
     .kind = kMapping,
     .doc = "the rows: statistics of sessions",
     .mapping = &kSessionStatsKeys},
    {.key = "create",
     .kind = kChoice,
     .doc = "whether a missing table is made; with `never` it must be there (`weir tables create` "
            "makes it)",
     .fallback = "if_missing",
     .choices = "never|if_missing"},
    {.key = "partition_by",
     .kind = kTexts,
     .doc = "partitioning of a new table: a column, or year(c), month(c), day(c), hour(c), "
            "bucket(n, c), truncate(n, c); that of sessions and funnel is given"},
    {.key = "sort_by", .kind = kTexts, .doc = "the order of rows within a file, by columns"},
    {.key = "coordinates",
     .kind = kBoolean,
     .doc = "with `from: valid`: also write the columns topic, partition and offset. They let "
            "`weir verify` prove every row",
     .fallback = "true"},
    {.key = "expire_after",
     .kind = kDuration,
     .doc = "Weir's own snapshots older than this are expired",
     .fallback = "5d",
     .min = 60 * kMicrosPerSecond,
     .max = 36'500 * kMicrosPerDay},
    {.key = "keep_snapshots",
     .kind = kCount,
     .doc = "as many snapshots are kept whatever their age",
     .fallback = "100",
     .min = 1,
     .max = 1'000'000},
    {.key = "properties",
     .kind = kTextMap,
     .doc = "table properties of a new table",
     .secret = true},
    {.key = "keep", .kind = kLater, .doc = "retention of rows"},
};

}  // namespace

constinit const MappingDescriptor kPipelineKeys = {
    .name = "pipeline",
    .title = "The pipeline file",
    .doc = "One file describes one pipeline. Paths count from the folder of the file.",
    .keys = kPipelineTable};
constinit const MappingDescriptor kSourceKeys = {
    .name = "source", .title = "source", .doc = "Exactly one source.", .keys = kSourceTable};
constinit const MappingDescriptor kKafkaKeys = {
    .name = "kafka", .title = "source.kafka", .doc = "A Kafka topic.", .keys = kKafkaTable};
constinit const MappingDescriptor kSecurityKeys = {
    .name = "security",
    .title = "source.kafka.security",
    .doc =
        "Login and encryption. The same settings may be given under `options` by their own names, "
        "but not in both places.",
    .keys = kSecurityTable};
constinit const MappingDescriptor kRegistryKeys = {
    .name = "registry",
    .title = "source.registry",
    .doc = "How values are decoded: see docs/CONTRACT.md, other encodings.",
    .keys = kRegistryTable};
constinit const MappingDescriptor kLakeKeys = {
    .name = "lake", .title = "lake", .doc = "The warehouse and its catalog.", .keys = kLakeTable};
constinit const MappingDescriptor kRestKeys = {
    .name = "rest",
    .title = "lake.catalog.rest",
    .doc =
        "A REST catalog. Its server makes metadata files; Weir reaches the tables' files itself.",
    .keys = kRestTable};
constinit const MappingDescriptor kS3Keys = {
    .name = "s3",
    .title = "s3",
    .doc = "An object store that speaks S3. `docs/S3.md` says what it must be able to do.",
    .keys = kS3Table};
constinit const MappingDescriptor kCatalogKeys = {.name = "catalog",
                                                  .title = "lake.catalog",
                                                  .doc = "One kind of catalog.",
                                                  .keys = kCatalogTable};
constinit const MappingDescriptor kMetricsKeys = {
    .name = "metrics",
    .title = "metrics",
    .doc =
        "An HTTP endpoint of `weir run`: `/metrics`, `/healthz` and `/readyz`. It knows no "
        "users and no TLS. docs/METRICS.md lists what it says.",
    .keys = kMetricsTable};
constinit const MappingDescriptor kEpochKeys = {
    .name = "epoch",
    .title = "epoch",
    .doc = "An epoch is what one commit adds. It ends at the first of these limits.",
    .keys = kEpochTable};
constinit const MappingDescriptor kTableKeys = {
    .name = "table",
    .title = "tables.NAME",
    .doc =
        "One table. An existing table is used as it is: columns are matched by name, and its "
        "partitioning, order and properties stay.",
    .keys = kTableTable};

std::span<const MappingDescriptor* const> AllMappings() {
  static constexpr std::array kAll = {
      &kPipelineKeys, &kSourceKeys,       &kKafkaKeys,  &kSecurityKeys,   &kRegistryKeys,
      &kLakeKeys,     &kCatalogKeys,      &kRestKeys,   &kS3Keys,         &kEpochKeys,
      &kMetricsKeys,  &kWatermarkKeys,    &kTableKeys,  &kDedupeKeys,     &kWindowKeys,
      &kSessionKeys,  &kSessionValueKeys, &kFunnelKeys, &kActiveUserKeys, &kSessionStatsKeys,
      &kContractKeys, &kFieldKeys,        &kNestedKeys, &kEventTypeKeys};
  return kAll;
}

}  // namespace weir::config
