#include "delta/checkpoint_rows.h"

#include "base/check.h"

namespace weir::delta {
namespace {

enum Place : std::size_t { kTxn, kAdd, kRemove, kMetaData, kProtocol };

Field Of(std::string name, Type type) {
  return {.name = std::move(name), .type = std::move(type), .doc = {}};
}
Field Text(std::string name) { return Of(std::move(name), Type::Of(TypeKind::kString)); }
Field Long(std::string name) { return Of(std::move(name), Type::Of(TypeKind::kLong)); }
Field Int(std::string name) { return Of(std::move(name), Type::Of(TypeKind::kInt)); }
Field Flag(std::string name) { return Of(std::move(name), Type::Of(TypeKind::kBoolean)); }
Field Texts(std::string name) {
  return Of(std::move(name), Type::List(Type::Of(TypeKind::kString)));
}
Field Map(std::string name) {
  return Of(std::move(name), Type::Map(Type::Of(TypeKind::kString), Type::Of(TypeKind::kString)));
}

Schema MakeSchema() {
  Schema schema;
  schema.fields = {
      Of("txn", Type::Struct({Text("appId"), Long("version"), Long("lastUpdated")})),
      Of("add",
         Type::Struct({Text("path"), Map("partitionValues"), Long("size"), Long("modificationTime"),
                       Flag("dataChange"), Text("stats"), Map("tags")})),
      Of("remove",
         Type::Struct({Text("path"), Long("deletionTimestamp"), Flag("dataChange"),
                       Flag("extendedFileMetadata"), Map("partitionValues"), Long("size")})),
      Of("metaData", Type::Struct({Text("id"), Text("name"), Text("description"),
                                   Of("format", Type::Struct({Text("provider"), Map("options")})),
                                   Text("schemaString"), Texts("partitionColumns"),
                                   Map("configuration"), Long("createdTime")})),
      Of("protocol", Type::Struct({Int("minReaderVersion"), Int("minWriterVersion"),
                                   Texts("readerFeatures"), Texts("writerFeatures")}))};
  AssignFieldIds(schema);
  return schema;
}

// One row of a struct column, child by child.
class RowReader {
 public:
  RowReader(const Column& column, std::size_t row) : column_(column), row_(row) {}

  const Column& at(std::size_t child) const { return column_.children()[child]; }
  std::optional<std::string> MaybeText(std::size_t child) const {
    if (at(child).IsNull(row_)) return std::nullopt;
    return std::string(at(child).String(row_));
  }
  std::optional<std::int64_t> MaybeLong(std::size_t child) const {
    if (at(child).IsNull(row_)) return std::nullopt;
    return at(child).Long(row_);
  }
  Result<std::string> Text(std::size_t child) const {
    if (auto text = MaybeText(child)) return *std::move(text);
    return Missing(child);
  }
  Result<int> Int(std::size_t child) const {
    if (at(child).IsNull(row_)) return Missing(child);
    return at(child).Int(row_);
  }
  bool Flag(std::size_t child) const { return at(child).IsNull(row_) || at(child).Boolean(row_); }
  std::vector<std::string> Texts(std::size_t child) const {
    std::vector<std::string> out;
    const Column& list = at(child);
    if (list.IsNull(row_)) return out;
    for (auto i = Begin(list, row_); i < Begin(list, row_ + 1); ++i) {
      if (!list.children()[0].IsNull(i)) out.emplace_back(list.children()[0].String(i));
    }
    return out;
  }
  std::optional<TextMap> Map(std::size_t child) const {
    const Column& map = at(child);
    if (map.IsNull(row_)) return std::nullopt;
    TextMap out;
    const Column& keys = map.children()[0];
    const Column& values = map.children()[1];
    for (auto i = Begin(map, row_); i < Begin(map, row_ + 1); ++i) {
      if (keys.IsNull(i)) continue;
      auto& value = out[std::string(keys.String(i))];
      if (!values.IsNull(i)) value = std::string(values.String(i));
    }
    return out;
  }

