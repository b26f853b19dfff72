#pragma once
// Actions: what the commits and checkpoints of a Delta log are made of. Plain values.
//
// Paths are as the log has them: percent-encoded, relative to the table or absolute.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weir::delta {

/// Name -> text, or null.
using TextMap = std::map<std::string, std::optional<std::string>>;

struct Protocol {
  int reader_version = 1;
  int writer_version = 2;
  std::vector<std::string> reader_features;  // from reader version 3 on
  std::vector<std::string> writer_features;  // from writer version 7 on
  bool operator==(const Protocol&) const = default;
};

struct Metadata {
  std::string id;
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::string provider = "parquet";
  TextMap format_options;
  std::string schema_text;
  std::vector<std::string> partition_columns;
  TextMap configuration;
  std::optional<std::int64_t> created_ms;
  bool operator==(const Metadata&) const = default;

  /// A table property; nullopt when it is not set.
  std::optional<std::string> Property(const std::string& key) const {
    const auto found = configuration.find(key);
    return found == configuration.end() ? std::nullopt : found->second;
  }
};

struct AddFile {
  std::string path;
  TextMap partition_values;
  std::int64_t size = 0;
  std::int64_t modified_ms = 0;
  bool data_change = true;
  std::optional<std::string> stats;  // JSON
  TextMap tags;
  bool has_deletion_vector = false;
};

struct RemoveFile {
  std::string path;
  std::optional<std::int64_t> deleted_ms;
  bool data_change = true;
  std::optional<TextMap> partition_values;
  std::optional<std::int64_t> size;
};

/// The progress of one application.
struct Transaction {
  std::string app_id;
  std::int64_t version = 0;
  std::optional<std::int64_t> updated_ms;
};

struct CommitInfo {
  std::optional<std::int64_t> time_ms;
  std::string operation;
  std::map<std::string, std::string> parameters;  // numbers and objects as their JSON text
  std::map<std::string, std::string> metrics;
  std::map<std::string, std::string> tags;  // of Weir's commits: what the epoch was
  std::string engine;
  std::string attempt;  // txnId: tells one try to commit from another
  bool blind_append = false;
};

/// The actions of one version.
struct LogCommit {
  std::optional<CommitInfo> info;
  std::optional<Protocol> protocol;
  std::optional<Metadata> metadata;
  std::vector<Transaction> transactions;
  std::vector<RemoveFile> removes;
  std::vector<AddFile> adds;
};

}  // namespace weir::delta
