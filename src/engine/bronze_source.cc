#include "engine/bronze_source.h"

#include <algorithm>
#include <future>

#include <fmt/format.h>

namespace weir::engine {
namespace {

enum : std::size_t {
  kTopic,
  kPartition,
  kOffset,
  kTimestampMs,
  kTimestampType,
  kKey,
  kValue,
  kIngestionTime,
  kFloor,
};
const std::vector<std::string> kColumns = {"topic",        "partition",      "offset",
                                           "timestamp_ms", "timestamp_type", "key",
                                           "value",        "ingestion_time", "watermark_floor"};

TimestampType TypeOf(std::string_view text) {
  if (text == "create") return TimestampType::kCreate;
  return text == "log_append" ? TimestampType::kLogAppend : TimestampType::kNone;
}

// Rows in memory, and the order in which they are read.
struct Chunk {
  struct Row {
    Partition partition;
    Offset offset;
    std::uint32_t batch = 0;
    std::uint32_t row = 0;
  };
  std::vector<Batch> batches;
  std::vector<Row> rows;  // of this topic

  void Take(Batch batch, const std::string& topic) {
    const auto& columns = batch.columns;
    const auto number = static_cast<std::uint32_t>(batches.size());
    rows.reserve(rows.size() + batch.rows());
    for (std::uint32_t row = 0; row < batch.rows(); ++row)
      if (columns[kTopic].String(row) == topic)
        rows.push_back({Partition(columns[kPartition].Int(row)), Offset(columns[kOffset].Long(row)),
                        number, row});
    batches.push_back(std::move(batch));
  }
};
using ChunkPtr = std::shared_ptr<Chunk>;

// Gives the rows of one group of files after the other.
class ChunkReader {
 public:
  ChunkReader(const BronzeLog& log, std::shared_ptr<const Schema> columns, BronzeOpener open)
      : log_(log),
        columns_(std::move(columns)),
        open_(std::move(open)),
        groups_(OrderBronze(log.files)) {}

  void Start(const OffsetMap& from) {
    reader_.reset();
    group_ = 0;
    from_ = from;
  }

  // nullptr: that was all.
  Result<ChunkPtr> Next() {
    for (;;) {
      if (reader_ != nullptr) {
        WEIR_ASSIGN_OR_RETURN(auto batch, reader_->Next());
        if (batch) {
          auto chunk = std::make_shared<Chunk>();
          chunk->Take(std::move(*batch), log_.topic.topic);
          return chunk;
        }
        reader_.reset();
      }
      if (group_ == groups_.size()) return ChunkPtr();
      const BronzeGroup& group = groups_[group_++];
      if (IsBehind(group)) continue;
      if (group.files.size() > 1 || !log_.files[group.files.front()].ascending)
        return Merged(group);
      WEIR_ASSIGN_OR_RETURN(reader_, Open(group.files.front()));
    }
  }

 private:
  bool IsBehind(const BronzeGroup& group) const {
    return std::ranges::all_of(group.ranges, [&](const auto& entry) {
      const auto from = from_.find(entry.first);
      return from == from_.end() || entry.second.last < from->second;
    });
  }

  Result<std::unique_ptr<parquet::DataFileReader>> Open(std::size_t file) {
    WEIR_ASSIGN_OR_RETURN(auto reader, open_(log_.files[file].path));
    WEIR_TRY(reader->Select(columns_));
    return reader;
  }

  Result<ChunkPtr> Merged(const BronzeGroup& group) {
    auto chunk = std::make_shared<Chunk>();
    std::size_t bytes = 0;
    for (const std::size_t file : group.files) {
      WEIR_ASSIGN_OR_RETURN(auto reader, Open(file));
      for (;;) {
        WEIR_ASSIGN_OR_RETURN(auto batch, reader->Next());
        if (!batch) break;
        bytes += batch->memory_bytes();
        if (bytes > log_.merge_bytes) return TooLarge(group);
        chunk->Take(std::move(*batch), log_.topic.topic);
      }
    }
    std::ranges::stable_sort(chunk->rows, {}, [](const Chunk::Row& row) {
      return std::pair(row.partition, row.offset);
    });
    return chunk;
  }

  Error TooLarge(const BronzeGroup& group) const {
    return WithRemedy(
        Unsupported(fmt::format("{} files of raw records (the first is {}) are not in the order of "
                                "their offsets and hold more than {} MiB to sort",
                                group.files.size(), log_.files[group.files.front()].path,
                                log_.merge_bytes >> 20),
                    ErrorCode::kTableUnsupported),
        "raise `memory` in the pipeline file, or replay from the log: `--from source`");
  }

  const BronzeLog& log_;
  std::shared_ptr<const Schema> columns_;
  BronzeOpener open_;
  std::vector<BronzeGroup> groups_;
  std::size_t group_ = 0;
  std::unique_ptr<parquet::DataFileReader> reader_;
  OffsetMap from_;
};

class BronzeSource final : public connect::LogSource {
 public:
  BronzeSource(BronzeLog log, std::shared_ptr<const Schema> columns, BronzeOpener open)
      : log_(std::move(log)), reader_(log_, std::move(columns), std::move(open)) {
    for (const BronzeFile& file : log_.files)
      for (const auto& [partition, range] : file.ranges) {
        auto [entry, fresh] = last_.try_emplace(partition, range.last);
        if (!fresh) entry->second = std::max(entry->second, range.last);
      }
  }
  ~BronzeSource() override {
    if (ahead_.valid()) ahead_.wait();
  }

