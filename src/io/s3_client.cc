#include "io/s3_client.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/bytes.h"
#include "http/aws_signature.h"
#include "http/date.h"
#include "http/url.h"
#include "io/s3_answers.h"
#include "io/s3_credentials.h"

namespace weir::io {
namespace {

constexpr int kFullBudget = 1'000;
constexpr int kRetryCost = 10;
constexpr int kSuccessRefill = 2;
constexpr int kMaxCorrections = 2;
constexpr std::string_view kNothingSha256 =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

constexpr std::array<std::string_view, 5> kBusyCodes = {
    "RequestTimeout", "ConditionalRequestConflict", "OperationAborted", "SlowDown", "Throttling"};
constexpr std::array<std::string_view, 5> kOldTokenCodes = {"ExpiredToken", "ExpiredTokenException",
                                                            "InvalidToken", "TokenRefreshRequired",
                                                            "RequestExpired"};
constexpr std::array<std::string_view, 3> kFullCodes = {"QuotaExceeded", "XMinioStorageFull",
                                                        "InsufficientCapacity"};

bool IsOneOf(const auto& codes, std::string_view code) {
  return std::ranges::find(codes, code) != codes.end();
}

Micros RetryAfter(const http::Response& response) {
  constexpr std::int64_t kDay = 86'400;
  return std::min(response.number("Retry-After").value_or(0), kDay) * kMicrosPerSecond;
}

std::string Said(const http::Response& response, const S3Fault& fault) {
  std::string said = "the object store answered " + std::to_string(response.status);
  if (!fault.code.empty()) said += " " + fault.code;
  if (!fault.message.empty()) said += " (" + fault.message + ")";
  return said;
}

Error Denied(const std::string& what, const http::Response& response, const S3Fault& fault) {
  Error error = Refused(what + ": " + Said(response, fault), ErrorCode::kStorageDenied);
  if (fault.code == "NoSuchBucket") {
    return WithRemedy(std::move(error), "create the bucket, or mend its name");
  }
  if (!fault.region.empty()) {
    return WithRemedy(std::move(error), "set `s3.region` to " + fault.region);
  }
  return WithRemedy(std::move(error), "check the credentials, the region and what they may do");
}

bool IsDenial(const http::Response& response, const S3Fault& fault) {
  return response.status == 401 || response.status == 403 || response.status / 100 == 3 ||
         fault.code == "NoSuchBucket" || fault.code == "AuthorizationHeaderMalformed" ||
         fault.code == "InvalidBucketName";
}

}  // namespace

Error AnswerError(const http::Response& response, const std::string& what) {
  const S3Fault fault = ReadFault(response.body);
  const std::string message = what + ": " + Said(response, fault);
  if (response.status == 404) return NotFound(message);
  if (response.status == 507 || IsOneOf(kFullCodes, fault.code)) {
    return Unavailable(message, ErrorCode::kStorageFull);
  }
  return Unavailable(message, ErrorCode::kStorageFailed);
}

S3Client::S3Client(std::string bucket, const S3Options& options)
    : bucket_(std::move(bucket)),
      options_(options),
      credentials_(options.credentials),
      transport_(options.transport),
      budget_(kFullBudget),
      region_(options.region.empty() ? DefaultRegion() : options.region),
      jitter_(EntropyU64()) {
  if (transport_ == nullptr) transport_ = NewS3Transport(options);
  if (credentials_ == nullptr) credentials_ = DefaultCredentials(region_, *options_.clock);
}

std::string S3Client::region() const {
  const std::lock_guard lock(mutex_);
  return region_;
}

std::string S3Client::NameOf(std::string_view key) const {
  return "s3://" + bucket_ + (key.empty() ? "" : "/" + Printable(key));
}

std::string S3Client::UrlOf(const S3Call& call) const {
  std::string origin = options_.endpoint;
  if (origin.empty()) origin = "https://s3." + region() + ".amazonaws.com";
  while (origin.ends_with('/')) origin.pop_back();
  // A dot in the bucket's name fits no certificate.
  const bool in_path = options_.path_style ||
                       (bucket_.find('.') != std::string::npos && origin.starts_with("https"));
  std::string url = origin;
  if (in_path) {
    url += "/" + bucket_;
  } else {
    url.insert(url.find("://") + 3, bucket_ + ".");
  }
  url += "/" + http::PercentEncode(call.key, http::Slash::kKeep);
  char separator = '?';
  for (const auto& [name, value] : call.query) {
    url += separator + http::PercentEncode(name) + "=" + http::PercentEncode(value);
    separator = '&';
  }
  return url;
}

Result<http::Request> S3Client::RequestOf(const S3Call& call) const {
  WEIR_ASSIGN_OR_RETURN(const S3Credentials credentials, credentials_->Get());
  http::Request request{.method = call.method,
                        .url = UrlOf(call),
                        .headers = call.headers,
                        .body = call.body,
                        .max_answer_bytes = call.max_answer_bytes};
  const std::string digest = call.body.empty() ? std::string(kNothingSha256) : Sha256Hex(call.body);
  // Of a POST it would be the checksum of something else: of the object that is completed.
  if (call.method == http::Method::kPut && !call.body.empty()) {
    request.headers.push_back({"x-amz-checksum-sha256", Base64Encode(*HexDecode(digest))});
  }
  WEIR_TRY(http::SignForAws(request,
                            {.access_key = credentials.access_key,
                             .secret_key = credentials.secret_key,
                             .session_token = credentials.session_token},
                            {.region = region(), .service = "s3"}, digest,
                            options_.clock->Now() + clock_offset_.load()));
  return request;
}

Result<http::Response> S3Client::SendOnce(const S3Call& call) {
  WEIR_ASSIGN_OR_RETURN(const http::Request request, RequestOf(call));
  return transport_->Send(request);
}

Result<S3Answer> S3Client::Send(const S3Call& call) {
  Attempt attempt;
  while (true) {
    auto response = SendOnce(call);
    if (!response) {
      const ErrorKind kind = response.error().kind;
      const bool passing = kind == ErrorKind::kUnavailable || kind == ErrorKind::kCommitUnknown;
      if (!passing) return std::move(response).error();
      attempt.maybe_done |= kind == ErrorKind::kCommitUnknown;
      attempt.trouble = response.error().message;
    } else {
      const bool before = attempt.maybe_done;
      const S3Fault fault = response->ok() ? S3Fault{} : ReadFault(response->body);
      const Verdict verdict = Judge(call, *response, fault, attempt);
      if (verdict == Verdict::kRetryAtOnce) continue;
      if (verdict == Verdict::kFinal) {
        if (!response->ok() && IsDenial(*response, fault)) {
          return Denied(NameOf(call.key), *response, fault);
        }
        const int budget = budget_.load();
        if (budget < kFullBudget) budget_.fetch_add(kSuccessRefill);
        return S3Answer{.response = *std::move(response), .tried_before = before};
      }
    }
    if (!MayRetry(attempt)) return GiveUp(call, attempt);
    Wait(attempt);
    ++attempt.number;
  }
}

S3Client::Verdict S3Client::Judge(const S3Call& call, const http::Response& response,
                                  const S3Fault& fault, Attempt& attempt) {
  if (response.ok()) return Verdict::kFinal;
  attempt.trouble = NameOf(call.key) + ": " + Said(response, fault);
  attempt.server_asks = RetryAfter(response);
  if (attempt.corrections < kMaxCorrections && Correct(response, fault)) {
    ++attempt.corrections;
    return Verdict::kRetryAtOnce;
  }
  const int status = response.status;
  if (IsOneOf(kBusyCodes, fault.code) || status == 429 || status == 503 || status == 408) {
    return Verdict::kRetry;  // said to be not done
  }
  // A conditional put that meets another one in flight. HEAD and some proxies send no body.
  if (status == 409 && fault.code.empty()) return Verdict::kRetry;
  if (status == 500 || status == 502 || status == 504) {
    attempt.maybe_done = true;
    return Verdict::kRetry;
  }
  return Verdict::kFinal;
}

// Whether what was wrong with the request is mended now.
bool S3Client::Correct(const http::Response& response, const S3Fault& fault) {
  const std::string& code = fault.code;
  const bool no_body = code.empty();  // the answer to a HEAD
  if (IsOneOf(kOldTokenCodes, code) || (no_body && response.status == 400)) {
    credentials_->Discard();
    return true;
  }
  if (code == "RequestTimeTooSkewed" || (no_body && response.status == 403)) {
    const auto there = http::ReadHttpDate(response.header("Date"));
    if (!there) return false;
    const Micros offset = *there - options_.clock->Now();
    if (std::abs(offset - clock_offset_.load()) < 60 * kMicrosPerSecond) return false;
    clock_offset_.store(offset);
    return true;
  }
  std::string region(response.header("x-amz-bucket-region"));
  if (region.empty() && code == "AuthorizationHeaderMalformed") region = fault.region;
  const int status = response.status;
  const bool elsewhere = status == 301 || status == 307 || status == 400 || status == 403;
  const std::lock_guard lock(mutex_);
  if (!elsewhere || region.empty() || region == region_) return false;
  region_ = region;
  return true;
}

bool S3Client::MayRetry(const Attempt& attempt) {
  if (attempt.number >= options_.attempts) return false;
  if (budget_.fetch_sub(kRetryCost) >= kRetryCost) return true;
  budget_.fetch_add(kRetryCost);
  return false;
}

void S3Client::Wait(const Attempt& attempt) {
  Micros wait = options_.first_wait << std::min(attempt.number - 1, 20);
  wait = std::min(std::max(wait, attempt.server_asks), options_.longest_wait);
  {
    const std::lock_guard lock(mutex_);
    wait = wait / 2 + static_cast<Micros>(jitter_.Below(static_cast<std::uint64_t>(wait / 2 + 1)));
  }
  options_.clock->Sleep(wait);
}

Error S3Client::GiveUp(const S3Call& call, const Attempt& attempt) const {
  const std::string tries =
      attempt.number == 1 ? "" : " (" + std::to_string(attempt.number) + " tries)";
  const std::string named = attempt.trouble.starts_with("s3://") ? "" : NameOf(call.key) + ": ";
  const std::string message = named + attempt.trouble + tries;
  return attempt.maybe_done ? CommitUnknown(message, ErrorCode::kStorageFailed)
                            : Unavailable(message, ErrorCode::kStorageFailed);
}

}  // namespace weir::io
