#include "io/s3_store.h"

#include <algorithm>
#include <array>

#include <openssl/evp.h>

#include "base/bytes.h"
#include "base/random.h"
#include "http/date.h"
#include "http/url.h"
#include "io/object_key.h"
#include "io/s3_answers.h"
#include "io/s3_stream.h"

namespace weir::io {
namespace {

using http::Method;
using http::Repeatable;

constexpr std::int64_t kPieceBytes = std::int64_t{8} << 20;
constexpr std::int64_t kMostObjectBytes = std::int64_t{8} << 30;
constexpr std::size_t kDeletesPerCall = 1'000;
constexpr std::size_t kMostPages = 100'000;
constexpr int kPreconditionFailed = 412;
constexpr int kRangeNotThere = 416;
constexpr std::string_view kSize = "Content-Length";

// Required by a multi-delete. Empty where the system's cryptography knows no MD5.
std::string Md5Base64(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_md5(), nullptr) != 1) {
    return {};
  }
  return Base64Encode({reinterpret_cast<const char*>(digest.data()), size});
}

// Servers that keep the checksum of an object tell it; that of an upload in parts ends in "-N".
Status CheckBody(const http::Response& response, const std::string& what) {
  const std::string_view told = response.header("x-amz-checksum-sha256");
  if (response.status != 200 || told.empty() || told.find('-') != std::string_view::npos) {
    return Ok();
  }
  if (told == Base64Encode(*HexDecode(Sha256Hex(response.body)))) return Ok();
  return Unavailable(what + ": the bytes are not those of the checksum", ErrorCode::kStorageFailed);
}

}  // namespace

http::Headers IfAbsentHeaders(const std::string& mark) {
  return {{"If-None-Match", "*"},
          {"Content-Type", "application/octet-stream"},
          {std::string(kMarkHeader), mark}};
}

Result<PutOutcome> DecidePut(S3Client& client, const std::string& whole, const std::string& mark,
                             Result<S3Answer> answer) {
  const bool unknown = !answer && answer.error().kind == ErrorKind::kCommitUnknown;
  if (!answer && !unknown) return std::move(answer).error();
  if (answer && answer->response.ok()) return PutOutcome::kStored;
  const bool exists = answer && answer->response.status == kPreconditionFailed;
  // An upload that is gone was completed by an earlier try, or given up by somebody.
  const bool gone = answer && answer->response.status == 404;
  const std::string name = client.NameOf(whole);
  if (answer && !exists && !gone) return AnswerError(answer->response, name);
  const auto there = client.Send({.method = Method::kHead, .key = whole});
  if (there && there->response.ok()) {
    return there->response.header(kMarkHeader) == mark ? PutOutcome::kStored : PutOutcome::kExists;
  }
  if (exists && !answer->tried_before) return PutOutcome::kExists;  // and deleted since
  if (unknown) return std::move(answer).error();
  return CommitUnknown(
      name + ": the answer to an earlier try was lost, and the object is not there",
      ErrorCode::kStorageFailed);
}

Result<std::unique_ptr<Store>> OpenS3(std::string bucket, std::string prefix,
                                      const S3Options& options) {
  constexpr std::int64_t kLeastPart = std::int64_t{5} << 20;
  if (!options.endpoint.empty()) WEIR_TRY(http::ParseUrl(options.endpoint));
  if (options.part_bytes < kLeastPart) {
    return InvalidInput("a part of an upload to an object store has at least 5 MiB");
  }
  return std::make_unique<S3Store>(std::move(bucket), std::move(prefix), options);
}

S3Store::S3Store(std::string bucket, std::string prefix, const S3Options& options)
    : prefix_(prefix.empty() ? std::string() : std::move(prefix) + "/"),
      part_bytes_(options.part_bytes),
      client_(std::make_shared<S3Client>(std::move(bucket), options)) {}

std::string S3Store::Describe() const {
  std::string text = "s3://" + client_->bucket() + "/" + prefix_;
  text.pop_back();
  return text;
}

std::string S3Store::Whole(std::string_view key) const { return prefix_ + std::string(key); }

Result<PutOutcome> S3Store::PutIfAbsent(std::string_view key, std::string_view bytes) {
  WEIR_TRY(CheckKey(key));
  const std::string mark = NewUuid();
  const std::string whole = Whole(key);
  return DecidePut(
      *client_, whole, mark,
      client_->Send(
          {.method = Method::kPut, .key = whole, .headers = IfAbsentHeaders(mark), .body = bytes}));
}

