#include "engine/epoch_builder.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/fail_point.h"
#include "codec/record_decoder.h"
#include "codec/registry_client.h"
#include "connect/column_file.h"
#include "engine/collector.h"
#include "engine/dropped_rows.h"
#include "engine/produced_tables.h"
#include "parquet/table_writer.h"
#include "stream/validator.h"

namespace weir::engine {
namespace {

using config::TableFrom;

// One table of the pipeline: the rows of this epoch on their way into files.
struct Output {
  OpenTable* table = nullptr;
  // Rows of the records in hand; of bronze also of those before, until they are worth a row group.
  // Unused for valid tables, which take the decoder's.
  Batch batch;
  std::unique_ptr<parquet::TableWriter> writer;
  OperatorOutput* gold = nullptr;  // of a table that operators fill
  std::map<Partition, std::int64_t> rows;

  std::int64_t& RowsOf(Partition partition) { return rows[partition]; }
  explicit Output(std::shared_ptr<const Schema> schema) : batch(std::move(schema)) {}
};

std::vector<std::string> KeyOf(const config::PipelineSpec& spec) {
  for (const config::TableSpec& table : spec.tables)
    if (table.dedupe) return table.dedupe->key;
  return {};
}

std::unique_ptr<codec::RecordDecoder> DecoderOf(const config::PipelineSpec& spec) {
  if (!spec.source.registry) return codec::NewJsonRecordDecoder(spec.contract);
  const config::RegistrySpec& registry = *spec.source.registry;
  return codec::NewFramedRecordDecoder(
      spec.contract,
      codec::NewRegistryClient({.url = registry.url,
                                .user = registry.user,
                                .password = registry.password,
                                .ca_file = registry.ca_file}),
      registry.retry_unknown ? codec::UnknownSchema::kRetry : codec::UnknownSchema::kQuarantine);
}

class Builder final : public EpochBuilder {
 public:
  Builder(const config::PipelineSpec& spec, state::StateLog& log, EventOperators* operators,
          std::string writer)
      : spec_(spec),
        log_(log),
        operators_(operators),
        writer_(std::move(writer)),
        decoder_(DecoderOf(spec)),
        validator_(spec.contract),
        decoded_(decoder_->schema()),
        dropped_(KeyOf(spec)) {}

  Status AddOutput(OpenTable& table);
  void Begin(std::int64_t epoch) override;
  Status Prepare(const LogBatch& batch) override { return decoder_->Prepare(batch.records); }
  Status Add(const LogBatch& batch, Micros ingestion_time) override;
  std::int64_t records() const override { return records_; }
  std::int64_t bytes() const override { return bytes_; }
  Result<EpochContent> Cut(const CutInput& input) override;
  bool uploads() const override;

 private:
  std::span<const LogRecord> WithoutTombstones(const LogBatch& batch);
  Status AddValid(std::span<const LogRecord> records, std::span<const RecordFloor> floors,
                  Micros ingestion_time);
  Status RefuseFirst(std::span<const LogRecord> records) const;
  Status AdmitRows(std::span<const LogRecord> records, std::span<const RecordFloor> floors);
  Status AddLate();
  Status AddFinalGold();
  Status AddGold(EpochContent& content);
  Status AddQuarantine(std::span<const LogRecord> records, Micros ingestion_time);
  Status AddBronze(const LogBatch& batch, Micros ingestion_time);
  Result<std::string> NameFile(Output& output, const connect::PartitionTuple& partition);
  state::LedgerCounts& CountsOf(Partition partition);
  std::vector<Output*> Outputs(TableFrom from);

  const config::PipelineSpec& spec_;
  state::StateLog& log_;
  EventOperators* operators_;
  std::string writer_;
  std::unique_ptr<codec::RecordDecoder> decoder_;
  stream::Validator validator_;
  std::vector<std::unique_ptr<Output>> outputs_;
  Batch decoded_;
  CoordinateColumns coordinates_;

  std::int64_t epoch_ = 0;
  int journal_parts_ = 0;
  int files_named_ = 0;
  std::int64_t records_ = 0;
  std::int64_t bytes_ = 0;
  std::map<Partition, state::LedgerCounts> counts_;
  Partition last_partition_;
  state::LedgerCounts* last_counts_ = nullptr;

