#pragma once
// S3Stream: a new object of a bucket, uploaded while it is being written.
//
// Up to one part's worth of bytes is one conditional PUT when the stream is finished. What is
// longer is an upload in parts: each part leaves on a thread of its own as soon as it is full, at
// most two at a time, so that a stream holds three parts in memory at most. Ending it is
// conditional too. A stream that is dropped aborts its upload. For one thread.

#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/s3_answers.h"
#include "io/s3_client.h"
#include "io/store.h"

namespace weir::io {

class S3Stream final : public OutputStream {
 public:
  S3Stream(std::shared_ptr<S3Client> client, std::string whole, std::int64_t part_bytes);
  ~S3Stream() override;

  Status Append(std::string_view bytes) override;
  std::int64_t size() const override { return size_; }
  /// Uploads beside the caller's work; the stream may not be moved or used but for Finish.
  void BeginFinish() override;
  /// kConflict: an object is there already. kCommitUnknown: it may be ours or may come yet.
  Status Finish() override;

 private:
  Status Begin();
  Status SendPart();
  Status Collect(std::size_t most_in_flight);
  Result<PutOutcome> Complete();
  Status Conclude();
  void Abort();

  const std::shared_ptr<S3Client> client_;
  const std::string whole_;
  const std::size_t part_bytes_;
  const std::string mark_;
  std::string pending_;
  std::int64_t size_ = 0;
  std::string upload_id_;  // empty: not begun
  int parts_sent_ = 0;
  std::vector<std::future<Result<S3Part>>> in_flight_;  // in the order of their numbers
  std::vector<S3Part> parts_;
  bool closed_ = false;  // finished, or failed for good
  // Works on the members above while it is valid.
  std::future<Status> conclusion_;
};

}  // namespace weir::io
