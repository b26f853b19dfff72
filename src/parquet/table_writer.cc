#include "parquet/table_writer.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "base/check.h"
#include "parquet/data_file_writer.h"
#include "parquet/partition_router.h"
#include "parquet/row_sorter.h"

namespace weir::parquet {

namespace {

constexpr std::size_t kShares = 4;
constexpr std::size_t kMostUploads = 8;  // of complete files of one table, at a time

// The same columns with other rows, for a partition's share. Keeps its memory.
class GatheredRows {
 public:
  const std::vector<Column>& Gather(const std::vector<Column>& source,
                                    std::span<const std::uint32_t> rows) {
    if (columns_.empty()) {
      for (const Column& column : source) columns_.emplace_back(column.type());
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      columns_[i].Clear();
      Adopt(source[i], columns_[i]);
      columns_[i].AppendRows(source[i], rows);
    }
    return columns_;
  }
  void Release() { columns_.clear(); }

 private:
  static void Adopt(const Column& source, Column& column) {
    if (source.type().kind == TypeKind::kString || source.type().kind == TypeKind::kBinary) {
      column.UseDictionary(source.dictionary());
    }
    for (std::size_t i = 0; i < column.children().size(); ++i) {
      Adopt(source.children()[i], column.children()[i]);
    }
  }
  std::vector<Column> columns_;
};

}  // namespace

Status FinishFiles(std::vector<UnfinishedFile> files) {
  for (UnfinishedFile& file : files) {
    if (auto finished = file.writer->Finish(); !finished) {
      return WithContext(std::move(finished).error(), "'" + file.path + "'");
    }
  }
  return Ok();
}

class FileSet::Impl {
 public:
  Impl(TableLayout layout, io::Store& store, FileNamer namer)
      : layout_(std::move(layout)), store_(store), namer_(std::move(namer)) {}

  Status Write(const RowBuffer& buffer) {
    if (buffer.rows() == 0) return Ok();
    WEIR_TRY(Bind(buffer.schema()));
    const std::size_t row_bytes = std::max<std::size_t>(1, buffer.bytes() / buffer.rows());
    std::vector<PartitionRows> parts = router_->Route(buffer.columns(), buffer.rows());
    const bool whole = parts.size() == 1;
    for (PartitionRows& part : parts) {
      bool in_place = whole;
      if (sorter_->sorts() && !sorter_->Sort(buffer.columns(), part.rows)) in_place = false;
      WEIR_TRY(WritePart(buffer, part, in_place, row_bytes));
      part.rows = {};
    }
    gathered_.Release();
    return Ok();
  }

  Result<std::vector<connect::DataFile>> Finish(std::vector<UnfinishedFile>* unfinished) {
    while (!open_.empty()) WEIR_TRY(CloseFile(open_.begin()));
    for (; unfinished != nullptr && !closing_.empty(); closing_.pop_front()) {
      OpenFiles::node_type& node = closing_.front();
      Take(node, node.mapped().writer->Summary());
      unfinished->push_back({finished_.back().path, std::move(node.mapped().writer)});
    }
    WEIR_TRY(Settle(0));
    return std::exchange(finished_, {});
  }

  void Abort() {
    open_.clear();
    closing_.clear();
    finished_.clear();
  }

  std::size_t open_files() const { return open_.size(); }

 private:
  struct OpenFile {
    std::string path;
    std::unique_ptr<DataFileWriter> writer;
    int row_groups = 0;
    std::uint64_t last_use = 0;
  };
  using OpenFiles = std::map<connect::PartitionTuple, OpenFile>;

  Status Bind(const std::shared_ptr<const Schema>& schema) {
    if (schema_ == schema) return Ok();
    WEIR_CHECK(open_.empty() || *schema_ == *schema);
    WEIR_ASSIGN_OR_RETURN(router_, PartitionRouter::Create(layout_.spec, *schema));
    WEIR_ASSIGN_OR_RETURN(sorter_, RowSorter::Create(layout_.sort_order, *schema));
    schema_ = schema;
    return Ok();
  }