 private:
  static std::size_t Begin(const Column& column, std::size_t row) {
    return static_cast<std::size_t>(column.item_begin(row));
  }
  Error Missing(std::size_t child) const {
    return Corrupt("a row lacks " + column_.type().children[child].name,
                   ErrorCode::kMetadataCorrupt);
  }

  const Column& column_;
  std::size_t row_;
};

Result<Transaction> TransactionOf(const RowReader& row) {
  Transaction out;
  WEIR_ASSIGN_OR_RETURN(out.app_id, row.Text(0));
  out.version = row.MaybeLong(1).value_or(0);
  out.updated_ms = row.MaybeLong(2);
  return out;
}

Result<AddFile> AddOf(const RowReader& row) {
  AddFile out;
  WEIR_ASSIGN_OR_RETURN(out.path, row.Text(0));
  out.partition_values = row.Map(1).value_or(TextMap{});
  out.size = row.MaybeLong(2).value_or(0);
  out.modified_ms = row.MaybeLong(3).value_or(0);
  out.data_change = row.Flag(4);
  out.stats = row.MaybeText(5);
  out.tags = row.Map(6).value_or(TextMap{});
  return out;
}

Result<RemoveFile> RemoveOf(const RowReader& row) {
  RemoveFile out;
  WEIR_ASSIGN_OR_RETURN(out.path, row.Text(0));
  out.deleted_ms = row.MaybeLong(1);
  out.data_change = row.Flag(2);
  out.partition_values = row.Map(4);
  out.size = row.MaybeLong(5);
  return out;
}

Result<Metadata> MetadataOf(const RowReader& row, std::size_t index) {
  Metadata out;
  WEIR_ASSIGN_OR_RETURN(out.id, row.Text(0));
  out.name = row.MaybeText(1);
  out.description = row.MaybeText(2);
  if (!row.at(3).IsNull(index)) {
    const RowReader format(row.at(3), index);
    out.provider = format.MaybeText(0).value_or("");
    out.format_options = format.Map(1).value_or(TextMap{});
  }
  WEIR_ASSIGN_OR_RETURN(out.schema_text, row.Text(4));
  out.partition_columns = row.Texts(5);
  out.configuration = row.Map(6).value_or(TextMap{});
  out.created_ms = row.MaybeLong(7);
  return out;
}

Result<Protocol> ProtocolOf(const RowReader& row) {
  Protocol out;
  WEIR_ASSIGN_OR_RETURN(out.reader_version, row.Int(0));
  WEIR_ASSIGN_OR_RETURN(out.writer_version, row.Int(1));
  out.reader_features = row.Texts(2);
  out.writer_features = row.Texts(3);
  return out;
}

void Put(Column& column, const std::optional<std::string>& text) {
  text ? column.AppendString(*text) : column.AppendNull();
}
void Put(Column& column, const std::optional<std::int64_t>& number) {
  number ? column.AppendLong(*number) : column.AppendNull();
}
void Put(Column& column, const TextMap& map) {
  for (const auto& [key, value] : map) {
    column.children()[0].AppendString(key);
    Put(column.children()[1], value);
  }
  column.AppendList(map.size());
}
void Put(Column& column, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) column.children()[0].AppendString(text);
  column.AppendList(texts.size());
}

// The column of one action in a new row; the others get a null.
Column& OnlyColumn(Batch& batch, Place place) {
  for (std::size_t i = 0; i < batch.columns.size(); ++i) {
    if (i != place) batch.columns[i].AppendNull();
  }
  return batch.columns[place];
}

}  // namespace

const std::shared_ptr<const Schema>& CheckpointSchema() {
  static const auto kSchema = std::make_shared<const Schema>(MakeSchema());
  return kSchema;
}