Status S3Store::Put(std::string_view key, std::string_view bytes) {
  WEIR_TRY(CheckKey(key));
  const auto answer = client_->Send({.method = Method::kPut,
                                     .key = Whole(key),
                                     .headers = {{"Content-Type", "application/octet-stream"}},
                                     .body = bytes});
  if (!answer) return Repeatable(answer.error());
  if (answer->response.ok()) return Ok();
  return AnswerError(answer->response, client_->NameOf(Whole(key)));
}

Result<std::string> S3Store::Get(std::string_view key) {
  WEIR_TRY(CheckKey(key));
  const std::string whole = Whole(key);
  auto answer = client_->Send({.key = whole,
                               .headers = {{"x-amz-checksum-mode", "ENABLED"}},
                               .max_answer_bytes = kMostObjectBytes});
  // A long body over a bad line: piece by piece, of which only the lost one comes again.
  if (!answer && answer.error().kind == ErrorKind::kCommitUnknown) return GetInPieces(whole);
  if (!answer) return std::move(answer).error();
  const std::string name = client_->NameOf(whole);
  if (!answer->response.ok()) return AnswerError(answer->response, name);
  WEIR_TRY(CheckBody(answer->response, name));
  return std::move(answer->response.body);
}

Result<std::string> S3Store::GetInPieces(const std::string& whole) {
  const auto head = client_->Send({.method = Method::kHead, .key = whole});
  if (!head) return Repeatable(head.error());
  if (!head->response.ok()) return AnswerError(head->response, client_->NameOf(whole));
  const std::int64_t size = head->response.number(kSize).value_or(0);
  const std::string etag(head->response.header("ETag"));
  std::string bytes;
  while (static_cast<std::int64_t>(bytes.size()) < size) {
    const auto begin = static_cast<std::int64_t>(bytes.size());
    const std::int64_t end = std::min(size, begin + kPieceBytes) - 1;
    S3Call call{
        .key = whole,
        .headers = {{"Range", "bytes=" + std::to_string(begin) + "-" + std::to_string(end)}},
        .max_answer_bytes = kMostObjectBytes};
    if (!etag.empty()) call.headers.push_back({"If-Match", etag});
    const auto piece = client_->Send(call);
    if (!piece) return Repeatable(piece.error());
    if (piece->response.status != 206 ||
        static_cast<std::int64_t>(piece->response.body.size()) != end - begin + 1) {
      return Unavailable(
          client_->NameOf(whole) + ": a part of the object did not come as asked for",
          ErrorCode::kStorageFailed);
    }
    bytes += piece->response.body;
  }
  return bytes;
}

Result<std::string> S3Store::GetRange(std::string_view key, std::int64_t offset,
                                      std::int64_t length) {
  WEIR_TRY(CheckKey(key));
  if (length <= 0) return std::string();
  const std::string range =
      "bytes=" + std::to_string(offset) + "-" + std::to_string(offset + length - 1);
  auto answer = client_->Send(
      {.key = Whole(key), .headers = {{"Range", range}}, .max_answer_bytes = kMostObjectBytes});
  if (!answer) return Repeatable(std::move(answer).error());
  const http::Response& response = answer->response;
  if (response.status == kRangeNotThere) return std::string();
  if (!response.ok()) return AnswerError(response, client_->NameOf(Whole(key)));
  if (response.status == 206) return std::move(answer->response.body);
  // The whole object, from a server that knows no ranges.
  const auto begin = std::min(static_cast<std::size_t>(offset), response.body.size());
  return response.body.substr(begin, static_cast<std::size_t>(length));
}

Result<ObjectInfo> S3Store::Head(std::string_view key) {
  WEIR_TRY(CheckKey(key));
  const auto answer = client_->Send({.method = Method::kHead, .key = Whole(key)});
  if (!answer) return Repeatable(answer.error());
  const http::Response& response = answer->response;
  const std::string name = client_->NameOf(Whole(key));
  if (!response.ok()) return AnswerError(response, name);
  const auto size = response.number(kSize);
  const auto modified = http::ReadHttpDate(response.header("Last-Modified"));
  if (!size || !modified) return Corrupt(name + ": the object store told no size or time");
  return ObjectInfo{
      .key = std::string(key), .size = *size, .modified_ms = *modified / kMicrosPerMilli};
}

