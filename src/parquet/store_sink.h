#pragma once
// StoreSink: an output stream of a store as Parquet C++ wants to see it. Gathers small writes, and
// keeps the store's own error, which Arrow's status cannot carry. For the inside of this folder.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include "base/result.h"
#include "io/store.h"

namespace weir::parquet {

class StoreSink final : public ::arrow::io::OutputStream {
 public:
  explicit StoreSink(std::unique_ptr<io::OutputStream> out);
  ~StoreSink() override;

  ::arrow::Status Write(const void* data, std::int64_t bytes) override;
  ::arrow::Status Flush() override { return ::arrow::Status::OK(); }
  ::arrow::Result<std::int64_t> Tell() const override { return position_; }
  /// Does not finish the object: that is Finish's.
  ::arrow::Status Close() override;
  bool closed() const override { return closed_; }

  std::int64_t position() const { return position_; }
  /// Nothing more is written; the store may begin what Finish waits for.
  weir::Status BeginFinish();
  /// Makes the object durable and visible.
  weir::Status Finish();
  /// The error that made a Write fail, if any.
  const std::optional<Error>& error() const { return error_; }

 private:
  weir::Status Drain();

  std::unique_ptr<io::OutputStream> out_;
  std::string pending_;
  std::int64_t position_ = 0;
  bool closed_ = false;
  std::optional<Error> error_;
};

}  // namespace weir::parquet
