#include "delta/checkpoint.h"

#include <fmt/format.h>

#include "connect/column_file.h"
#include "delta/checkpoint_rows.h"
#include "parquet/data_file_reader.h"
#include "parquet/data_file_writer.h"

namespace weir::delta {
namespace {

// Rows are texts of a kilobyte or so; a row group of them fits any reader.
constexpr std::size_t kRowsInGroup = 20'000;

class MemoryStream final : public io::OutputStream {
 public:
  explicit MemoryStream(std::string& bytes) : bytes_(bytes) {}
  Status Append(std::string_view bytes) override {
    bytes_ += bytes;
    return Ok();
  }
  std::int64_t size() const override { return static_cast<std::int64_t>(bytes_.size()); }
  Status Finish() override { return Ok(); }

 private:
  std::string& bytes_;
};

Status ReadRows(parquet::DataFileReader& reader, std::int64_t version, TableState& state) {
  WEIR_TRY(reader.Select(CheckpointSchema()));
  for (;;) {
    WEIR_ASSIGN_OR_RETURN(const auto batch, reader.Next());
    if (!batch) return Ok();
    WEIR_ASSIGN_OR_RETURN(LogCommit commit, ActionsOf(*batch));
    WEIR_TRY(state.Apply(version, std::move(commit)));
  }
}

class Writer {
 public:
  explicit Writer(std::string& bytes) : batch_(CheckpointSchema()), bytes_(bytes) {}

  Status Open() {
    connect::FileSettings settings;
    settings.compression = "snappy";
    settings.default_metrics_mode = "none";
    WEIR_ASSIGN_OR_RETURN(writer_,
                          parquet::DataFileWriter::Create(*CheckpointSchema(), settings,
                                                          std::make_unique<MemoryStream>(bytes_)));
    return Ok();
  }

  template <typename Action>
  Status Add(const Action& action) {
    AppendAction(action, batch_);
    ++actions_;
    return ++rows_ < kRowsInGroup ? Ok() : Flush();
  }

  Result<std::int64_t> Finish() {
    WEIR_TRY(Flush());
    WEIR_TRY(writer_->Finish());
    return actions_;
  }

 private:
  Status Flush() {
    if (rows_ == 0) return Ok();
    std::vector<const Column*> columns;
    for (const Column& column : batch_.columns) columns.push_back(&column);
    WEIR_TRY(writer_->WriteRowGroup(columns, rows_));
    for (Column& column : batch_.columns) column.Clear();
    rows_ = 0;
    return Ok();
  }

  Batch batch_;
  std::string& bytes_;
  std::unique_ptr<parquet::DataFileWriter> writer_;
  std::size_t rows_ = 0;
  std::int64_t actions_ = 0;
};

Status CheckSame(const TableState& written, const TableState& read) {
  const bool same = read.files().size() == written.files().size() &&
                    read.removed().size() == written.removed().size() &&
                    read.transactions().size() == written.transactions().size() &&
                    read.records() == written.records() && read.metadata() != nullptr &&
                    *read.metadata() == *written.metadata() &&
                    read.protocol() == written.protocol();
  if (same) return Ok();
  return Internal(
      fmt::format("a checkpoint of version {} does not read back as what it was made "
                  "of; it is not used",
                  written.version()));
}

}  // namespace

Status ReadCheckpoint(io::Store& store, const std::string& key, std::int64_t version,
                      TableState& state) {
  WEIR_ASSIGN_OR_RETURN(const auto reader, parquet::DataFileReader::Open(store, key));
  Status read = ReadRows(*reader, version, state);
  if (read) return read;
  Error error = std::move(read).error();
  if (error.kind == ErrorKind::kInvalidInput) error.kind = ErrorKind::kCorrupt;
  return WithContext(std::move(error), key);
}

Result<CheckpointBytes> WriteCheckpoint(const TableState& state) {
  CheckpointBytes out;
  Writer writer(out.bytes);
  WEIR_TRY(writer.Open());
  WEIR_TRY(writer.Add(state.protocol()));
  WEIR_TRY(writer.Add(*state.metadata()));
  for (const auto& [id, transaction] : state.transactions()) WEIR_TRY(writer.Add(transaction));
  for (const auto& [path, file] : state.removed()) WEIR_TRY(writer.Add(file));
  for (const auto& [path, file] : state.files()) WEIR_TRY(writer.Add(file));
  WEIR_ASSIGN_OR_RETURN(out.actions, writer.Finish());
  WEIR_ASSIGN_OR_RETURN(const auto reader,
                        parquet::DataFileReader::OpenBytes(out.bytes, "the new checkpoint"));
  TableState read;
  WEIR_TRY(ReadRows(*reader, state.version(), read));
  WEIR_TRY(CheckSame(state, read));
  return out;
}

}  // namespace weir::delta