Result<std::vector<ObjectInfo>> S3Store::List(std::string_view prefix) {
  WEIR_TRY(CheckPrefix(prefix));
  std::vector<ObjectInfo> found;
  std::string next;
  for (std::size_t page = 0; page < kMostPages; ++page) {
    S3Call call{.query = {{"list-type", "2"}, {"prefix", Whole(prefix)}}};
    if (!next.empty()) call.query.emplace_back("continuation-token", next);
    const auto answer = client_->Send(call);
    if (!answer) return Repeatable(answer.error());
    if (!answer->response.ok()) return AnswerError(answer->response, Describe());
    WEIR_ASSIGN_OR_RETURN(S3ListPage listed, ReadListPage(answer->response.body));
    for (ObjectInfo& object : listed.objects) {
      // What is not ours to see: a folder that some tool marked with an object of its own.
      if (!object.key.starts_with(prefix_) || object.key.ends_with('/')) continue;
      object.key.erase(0, prefix_.size());
      if (CheckKey(object.key)) found.push_back(std::move(object));
    }
    if (listed.next.empty() || listed.next == next) break;
    next = std::move(listed.next);
  }
  std::ranges::sort(found, {}, &ObjectInfo::key);
  return found;
}

Status S3Store::Delete(std::string_view key) {
  WEIR_TRY(CheckKey(key));
  const auto answer = client_->Send({.method = Method::kDelete, .key = Whole(key)});
  if (!answer) return Repeatable(answer.error());
  if (answer->response.ok() || answer->response.status == 404) return Ok();
  return AnswerError(answer->response, client_->NameOf(Whole(key)));
}

Status S3Store::DeleteAll(std::span<const std::string> keys) {
  std::vector<std::string> wholes;
  for (const std::string& key : keys) {
    WEIR_TRY(CheckKey(key));
    wholes.push_back(Whole(key));
    if (wholes.size() < kDeletesPerCall) continue;
    WEIR_TRY(DeletePage(wholes));
    wholes.clear();
  }
  return DeletePage(wholes);
}

Status S3Store::DeletePage(const std::vector<std::string>& wholes) {
  if (wholes.empty()) return Ok();
  const std::string body = DeleteXml(wholes);
  const auto answer = client_->Send(
      {.method = Method::kPost,
       .query = {{"delete", ""}},
       .headers = {{"Content-Type", "application/xml"}, {"Content-MD5", Md5Base64(body)}},
       .body = body});
  if (!answer) return Repeatable(answer.error());
  if (!answer->response.ok()) return AnswerError(answer->response, Describe());
  WEIR_ASSIGN_OR_RETURN(const auto fault, FirstDeleteFault(answer->response.body));
  if (!fault) return Ok();
  const std::string message = Describe() + ": not deleted: " + fault->code + " " + fault->message;
  if (fault->code == "AccessDenied") return Refused(message, ErrorCode::kStorageDenied);
  return Unavailable(message, ErrorCode::kStorageFailed);
}

Status S3Store::Discard(std::string_view key) {
  WEIR_TRY(Delete(key));
  return AbortUploads(Whole(key));
}

// What a dead writer had uploaded of an object that it did not finish.
Status S3Store::AbortUploads(const std::string& whole) {
  const auto answer = client_->Send({.query = {{"uploads", ""}, {"prefix", whole}}});
  if (!answer) return Repeatable(answer.error());
  if (!answer->response.ok()) return AnswerError(answer->response, Describe());
  WEIR_ASSIGN_OR_RETURN(const auto uploads, ReadUploads(answer->response.body));
  for (const S3Upload& upload : uploads) {
    if (upload.key != whole) continue;
    const auto aborted = client_->Send(
        {.method = Method::kDelete, .key = whole, .query = {{"uploadId", upload.id}}});
    if (!aborted) return Repeatable(aborted.error());
  }
  return Ok();
}

Result<std::unique_ptr<OutputStream>> S3Store::Create(std::string_view key) {
  WEIR_TRY(CheckKey(key));
  return std::make_unique<S3Stream>(client_, Whole(key), part_bytes_);
}

}  // namespace weir::io