Result<LogCommit> ActionsOf(const Batch& batch) {
  WEIR_CHECK(batch.columns.size() == CheckpointSchema()->fields.size());
  const auto& columns = batch.columns;
  LogCommit out;
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    if (!columns[kAdd].IsNull(row)) {
      WEIR_ASSIGN_OR_RETURN(AddFile add, AddOf({columns[kAdd], row}));
      out.adds.push_back(std::move(add));
    } else if (!columns[kRemove].IsNull(row)) {
      WEIR_ASSIGN_OR_RETURN(RemoveFile remove, RemoveOf({columns[kRemove], row}));
      out.removes.push_back(std::move(remove));
    } else if (!columns[kTxn].IsNull(row)) {
      WEIR_ASSIGN_OR_RETURN(Transaction transaction, TransactionOf({columns[kTxn], row}));
      out.transactions.push_back(std::move(transaction));
    } else if (!columns[kMetaData].IsNull(row)) {
      WEIR_ASSIGN_OR_RETURN(out.metadata, MetadataOf({columns[kMetaData], row}, row));
    } else if (!columns[kProtocol].IsNull(row)) {
      WEIR_ASSIGN_OR_RETURN(out.protocol, ProtocolOf({columns[kProtocol], row}));
    }
  }
  return out;
}

void AppendAction(const Protocol& protocol, Batch& batch) {
  Column& row = OnlyColumn(batch, kProtocol);
  auto& columns = row.children();
  columns[0].AppendInt(protocol.reader_version);
  columns[1].AppendInt(protocol.writer_version);
  // Versions that have no features must not have a list of them, not even an empty one.
  protocol.reader_version >= 3 ? Put(columns[2], protocol.reader_features)
                               : columns[2].AppendNull();
  protocol.writer_version >= 7 ? Put(columns[3], protocol.writer_features)
                               : columns[3].AppendNull();
  row.AppendStruct();
}

void AppendAction(const Metadata& metadata, Batch& batch) {
  Column& row = OnlyColumn(batch, kMetaData);
  auto& columns = row.children();
  columns[0].AppendString(metadata.id);
  Put(columns[1], metadata.name);
  Put(columns[2], metadata.description);
  columns[3].children()[0].AppendString(metadata.provider);
  Put(columns[3].children()[1], metadata.format_options);
  columns[3].AppendStruct();
  columns[4].AppendString(metadata.schema_text);
  Put(columns[5], metadata.partition_columns);
  Put(columns[6], metadata.configuration);
  Put(columns[7], metadata.created_ms);
  row.AppendStruct();
}

void AppendAction(const Transaction& transaction, Batch& batch) {
  Column& row = OnlyColumn(batch, kTxn);
  auto& columns = row.children();
  columns[0].AppendString(transaction.app_id);
  columns[1].AppendLong(transaction.version);
  Put(columns[2], transaction.updated_ms);
  row.AppendStruct();
}

void AppendAction(const RemoveFile& file, Batch& batch) {
  Column& row = OnlyColumn(batch, kRemove);
  auto& columns = row.children();
  columns[0].AppendString(file.path);
  Put(columns[1], file.deleted_ms);
  columns[2].AppendBoolean(file.data_change);
  columns[3].AppendBoolean(file.partition_values && file.size);
  file.partition_values ? Put(columns[4], *file.partition_values) : columns[4].AppendNull();
  Put(columns[5], file.size);
  row.AppendStruct();
}

void AppendAction(const AddFile& file, Batch& batch) {
  Column& row = OnlyColumn(batch, kAdd);
  auto& columns = row.children();
  columns[0].AppendString(file.path);
  Put(columns[1], file.partition_values);
  columns[2].AppendLong(file.size);
  columns[3].AppendLong(file.modified_ms);
  columns[4].AppendBoolean(false);  // a checkpoint tells of no change
  Put(columns[5], file.stats);
  Put(columns[6], file.tags);
  row.AppendStruct();
}

}  // namespace weir::delta
