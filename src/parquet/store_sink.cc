#include "parquet/store_sink.h"

#include <string_view>
#include <utility>

#include <arrow/status.h>

namespace weir::parquet {

namespace {
constexpr std::size_t kGather = 64U << 10;
}  // namespace

StoreSink::StoreSink(std::unique_ptr<io::OutputStream> out) : out_(std::move(out)) {}
StoreSink::~StoreSink() = default;

::arrow::Status StoreSink::Write(const void* data, std::int64_t bytes) {
  if (error_) return ::arrow::Status::IOError("an earlier write failed");
  const std::string_view view(static_cast<const char*>(data), static_cast<std::size_t>(bytes));
  position_ += bytes;
  if (pending_.size() + view.size() <= kGather) {
    pending_.append(view);
    return ::arrow::Status::OK();
  }
  weir::Status status = Drain();
  if (status.ok()) status = out_->Append(view);
  if (status.ok()) return ::arrow::Status::OK();
  error_ = std::move(status).error();
  return ::arrow::Status::IOError(error_->message);
}

::arrow::Status StoreSink::Close() {
  closed_ = true;
  return ::arrow::Status::OK();
}

weir::Status StoreSink::Drain() {
  if (pending_.empty()) return Ok();
  weir::Status status = out_->Append(pending_);
  pending_.clear();
  return status;
}

weir::Status StoreSink::BeginFinish() {
  WEIR_TRY(Drain());
  out_->BeginFinish();
  return Ok();
}

weir::Status StoreSink::Finish() {
  WEIR_TRY(Drain());
  return out_->Finish();
}

}  // namespace weir::parquet
