#pragma once
// S3Client: signed requests to one bucket, tried again where that may help.
//
// It corrects a wrong clock and a wrong region by what the server says, fetches credentials anew
// when they have run out, waits with jitter between tries, and stops trying when most requests fail
// anyway (a budget that successes refill). Safe from several threads.
//
// Errors: kUnavailable WEIR0503 after the last try, if none of them can have been carried out;
// kCommitUnknown WEIR0503 if one can; kRefused WEIR0502 for what the server denies; kInvalidInput.

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "http/client.h"
#include "io/s3_options.h"

namespace weir::io {

struct S3Fault;

struct S3Call {
  http::Method method = http::Method::kGet;
  std::string key = {};  // whole, below the bucket; empty: the bucket itself
  std::vector<std::pair<std::string, std::string>> query = {};  // not encoded
  http::Headers headers = {};
  std::string_view body = {};  // lives until Send returns
  std::int64_t max_answer_bytes = std::int64_t{16} << 20;
};

struct S3Answer {
  http::Response response;
  /// Whether an earlier try of the same call may have been carried out.
  bool tried_before = false;
};

class S3Client {
 public:
  S3Client(std::string bucket, const S3Options& options);

  /// The first answer that no further try would change: a success, or a status of the 4xx (and 3xx)
  /// that speaks of this request, but for denials, which are errors.
  Result<S3Answer> Send(const S3Call& call);

  const std::string& bucket() const { return bucket_; }
  /// "s3://bucket/key" for people.
  std::string NameOf(std::string_view key) const;

 private:
  enum class Verdict { kFinal, kRetry, kRetryAtOnce };
  struct Attempt {
    int number = 1;
    int corrections = 0;      // of clock, region or credentials
    bool maybe_done = false;  // some try may have been carried out
    std::string trouble;      // of the last try, for the message
    Micros server_asks = 0;   // Retry-After
  };

  Result<http::Response> SendOnce(const S3Call& call);
  Result<http::Request> RequestOf(const S3Call& call) const;
  std::string UrlOf(const S3Call& call) const;
  Verdict Judge(const S3Call& call, const http::Response& response, const S3Fault& fault,
                Attempt& attempt);
  bool Correct(const http::Response& response, const S3Fault& fault);
  bool MayRetry(const Attempt& attempt);
  void Wait(const Attempt& attempt);
  Error GiveUp(const S3Call& call, const Attempt& attempt) const;
  std::string region() const;

  const std::string bucket_;
  const S3Options options_;
  std::shared_ptr<S3CredentialSource> credentials_;
  std::shared_ptr<http::Transport> transport_;
  std::atomic<Micros> clock_offset_{0};  // what the server's clock shows more than ours
  std::atomic<int> budget_;
  mutable std::mutex mutex_;
  std::string region_;  // guarded by mutex_
  Random jitter_;       // guarded by mutex_
};

/// What a final answer that is no success means for the caller: kNotFound for a missing key,
/// kUnavailable WEIR0501 where the storage is full, kUnavailable WEIR0503 for the rest.
Error AnswerError(const http::Response& response, const std::string& what);

}  // namespace weir::io
