#pragma once
// S3Store: objects of a bucket below a prefix.
//
// Races are decided by the server: put-if-absent is a PUT with "If-None-Match: *", and so is what
// ends a stream. Each such put carries a mark of its own in the object's metadata. When an answer
// was lost, or says that something is there already, the mark of what is there tells whether it is
// ours: so a put whose reply was lost is known to be ours, and never taken for somebody else's.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/s3_client.h"
#include "io/store.h"

namespace weir::io {

/// The header that carries the mark of a put.
inline constexpr std::string_view kMarkHeader = "x-amz-meta-weir-put";

class S3Store final : public Store {
 public:
  S3Store(std::string bucket, std::string prefix, const S3Options& options);

  Result<PutOutcome> PutIfAbsent(std::string_view key, std::string_view bytes) override;
  Status Put(std::string_view key, std::string_view bytes) override;
  Result<std::string> Get(std::string_view key) override;
  Result<std::string> GetRange(std::string_view key, std::int64_t offset,
                               std::int64_t length) override;
  Result<ObjectInfo> Head(std::string_view key) override;
  Result<std::vector<ObjectInfo>> List(std::string_view prefix) override;
  Status Delete(std::string_view key) override;
  Status DeleteAll(std::span<const std::string> keys) override;
  Status Discard(std::string_view key) override;
  Result<std::unique_ptr<OutputStream>> Create(std::string_view key) override;
  bool remote() const override { return true; }
  std::string Describe() const override;

 private:
  std::string Whole(std::string_view key) const;
  Result<std::string> GetInPieces(const std::string& whole);
  Status DeletePage(const std::vector<std::string>& wholes);
  Status AbortUploads(const std::string& whole);

  const std::string prefix_;  // empty, or with a slash at its end
  const std::int64_t part_bytes_;
  const std::shared_ptr<S3Client> client_;  // shared with the streams
};

/// A put that must not replace anything: what became of it. `answer`: of the call that would have
/// made the object `whole` with the mark `mark`. For the streams too.
Result<PutOutcome> DecidePut(S3Client& client, const std::string& whole, const std::string& mark,
                             Result<S3Answer> answer);

/// The headers of such a put.
http::Headers IfAbsentHeaders(const std::string& mark);

}  // namespace weir::io