  // All rows of one partition, as row groups of the size that is wanted.
  Status WritePart(const RowBuffer& buffer, const PartitionRows& part, bool in_place,
                   std::size_t row_bytes) {
    const std::size_t rows = part.rows.size();
    const auto target = static_cast<std::size_t>(layout_.settings.row_group_bytes);
    const std::size_t groups = std::max<std::size_t>(1, (rows * row_bytes + target - 1) / target);
    if (in_place && groups == 1) return WriteRowGroup(part.partition, buffer.columns(), rows);
    for (std::size_t group = 0; group < groups; ++group) {
      const std::size_t begin = rows * group / groups;
      const std::size_t end = rows * (group + 1) / groups;
      if (begin == end) continue;
      const std::span<const std::uint32_t> share(part.rows.data() + begin, end - begin);
      WEIR_TRY(
          WriteRowGroup(part.partition, gathered_.Gather(buffer.columns(), share), share.size()));
    }
    return Ok();
  }

  Status WriteRowGroup(const connect::PartitionTuple& partition, const std::vector<Column>& columns,
                       std::size_t rows) {
    WEIR_ASSIGN_OR_RETURN(const auto file, FileOf(partition));
    std::vector<const Column*> pointers;
    pointers.reserve(columns.size());
    for (const Column& column : columns) pointers.push_back(&column);
    if (Status status = file->second.writer->WriteRowGroup(pointers, rows); !status) {
      return WithContext(std::move(status).error(), "'" + file->second.path + "'");
    }
    ++file->second.row_groups;
    file->second.last_use = ++clock_;
    if (file->second.writer->bytes() >= layout_.settings.target_file_bytes) {
      return CloseFile(file);
    }
    return Ok();
  }

  Result<OpenFiles::iterator> FileOf(const connect::PartitionTuple& partition) {
    const auto found = open_.find(partition);
    if (found != open_.end()) return found;
    if (open_.size() >= layout_.max_open_files) {
      // The one that rested longest; its rows are safe in its finished file.
      WEIR_TRY(
          CloseFile(std::min_element(open_.begin(), open_.end(), [](const auto& a, const auto& b) {
            return a.second.last_use < b.second.last_use;
          })));
    }
    OpenFile file;
    WEIR_ASSIGN_OR_RETURN(file.path, namer_(partition));
    WEIR_ASSIGN_OR_RETURN(std::unique_ptr<io::OutputStream> out, store_.Create(file.path));
    WEIR_ASSIGN_OR_RETURN(file.writer,
                          DataFileWriter::Create(*schema_, layout_.settings, std::move(out)));
    return open_.emplace(partition, std::move(file)).first;
  }

  // Uploads and syncs run beside each other and beside the rows of the next file.
  Status CloseFile(OpenFiles::iterator at) {
    closing_.push_back(open_.extract(at));
    OpenFile& file = closing_.back().mapped();
    if (Status begun = file.writer->BeginFinish(); !begun) {
      return WithContext(std::move(begun).error(), "'" + file.path + "'");
    }
    return Settle(kMostUploads);
  }

  // Waits for the oldest of the closed files until so many are left.
  Status Settle(std::size_t most_left) {
    while (closing_.size() > most_left) {
      OpenFiles::node_type node = std::move(closing_.front());
      closing_.pop_front();
      WEIR_TRY(FinishFile(std::move(node)));
    }
    return Ok();
  }

  Status FinishFile(OpenFiles::node_type node) {
    OpenFile& file = node.mapped();
    auto finished = file.writer->Finish();
    if (!finished) return WithContext(std::move(finished).error(), "'" + file.path + "'");
    Take(node, *std::move(finished));
    return Ok();
  }

