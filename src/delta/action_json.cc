#include "delta/action_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_document.h"

namespace weir::delta {
namespace {

Json ToJson(const TextMap& map) {
  Json out = Json::object();
  for (const auto& [key, value] : map) out[key] = value ? Json(*value) : Json();
  return out;
}

Json ToJson(const std::map<std::string, std::string>& map) {
  Json out = Json::object();
  for (const auto& [key, value] : map) out[key] = value;
  return out;
}

Result<Protocol> ProtocolOf(const Json& json) {
  Protocol out;
  WEIR_ASSIGN_OR_RETURN(const std::int64_t reader, LongAt(json, "minReaderVersion"));
  WEIR_ASSIGN_OR_RETURN(const std::int64_t writer, LongAt(json, "minWriterVersion"));
  if (reader < 0 || reader > 1000 || writer < 0 || writer > 1000) {
    return Corrupt("a protocol version is out of range", ErrorCode::kMetadataCorrupt);
  }
  out.reader_version = static_cast<int>(reader);
  out.writer_version = static_cast<int>(writer);
  WEIR_ASSIGN_OR_RETURN(out.reader_features, TextsAt(json, "readerFeatures"));
  WEIR_ASSIGN_OR_RETURN(out.writer_features, TextsAt(json, "writerFeatures"));
  return out;
}

Result<Metadata> MetadataOf(const Json& json) {
  Metadata out;
  WEIR_ASSIGN_OR_RETURN(out.id, TextAt(json, "id"));
  out.name = FindText(json, "name");
  out.description = FindText(json, "description");
  if (const Json* format = Find(json, "format")) {
    out.provider = FindText(*format, "provider").value_or("");
    WEIR_ASSIGN_OR_RETURN(out.format_options, TextMapAt(*format, "options"));
  }
  WEIR_ASSIGN_OR_RETURN(out.schema_text, TextAt(json, "schemaString"));
  WEIR_ASSIGN_OR_RETURN(out.partition_columns, TextsAt(json, "partitionColumns"));
  WEIR_ASSIGN_OR_RETURN(out.configuration, TextMapAt(json, "configuration"));
  out.created_ms = FindLong(json, "createdTime");
  return out;
}

Result<AddFile> AddOf(const Json& json) {
  AddFile out;
  WEIR_ASSIGN_OR_RETURN(out.path, TextAt(json, "path"));
  WEIR_ASSIGN_OR_RETURN(out.partition_values, TextMapAt(json, "partitionValues"));
  WEIR_ASSIGN_OR_RETURN(out.size, LongAt(json, "size"));
  out.modified_ms = FindLong(json, "modificationTime").value_or(0);
  out.data_change = FindFlag(json, "dataChange", true);
  out.stats = FindText(json, "stats");
  WEIR_ASSIGN_OR_RETURN(out.tags, TextMapAt(json, "tags"));
  out.has_deletion_vector = Find(json, "deletionVector") != nullptr;
  return out;
}

Result<RemoveFile> RemoveOf(const Json& json) {
  RemoveFile out;
  WEIR_ASSIGN_OR_RETURN(out.path, TextAt(json, "path"));
  out.deleted_ms = FindLong(json, "deletionTimestamp");
  out.data_change = FindFlag(json, "dataChange", true);
  if (Find(json, "partitionValues") != nullptr) {
    WEIR_ASSIGN_OR_RETURN(out.partition_values, TextMapAt(json, "partitionValues"));
  }
  out.size = FindLong(json, "size");
  return out;
}

Result<Transaction> TransactionOf(const Json& json) {
  Transaction out;
  WEIR_ASSIGN_OR_RETURN(out.app_id, TextAt(json, "appId"));
  WEIR_ASSIGN_OR_RETURN(out.version, LongAt(json, "version"));
  out.updated_ms = FindLong(json, "lastUpdated");
  return out;
}

// Free form by the protocol: nothing in it can be wrong.
std::map<std::string, std::string> TextsOf(const Json& json, const char* key) {
  std::map<std::string, std::string> out;
  const Json* object = Find(json, key);
  if (object == nullptr || !object->is_object()) return out;
  for (const auto& [name, value] : object->items()) {
    if (value.is_null()) continue;
    out[name] = value.is_string() ? value.get<std::string>() : DumpJson(value);
  }
  return out;
}

CommitInfo InfoOf(const Json& json) {
  CommitInfo out;
  out.time_ms = FindLong(json, "timestamp");
  out.operation = FindText(json, "operation").value_or("");
  out.parameters = TextsOf(json, "operationParameters");
  out.metrics = TextsOf(json, "operationMetrics");
  out.tags = TextsOf(json, "tags");
  out.engine = FindText(json, "engineInfo").value_or("");
  out.attempt = FindText(json, "txnId").value_or("");
  out.blind_append = FindFlag(json, "isBlindAppend", false);
  return out;
}

Status ReadAction(const std::string& name, const Json& action, LogCommit& commit) {
  if (name == "add") {
    WEIR_ASSIGN_OR_RETURN(AddFile add, AddOf(action));
    commit.adds.push_back(std::move(add));
  } else if (name == "remove") {
    WEIR_ASSIGN_OR_RETURN(RemoveFile remove, RemoveOf(action));
    commit.removes.push_back(std::move(remove));
  } else if (name == "txn") {
    WEIR_ASSIGN_OR_RETURN(Transaction transaction, TransactionOf(action));
    commit.transactions.push_back(std::move(transaction));
  } else if (name == "metaData") {
    WEIR_ASSIGN_OR_RETURN(commit.metadata, MetadataOf(action));
  } else if (name == "protocol") {
    WEIR_ASSIGN_OR_RETURN(commit.protocol, ProtocolOf(action));
  } else if (name == "commitInfo") {
    commit.info = InfoOf(action);
  }
  return Ok();
}

// One action a line by the protocol; a reader has no reason to be strict about it.
Status ReadLine(std::string_view text, LogCommit& commit) {
  WEIR_ASSIGN_OR_RETURN(const Json line, ParseJson(text));
  for (const auto& [name, action] : line.items()) {
    if (!action.is_null()) WEIR_TRY(ReadAction(name, action, commit));
  }
  return Ok();
}

Json InfoToJson(const CommitInfo& info) {
  Json out = {{"timestamp", info.time_ms.value_or(0)},
              {"operation", info.operation},
              {"operationParameters", ToJson(info.parameters)},
              {"isBlindAppend", info.blind_append},
              {"operationMetrics", ToJson(info.metrics)},
              {"engineInfo", info.engine},
              {"txnId", info.attempt}};
  if (!info.tags.empty()) out["tags"] = ToJson(info.tags);
  return out;
}

Json ProtocolToJson(const Protocol& protocol) {
  Json out = {{"minReaderVersion", protocol.reader_version},
              {"minWriterVersion", protocol.writer_version}};
  if (protocol.reader_version >= 3) out["readerFeatures"] = protocol.reader_features;
  if (protocol.writer_version >= 7) out["writerFeatures"] = protocol.writer_features;
  return out;
}

Json MetadataToJson(const Metadata& metadata) {
  Json out = {{"id", metadata.id}};
  if (metadata.name) out["name"] = *metadata.name;
  if (metadata.description) out["description"] = *metadata.description;
  out["format"] = {{"provider", metadata.provider}, {"options", ToJson(metadata.format_options)}};
  out["schemaString"] = metadata.schema_text;
  out["partitionColumns"] = metadata.partition_columns;
  out["configuration"] = ToJson(metadata.configuration);
  if (metadata.created_ms) out["createdTime"] = *metadata.created_ms;
  return out;
}

Json TransactionToJson(const Transaction& transaction) {
  Json out = {{"appId", transaction.app_id}, {"version", transaction.version}};
  if (transaction.updated_ms) out["lastUpdated"] = *transaction.updated_ms;
  return out;
}

Json RemoveToJson(const RemoveFile& remove) {
  Json out = {{"path", remove.path}};
  if (remove.deleted_ms) out["deletionTimestamp"] = *remove.deleted_ms;
  out["dataChange"] = remove.data_change;
  out["extendedFileMetadata"] = remove.partition_values && remove.size;
  if (remove.partition_values) out["partitionValues"] = ToJson(*remove.partition_values);
  if (remove.size) out["size"] = *remove.size;
  return out;
}

Json AddToJson(const AddFile& add) {
  Json out = {{"path", add.path},
              {"partitionValues", ToJson(add.partition_values)},
              {"size", add.size},
              {"modificationTime", add.modified_ms},
              {"dataChange", add.data_change}};
  if (add.stats) out["stats"] = *add.stats;
  if (!add.tags.empty()) out["tags"] = ToJson(add.tags);
  return out;
}

void AppendLine(const char* name, Json action, std::string& text) {
  Json line = Json::object();
  line[name] = std::move(action);
  text += DumpJson(line);
  text += '\n';
}

}  // namespace

Result<LogCommit> ParseCommit(std::string_view text, const std::string& file) {
  LogCommit commit;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (Status read = ReadLine(line, commit); !read) {
      return WithContext(std::move(read).error(), fmt::format("{}, line {}", file, number));
    }
  }
  return commit;
}

std::string CommitToText(const LogCommit& commit) {
  std::string text;
  if (commit.info) AppendLine("commitInfo", InfoToJson(*commit.info), text);
  if (commit.protocol) AppendLine("protocol", ProtocolToJson(*commit.protocol), text);
  if (commit.metadata) AppendLine("metaData", MetadataToJson(*commit.metadata), text);
  for (const auto& transaction : commit.transactions) {
    AppendLine("txn", TransactionToJson(transaction), text);
  }
  for (const auto& remove : commit.removes) AppendLine("remove", RemoveToJson(remove), text);
  for (const auto& add : commit.adds) AppendLine("add", AddToJson(add), text);
  return text;
}

}  // namespace weir::delta