  // Reused for every batch.
  std::vector<LogRecord> with_values_;
  std::vector<Rejection> rejections_;
  std::vector<std::uint32_t> good_rows_;
  std::vector<std::uint32_t> repeated_rows_;  // good rows and duplicates
  Admission admission_;
  DroppedRows dropped_;
};

Status Builder::AddOutput(OpenTable& table) {
  auto source = std::make_shared<const Schema>(ProducedSchema(spec_, table.spec));
  auto output = std::make_unique<Output>(source);
  output->table = &table;
  if (table.spec.from == TableFrom::kSource) UseBronzeDictionaries(output->batch);
  const connect::TableVersion& version = *table.at_start;
  parquet::TableLayout layout{.schema = version.schema,
                              .spec = version.spec,
                              .sort_order = version.sort_order,
                              .settings = connect::SettingsFrom(version.properties)};
  layout.memory_bytes = static_cast<std::size_t>(spec_.memory_bytes) / spec_.tables.size();
  if (operators_ != nullptr) {
    const auto gold = operators_->outputs().find(table.spec.name);
    if (gold != operators_->outputs().end()) output->gold = &gold->second;
  }
  Output* out = output.get();
  WEIR_ASSIGN_OR_RETURN(output->writer, parquet::TableWriter::Create(
                                            layout, *source, *table.store,
                                            [this, out](const connect::PartitionTuple& partition) {
                                              return NameFile(*out, partition);
                                            }));
  outputs_.push_back(std::move(output));
  return Ok();
}

void Builder::Begin(std::int64_t epoch) {
  epoch_ = epoch;
  journal_parts_ = 0;
  files_named_ = 0;
  records_ = 0;
  bytes_ = 0;
  counts_.clear();
  last_counts_ = nullptr;
  for (auto& output : outputs_) {
    output->rows.clear();
    output->batch.Clear();
  }
}

Status Builder::Add(const LogBatch& batch, Micros ingestion_time) {
  records_ += static_cast<std::int64_t>(batch.records.size());
  bytes_ += static_cast<std::int64_t>(batch.bytes);
  for (const LogRecord& record : batch.records) ++CountsOf(record.partition).read;
  const auto records = WithoutTombstones(batch);
  WEIR_TRY(AddValid(records, batch.floors, ingestion_time));
  WEIR_TRY(AddQuarantine(records, ingestion_time));
  return AddBronze(batch, ingestion_time);
}

std::span<const LogRecord> Builder::WithoutTombstones(const LogBatch& batch) {
  auto is_tombstone = [](const LogRecord& record) { return !record.value.has_value(); };
  if (std::ranges::none_of(batch.records, is_tombstone)) return batch.records;
  with_values_.clear();
  for (const LogRecord& record : batch.records) {
    if (record.value)
      with_values_.push_back(record);
    else
      ++CountsOf(record.partition).tombstone;
  }
  return with_values_;
}

Status Builder::AddValid(std::span<const LogRecord> records, std::span<const RecordFloor> floors,
                         Micros ingestion_time) {
  const auto tables = Outputs(TableFrom::kValid);
  Batch& rows = decoded_;
  rows.Clear();
  rejections_.clear();
  decoder_->Decode(records, ingestion_time, &rows, &rejections_);
  good_rows_.clear();
  validator_.Validate(rows, &good_rows_, &rejections_);
  if (operators_ != nullptr)
    operators_->RejectFuture(rows, ingestion_time, &good_rows_, &rejections_);
  if (!rejections_.empty() && spec_.on_error == config::OnError::kFail) return RefuseFirst(records);
  if (operators_ != nullptr) WEIR_TRY(AdmitRows(records, floors));

  for (std::uint32_t row : good_rows_) ++CountsOf(records[rows.records[row]].partition).good;
  for (Output* table : tables) {
    const bool all = operators_ != nullptr && !table->table->spec.dedupe;
    const auto& taken = all ? repeated_rows_ : good_rows_;
    for (std::uint32_t row : taken) ++table->RowsOf(records[rows.records[row]].partition);
    const bool coordinates = table->table->spec.coordinates;
    if (coordinates) coordinates_.LendTo(records, spec_.source.topic, rows);
    Status appended = table->writer->Append(rows, taken);
    if (coordinates) coordinates_.TakeBackFrom(rows);
    WEIR_TRY(std::move(appended));
  }
  return Ok();
}

// Leaves the first rows in good_rows_, and those with the duplicates in repeated_rows_.
Status Builder::AdmitRows(std::span<const LogRecord> records, std::span<const RecordFloor> floors) {
  operators_->Admit(decoded_, records, good_rows_, floors, &admission_);
  good_rows_.clear();
  for (const auto& row : admission_.first) good_rows_.push_back(row.row);
  repeated_rows_ = good_rows_;
  for (const auto& row : admission_.duplicates) {
    repeated_rows_.push_back(row.row);
    ++CountsOf(row.partition).duplicate;
    if (!dropped_.full()) dropped_.Add(decoded_, row);
  }
  if (!admission_.duplicates.empty()) std::ranges::sort(repeated_rows_);
  for (const auto& row : admission_.late) ++CountsOf(row.partition).late;
  WEIR_TRY(AddFinalGold());
  return AddLate();
}

// Rows that are final already need not wait for the cut.
Status Builder::AddFinalGold() {
  for (auto& output : outputs_)
    if (output->gold != nullptr) WEIR_TRY(output->writer->TakeIfFull(output->gold->rows));
  return Ok();
}

Status Builder::AddLate() {
  if (admission_.late.empty()) return Ok();
  for (Output* table : Outputs(TableFrom::kLate)) {
    table->batch.Clear();
    AppendLateRows(decoded_, admission_, spec_.source.topic, table->batch);
    for (const auto& row : admission_.late) ++table->RowsOf(row.partition);
    WEIR_TRY(table->writer->AppendAll(table->batch));
  }
  return Ok();
}

Status Builder::RefuseFirst(std::span<const LogRecord> records) const {
  const auto& first = *std::ranges::min_element(rejections_, {}, &Rejection::record);
  const LogRecord& record = records[first.record];
  return WithRemedy(
      InvalidInput(fmt::format("Invalid clickstream event: {} (topic {}, partition {}, offset {})",
                               first.message, spec_.source.topic, record.partition.value(),
                               record.offset.value()),
                   ErrorCode::kBadRecord),
      "mend the producer, or set `on_error: quarantine` and start again");
}

Status Builder::AddQuarantine(std::span<const LogRecord> records, Micros ingestion_time) {
  if (rejections_.empty()) return Ok();
  std::ranges::sort(rejections_, {}, &Rejection::record);
  for (const Rejection& rejection : rejections_)
    ++CountsOf(records[rejection.record].partition).quarantined;
  for (Output* table : Outputs(TableFrom::kInvalid)) {
    table->batch.Clear();
    for (const Rejection& rejection : rejections_) {
      const LogRecord& record = records[rejection.record];
      ++table->RowsOf(record.partition);
      AppendQuarantineRow(record, rejection, spec_.source.topic, spec_.contract.version,
                          ingestion_time, table->batch);
    }
    WEIR_TRY(table->writer->AppendAll(table->batch));
  }
  return Ok();
}

Status Builder::AddBronze(const LogBatch& batch, Micros ingestion_time) {
  for (Output* table : Outputs(TableFrom::kSource)) {
    AppendBronzeRows(batch.records, spec_.source.topic, ingestion_time, admission_.floors,
                     table->batch);
    for (const LogRecord& record : batch.records) ++table->RowsOf(record.partition);
    WEIR_TRY(table->writer->TakeIfFull(table->batch));
  }
  return Ok();
}

Result<EpochContent> Builder::Cut(const CutInput& input) {
  EpochContent content;
  content.counts = counts_;
  if (operators_ != nullptr) {
    WEIR_ASSIGN_OR_RETURN(content.operators, operators_->Cut(input));
    WEIR_TRY(AddGold(content));
  }
  for (Output* table : Outputs(TableFrom::kSource)) {
    WEIR_TRY(table->writer->TakeAll(table->batch));
  }
  for (auto& output : outputs_) {
    WEIR_ASSIGN_OR_RETURN(auto files, output->writer->Cut(&content.unfinished));
    if (files.empty()) continue;
    content.files[output->table->name] = std::move(files);
    content.rows[output->table->name] = output->rows;
  }
  content.dropped = dropped_.Take();
  decoder_->ResetDictionaries();
  return content;
}

bool Builder::uploads() const {
  return std::ranges::any_of(outputs_,
                             [](const auto& output) { return output->table->store->remote(); });
}

Status Builder::AddGold(EpochContent& content) {
  for (auto& output : outputs_) {
    if (output->gold == nullptr) continue;
    OperatorOutput& gold = *output->gold;
    WEIR_TRY(output->writer->TakeAll(gold.rows));
    output->rows = std::move(gold.final_rows);
    if (gold.replaced.empty()) continue;
    content.replaced[output->table->name] = std::move(gold.replaced);
    content.open_rows[output->table->name] = std::move(gold.open_rows);
  }
  return Ok();
}

// Protocol step 1: the journal names a file before it exists.
Result<std::string> Builder::NameFile(Output& output, const connect::PartitionTuple& partition) {
  const OpenTable& table = *output.table;
  std::string path =
      fmt::format("{}/{:08}-{}-{:05}.parquet", table.table->DataFolder(*table.at_start, partition),
                  epoch_, writer_, files_named_++);
  Reach(FailPoint::kJournalBefore);
  WEIR_TRY(log_.PutJournal(writer_, epoch_, journal_parts_++, {JournalName(table.name, path)}));
  Reach(FailPoint::kJournalAfter);
  return path;
}

// Records come in runs of one partition, so the last one is nearly always the right one.
state::LedgerCounts& Builder::CountsOf(Partition partition) {
  if (last_counts_ == nullptr || partition != last_partition_) {
    last_partition_ = partition;
    last_counts_ = &counts_[partition];
  }
  return *last_counts_;
}

std::vector<Output*> Builder::Outputs(TableFrom from) {
  std::vector<Output*> found;
  for (auto& output : outputs_)
    if (output->table->spec.from == from) found.push_back(output.get());
  return found;
}

}  // namespace

Result<std::unique_ptr<EpochBuilder>> EpochBuilder::Make(const config::PipelineSpec& spec,
                                                         std::vector<OpenTable>& tables,
                                                         state::StateLog& log,
                                                         EventOperators* operators,
                                                         const std::string& writer) {
  auto builder = std::make_unique<Builder>(spec, log, operators, writer);
  for (OpenTable& table : tables) WEIR_TRY(builder->AddOutput(table));
  return std::unique_ptr<EpochBuilder>(std::move(builder));
}

}  // namespace weir::engine