  void Take(OpenFiles::node_type& node, connect::DataFile file) {
    file.path = node.mapped().path;
    file.spec_id = layout_.spec.spec_id;
    file.partition = std::move(node.key());
    // Several sorted row groups are not a sorted file.
    if (sorter_->sorts() && node.mapped().row_groups == 1) {
      file.sort_order_id = layout_.sort_order.order_id;
    }
    finished_.push_back(std::move(file));
  }

  TableLayout layout_;
  io::Store& store_;
  FileNamer namer_;
  std::shared_ptr<const Schema> schema_;
  std::optional<PartitionRouter> router_;
  std::optional<RowSorter> sorter_;
  GatheredRows gathered_;
  OpenFiles open_;
  std::deque<OpenFiles::node_type> closing_;  // complete, but not yet known to be durable
  std::uint64_t clock_ = 0;                   // counts row groups, for the order of last use
  std::vector<connect::DataFile> finished_;
};

FileSet::FileSet(TableLayout layout, io::Store& store, FileNamer namer)
    : impl_(std::make_unique<Impl>(std::move(layout), store, std::move(namer))) {}
FileSet::FileSet(FileSet&&) noexcept = default;
FileSet& FileSet::operator=(FileSet&&) noexcept = default;
FileSet::~FileSet() = default;

Status FileSet::Write(const RowBuffer& rows) { return impl_->Write(rows); }
Result<std::vector<connect::DataFile>> FileSet::Finish(std::vector<UnfinishedFile>* unfinished) {
  return impl_->Finish(unfinished);
}
void FileSet::Abort() { impl_->Abort(); }
std::size_t FileSet::open_files() const { return impl_->open_files(); }

// Sorted rows are worth the whole memory: a file is sorted only if it is one row group.
TableWriter::TableWriter(RowBuffer buffer, FileSet files, const TableLayout& layout)
    : buffer_(std::move(buffer)),
      files_(std::move(files)),
      memory_bytes_(layout.memory_bytes),
      share_bytes_(layout.sort_order.fields.empty() ? memory_bytes_ / kShares : memory_bytes_),
      full_bytes_(share_bytes_) {}

Result<std::unique_ptr<TableWriter>> TableWriter::Create(const TableLayout& layout,
                                                         const Schema& source, io::Store& store,
                                                         FileNamer namer) {
  WEIR_ASSIGN_OR_RETURN(RowBuffer buffer, RowBuffer::Create(layout.schema, source));
  FileSet files(layout, store, std::move(namer));
  return std::unique_ptr<TableWriter>(new TableWriter(std::move(buffer), std::move(files), layout));
}

Status TableWriter::Append(const Batch& batch, std::span<const std::uint32_t> rows) {
  buffer_.Append(batch, rows);
  rows_ += static_cast<std::int64_t>(rows.size());
  return WriteIfFull();
}

Status TableWriter::AppendAll(const Batch& batch) {
  buffer_.AppendAll(batch);
  rows_ += static_cast<std::int64_t>(batch.rows());
  return WriteIfFull();
}

Status TableWriter::TakeAll(Batch& batch) {
  rows_ += static_cast<std::int64_t>(batch.rows());
  buffer_.TakeAll(batch);
  return WriteIfFull();
}

Status TableWriter::TakeIfFull(Batch& batch) {
  return buffer_.BytesOf(batch) < full_bytes_ ? Ok() : TakeAll(batch);
}

Status TableWriter::WriteIfFull() {
  if (buffer_.bytes() < full_bytes_) return Ok();
  WEIR_TRY(files_.Write(buffer_));
  buffer_.Clear();
  full_bytes_ =
      std::min(memory_bytes_, share_bytes_ * std::max<std::size_t>(1, files_.open_files()));
  return Ok();
}

Result<std::vector<connect::DataFile>> TableWriter::Cut(std::vector<UnfinishedFile>* unfinished) {
  WEIR_TRY(files_.Write(buffer_));
  buffer_.Clear();
  rows_ = 0;
  return files_.Finish(unfinished);
}

void TableWriter::Abort() {
  buffer_.Clear();
  files_.Abort();
  rows_ = 0;
}

}  // namespace weir::parquet
