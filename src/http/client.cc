#include "http/client.h"

#include <charconv>
#include <mutex>
#include <utility>
#include <vector>

#include <curl/curl.h>

namespace weir::http {
namespace {

constexpr std::size_t kMaxHeaderBytes = 64 << 10;
constexpr std::size_t kMaxIdleHandles = 32;

struct HandleCloser {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct ListCloser {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Handle = std::unique_ptr<CURL, HandleCloser>;
using HeaderList = std::unique_ptr<curl_slist, ListCloser>;

// What the callbacks fill while an answer comes.
struct Incoming {
  Response response;
  std::int64_t max_bytes = 0;
  std::size_t header_bytes = 0;
  bool too_long = false;
};

std::size_t TakeBody(char* bytes, std::size_t, std::size_t size, void* user) {
  auto& incoming = *static_cast<Incoming*>(user);
  if (static_cast<std::int64_t>(incoming.response.body.size() + size) > incoming.max_bytes) {
    incoming.too_long = true;
    return 0;
  }
  incoming.response.body.append(bytes, size);
  return size;
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::size_t TakeHeader(char* bytes, std::size_t, std::size_t size, void* user) {
  auto& incoming = *static_cast<Incoming*>(user);
  incoming.header_bytes += size;
  if (incoming.header_bytes > kMaxHeaderBytes) {
    incoming.too_long = true;
    return 0;
  }
  const std::string_view line(bytes, size);
  if (line.starts_with("HTTP/")) {  // an interim answer came before this one
    incoming.response.headers.clear();
    return size;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return size;
  incoming.response.headers.push_back({.name = std::string(Trimmed(line.substr(0, colon))),
                                       .value = std::string(Trimmed(line.substr(colon + 1)))});
  return size;
}

bool HasLineBreak(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

Status AddHeader(HeaderList& list, const std::string& line) {
  if (HasLineBreak(line)) return InvalidInput("a line break in an HTTP header");
  curl_slist* longer = curl_slist_append(list.get(), line.c_str());
  if (longer == nullptr) return Unavailable("out of memory");
  static_cast<void>(list.release());
  list.reset(longer);
  return Ok();
}

Result<HeaderList> HeadersOf(const Request& request) {
  HeaderList list;
  for (const auto& [name, value] : request.headers) {
    // libcurl's spelling of a header with nothing in it is a semicolon.
    WEIR_TRY(AddHeader(list, value.empty() ? name + ";" : name + ": " + value));
  }
  // What libcurl would add of its own.
  WEIR_TRY(AddHeader(list, "Expect:"));
  if (FindHeader(request.headers, "Content-Type") == nullptr) {
    WEIR_TRY(AddHeader(list, "Content-Type:"));
  }
  return list;
}

// The place without the query, which may hold a signature.
std::string PlaceOf(const Request& request) {
  return std::string(ToString(request.method)) + " " + request.url.substr(0, request.url.find('?'));
}

bool IsCertificateProblem(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_SSL_ISSUER_ERROR;
}

Error SendError(CURL* handle, CURLcode code, const Request& request, const Incoming& incoming,
                const char* detail) {
  const std::string what =
      PlaceOf(request) + ": " + (*detail != '\0' ? detail : curl_easy_strerror(code));
  if (incoming.too_long) return Corrupt(PlaceOf(request) + ": the answer is longer than allowed");
  if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL) return InvalidInput(what);
  if (IsCertificateProblem(code)) return Refused(what, ErrorCode::kNotTrusted);
  if (code == CURLE_WEIRD_SERVER_REPLY) return Corrupt(what);
  long sent = 0;
  curl_easy_getinfo(handle, CURLINFO_REQUEST_SIZE, &sent);
  return sent == 0 ? Unavailable(what) : CommitUnknown(what);
}

class CurlClient final : public Transport {
 public:
  explicit CurlClient(ClientOptions options) : options_(std::move(options)) {}

  Result<Response> Send(const Request& request) override {
    WEIR_ASSIGN_OR_RETURN(Handle handle, Take());
    auto response = SendOn(handle.get(), request);
    GiveBack(std::move(handle));
    return response;
  }

 private:
  Result<Handle> Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        Handle handle = std::move(idle_.back());  // the one whose connection is the warmest
        idle_.pop_back();
        return handle;
      }
    }
    Handle handle(curl_easy_init());
    if (handle == nullptr) return Unavailable("libcurl has no memory");
    return handle;
  }

  void GiveBack(Handle handle) {
    curl_easy_reset(handle.get());  // keeps its connections
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMaxIdleHandles) idle_.push_back(std::move(handle));
  }

  void Configure(CURL* handle, const Request& request) const {
    const Micros total = request.timeout > 0 ? request.timeout : options_.total_timeout;
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);  // "a/../b" is the caller's, signed so
    curl_easy_setopt(handle, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(handle, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS,
                     static_cast<long>(options_.connect_timeout / kMicrosPerMilli));
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(total / kMicrosPerMilli));
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT,
                     static_cast<long>(options_.least_bytes_per_second));
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME,
                     static_cast<long>(options_.slow_timeout / kMicrosPerSecond));
    curl_easy_setopt(handle, CURLOPT_USERAGENT, options_.user_agent.c_str());
    if (!options_.ca_file.empty()) {
      curl_easy_setopt(handle, CURLOPT_CAINFO, options_.ca_file.c_str());
    }
    if (!options_.use_proxy) curl_easy_setopt(handle, CURLOPT_PROXY, "");
  }

  // Sent from the caller's memory, so that libcurl can send it once more on a fresh connection.
  static void SetBody(CURL* handle, const Request& request) {
    switch (request.method) {
      case Method::kGet:
        curl_easy_setopt(handle, CURLOPT_HTTPGET, 1L);
        break;
      case Method::kHead:
        curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
        break;
      case Method::kPut:
      case Method::kPost:
      case Method::kDelete:
        if (request.method != Method::kDelete || !request.body.empty()) {
          curl_easy_setopt(handle, CURLOPT_POSTFIELDS,
                           request.body.empty() ? "" : request.body.data());
          curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                           static_cast<curl_off_t>(request.body.size()));
        }
        curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST,
                         std::string(ToString(request.method)).c_str());
        break;
    }
  }

  Result<Response> SendOn(CURL* handle, const Request& request) const {
    if (HasLineBreak(request.url)) return InvalidInput("a line break in a URL");
    WEIR_ASSIGN_OR_RETURN(const HeaderList headers, HeadersOf(request));
    Incoming incoming;
    incoming.max_bytes = request.max_answer_bytes;
    char detail[CURL_ERROR_SIZE] = "";
    Configure(handle, request);
    SetBody(handle, request);
    curl_easy_setopt(handle, CURLOPT_URL, request.url.c_str());
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, TakeBody);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &incoming);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, TakeHeader);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, &incoming);
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, detail);
    const CURLcode code = curl_easy_perform(handle);
    if (code != CURLE_OK) return SendError(handle, code, request, incoming, detail);
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    incoming.response.status = static_cast<int>(status);
    return std::move(incoming.response);
  }

  const ClientOptions options_;
  std::mutex mutex_;
  std::vector<Handle> idle_;  // guarded by mutex_
};

}  // namespace

Error Repeatable(Error error) {
  if (error.kind == ErrorKind::kCommitUnknown) error.kind = ErrorKind::kUnavailable;
  return error;
}

std::unique_ptr<Transport> NewClient(const ClientOptions& options) {
  static const CURLcode kInitialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(kInitialised);
  return std::make_unique<CurlClient>(options);
}

}  // namespace weir::http
