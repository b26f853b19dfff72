#include "io/s3_stream.h"

#include <system_error>

#include "base/log.h"
#include "base/random.h"
#include "io/s3_store.h"

namespace weir::io {
namespace {

using http::Method;
using http::Repeatable;

constexpr std::size_t kMostInFlight = 2;
constexpr int kCompletions = 3;
constexpr int kMostParts = 10'000;

// On a thread of its own; where there is none to be had, when it is waited for.
template <typename Work>
auto StartBeside(Work work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, work);
  }
}

// Repeatable, since the object is not there whatever became of a part.
Result<S3Part> UploadPart(S3Client& client, const std::string& whole, const std::string& upload_id,
                          int number, const std::string& bytes) {
  const auto answer =
      client.Send({.method = Method::kPut,
                   .key = whole,
                   .query = {{"partNumber", std::to_string(number)}, {"uploadId", upload_id}},
                   .body = bytes});
  if (!answer) return Repeatable(answer.error());
  if (!answer->response.ok()) {
    Error error = AnswerError(answer->response, client.NameOf(whole));
    if (error.kind == ErrorKind::kNotFound) error.kind = ErrorKind::kUnavailable;
    return error;
  }
  S3Part part{.number = number,
              .etag = std::string(answer->response.header("ETag")),
              .sha256 = std::string(answer->response.header("x-amz-checksum-sha256"))};
  if (part.etag.empty()) {
    return Unavailable(client.NameOf(whole) + ": the object store gave a part no tag",
                       ErrorCode::kStorageFailed);
  }
  return part;
}

}  // namespace

S3Stream::S3Stream(std::shared_ptr<S3Client> client, std::string whole, std::int64_t part_bytes)
    : client_(std::move(client)),
      whole_(std::move(whole)),
      part_bytes_(static_cast<std::size_t>(part_bytes)),
      mark_(NewUuid()) {}

S3Stream::~S3Stream() { Abort(); }

Status S3Stream::Append(std::string_view bytes) {
  if (closed_) {
    return Unavailable(client_->NameOf(whole_) + ": an earlier write failed",
                       ErrorCode::kStorageFailed);
  }
  size_ += static_cast<std::int64_t>(bytes.size());
  while (!bytes.empty()) {
    const std::size_t taken = std::min(bytes.size(), part_bytes_ - pending_.size());
    pending_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    if (pending_.size() < part_bytes_ || bytes.empty()) continue;
    Status sent = SendPart();
    if (sent.ok()) continue;
    closed_ = true;
    return sent;
  }
  return Ok();
}

Status S3Stream::Begin() {
  const auto answer = client_->Send({.method = Method::kPost,
                                     .key = whole_,
                                     .query = {{"uploads", ""}},
                                     .headers = {{"Content-Type", "application/octet-stream"},
                                                 {"x-amz-checksum-algorithm", "SHA256"},
                                                 {std::string(kMarkHeader), mark_}}});
  if (!answer) return Repeatable(answer.error());
  if (!answer->response.ok()) return AnswerError(answer->response, client_->NameOf(whole_));
  WEIR_ASSIGN_OR_RETURN(upload_id_, ReadUploadId(answer->response.body));
  return Ok();
}

Status S3Stream::SendPart() {
  if (upload_id_.empty()) WEIR_TRY(Begin());
  if (parts_sent_ == kMostParts) {
    return InvalidInput(client_->NameOf(whole_) + ": more than 10000 parts of an upload");
  }
  WEIR_TRY(Collect(kMostInFlight - 1));
  const auto upload = [client = client_, whole = whole_, id = upload_id_, number = ++parts_sent_,
                       bytes = std::make_shared<const std::string>(std::move(pending_))] {
    return UploadPart(*client, whole, id, number, *bytes);
  };
  pending_ = {};
  in_flight_.push_back(StartBeside(upload));
  return Ok();
}

// Waits until so many are left.
Status S3Stream::Collect(std::size_t most_in_flight) {
  while (in_flight_.size() > most_in_flight) {
    auto part = in_flight_.front().get();
    in_flight_.erase(in_flight_.begin());
    if (!part) return std::move(part).error();
    parts_.push_back(*std::move(part));
  }
  return Ok();
}

void S3Stream::BeginFinish() {
  if (closed_) return;
  closed_ = true;
  conclusion_ = StartBeside([this] { return Conclude(); });
}

Status S3Stream::Finish() {
  BeginFinish();
  if (conclusion_.valid()) return conclusion_.get();
  return Unavailable(client_->NameOf(whole_) + ": an earlier write failed",
                     ErrorCode::kStorageFailed);
}

Status S3Stream::Conclude() {
  Result<PutOutcome> outcome = PutOutcome::kStored;
  if (upload_id_.empty()) {
    outcome = DecidePut(*client_, whole_, mark_,
                        client_->Send({.method = Method::kPut,
                                       .key = whole_,
                                       .headers = IfAbsentHeaders(mark_),
                                       .body = pending_}));
  } else {
    if (!pending_.empty()) WEIR_TRY(SendPart());
    WEIR_TRY(Collect(0));
    outcome = Complete();
    // Settled, or unknown: either way there is nothing to abort.
    const bool over = outcome ? *outcome == PutOutcome::kStored
                              : outcome.error().kind == ErrorKind::kCommitUnknown;
    if (over) upload_id_.clear();
  }
  WEIR_TRY(outcome);
  if (*outcome == PutOutcome::kStored) return Ok();
  return Conflict(client_->NameOf(whole_) + ": somebody else made this object");
}

Result<PutOutcome> S3Stream::Complete() {
  const std::string body = CompleteUploadXml(parts_);
  Result<S3Answer> answer = Internal("not asked");
  for (int attempt = 1; attempt <= kCompletions; ++attempt) {
    answer =
        client_->Send({.method = Method::kPost,
                       .key = whole_,
                       .query = {{"uploadId", upload_id_}},
                       .headers = {{"If-None-Match", "*"}, {"Content-Type", "application/xml"}},
                       .body = body});
    if (answer && attempt > 1) answer->tried_before = true;
    if (!answer || !answer->response.ok()) break;
    // "200" is said long before it is known how it ends; the body tells.
    const auto fault = FaultInside(answer->response.body);
    if (!fault) break;
    answer = CommitUnknown(client_->NameOf(whole_) + ": " + fault->code + " " + fault->message,
                           ErrorCode::kStorageFailed);
  }
  return DecidePut(*client_, whole_, mark_, std::move(answer));
}

void S3Stream::Abort() {
  if (conclusion_.valid()) conclusion_.wait();
  for (auto& part : in_flight_) part.wait();
  in_flight_.clear();
  if (upload_id_.empty()) return;
  const auto answer = client_->Send(
      {.method = Method::kDelete, .key = whole_, .query = {{"uploadId", upload_id_}}});
  if (!answer) {
    log::Warn("the parts of an upload that was given up stay in the object store",
              {{"object", client_->NameOf(whole_)}, {"because", answer.error().message}});
  }
}

}  // namespace weir::io