  Result<connect::TopicInfo> Describe() override { return log_.topic; }
  Result<OffsetMap> OffsetsAt(std::int64_t) override {
    return Unsupported("a replay starts where the raw records start");
  }
  Status Assign(const OffsetMap& start) override {
    if (ahead_.valid()) ahead_.wait();
    ahead_ = {};
    chunk_.reset();
    done_ = false;
    next_ = start;
    reader_.Start(start);
    ReadAhead();
    return Ok();
  }
  Result<LogBatch> Poll(Micros max_wait, std::size_t max_records) override;
  OffsetMap Positions() const override {
    OffsetMap positions = next_;
    for (auto& [partition, next] : positions)
      if (IsAtEnd(partition, next)) next = EndOf(partition, next);
    return positions;
  }
  std::set<Partition> AtEnd() const override {
    std::set<Partition> at_end;
    for (const auto& [partition, next] : next_)
      if (IsAtEnd(partition, next)) at_end.insert(partition);
    return at_end;
  }
  Status ReportProgress(const OffsetMap&) override { return Ok(); }

 private:
  bool IsAtEnd(Partition partition, Offset next) const {
    const auto last = last_.find(partition);
    return done_ || last == last_.end() || next > last->second || next >= EndOf(partition, next);
  }
  Offset EndOf(Partition partition, Offset next) const {
    const auto bounds = log_.topic.partitions.find(partition);
    return bounds == log_.topic.partitions.end() ? next : std::max(next, bounds->second.end);
  }
  void ReadAhead() {
    ahead_ = std::async(std::launch::async, [this] { return reader_.Next(); });
  }
  Status NextChunk();
  bool IsWanted(const Chunk::Row& row) const {
    const auto next = next_.find(row.partition);
    return next != next_.end() && row.offset >= next->second &&
           row.offset < EndOf(row.partition, Offset());
  }
  void Append(const Chunk::Row& row, LogBatch& batch) const;

  BronzeLog log_;
  ChunkReader reader_;  // used by the task that reads ahead
  std::future<Result<ChunkPtr>> ahead_;
  std::map<Partition, Offset> last_;  // that the files hold
  OffsetMap next_;
  ChunkPtr chunk_;
  std::size_t row_ = 0;
  bool done_ = false;
};

Status BronzeSource::NextChunk() {
  WEIR_ASSIGN_OR_RETURN(chunk_, ahead_.get());
  row_ = 0;
  done_ = chunk_ == nullptr;
  if (!done_) ReadAhead();
  return Ok();
}

Result<LogBatch> BronzeSource::Poll(Micros, std::size_t max_records) {
  LogBatch batch;
  while (!done_ && batch.empty()) {
    if (chunk_ == nullptr || row_ == chunk_->rows.size()) {
      WEIR_TRY(NextChunk());
      continue;
    }
    batch.storage = chunk_;
    for (; row_ < chunk_->rows.size() && batch.records.size() < max_records; ++row_) {
      const Chunk::Row& row = chunk_->rows[row_];
      if (!IsWanted(row)) continue;
      // Records that came at one moment: what is decided by it is decided for all of them.
      const Micros time = chunk_->batches[row.batch].columns[kIngestionTime].Long(row.row);
      if (!batch.empty() && time != batch.ingestion_time) break;
      batch.ingestion_time = time;
      Append(row, batch);
      next_[row.partition] = Offset(row.offset.value() + 1);
    }
  }
  return batch;
}

void BronzeSource::Append(const Chunk::Row& row, LogBatch& batch) const {
  const auto& columns = chunk_->batches[row.batch].columns;
  LogRecord record;
  record.partition = row.partition;
  record.offset = row.offset;
  if (!columns[kTimestampMs].IsNull(row.row))
    record.timestamp_ms = columns[kTimestampMs].Long(row.row);
  record.timestamp_type = TypeOf(columns[kTimestampType].String(row.row));
  if (!columns[kKey].IsNull(row.row)) record.key = columns[kKey].String(row.row);
  if (!columns[kValue].IsNull(row.row)) record.value = columns[kValue].String(row.row);
  batch.bytes += record.key.value_or("").size() + record.value.value_or("").size();
  if (!columns[kFloor].IsNull(row.row))
    batch.floors.push_back({row.partition, row.offset, columns[kFloor].Long(row.row)});
  batch.records.push_back(record);
}

}  // namespace

Result<std::unique_ptr<connect::LogSource>> OpenBronze(BronzeLog log, BronzeOpener open) {
  WEIR_ASSIGN_OR_RETURN(auto columns, ColumnsNamed(log.schema, kColumns));
  return std::unique_ptr<connect::LogSource>(
      std::make_unique<BronzeSource>(std::move(log), std::move(columns), std::move(open)));
}

}  // namespace weir::engine
