#include "iceberg/rest_pointers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "http/url.h"
#include "iceberg/metadata_changes.h"

namespace weir::iceberg {
namespace {

constexpr std::size_t kMostNames = 100'000;
constexpr std::size_t kDeepestNamespace = 16;

Json Levels(const std::vector<std::string>& levels) {
  Json json = Json::array();
  for (const std::string& level : levels) json.push_back(level);
  return json;
}

Json Identifier(const connect::TableName& name) {
  return {{"namespace", Levels(name.levels)}, {"name", name.name}};
}

std::optional<std::vector<std::string>> LevelsOf(const Json* json) {
  if (json == nullptr || !json->is_array() || json->empty()) return std::nullopt;
  std::vector<std::string> levels;
  for (const Json& level : *json) {
    if (!level.is_string()) return std::nullopt;
    levels.push_back(level.get<std::string>());
  }
  return levels;
}

}  // namespace

// For calls that change nothing, or for which a second one does no harm.
Result<http::Response> RestPointers::Ask(const RestClient::Call& call) {
  auto response = client_->Send(call);
  if (response) return response;
  Error error = http::Repeatable(std::move(response).error());
  if (error.kind == ErrorKind::kCorrupt) error.kind = ErrorKind::kUnavailable;
  if (error.code == ErrorCode::kNone) error.code = ErrorCode::kCatalogUnavailable;
  return error;
}

Result<CurrentMetadata> RestPointers::ReadTable(Json body, const std::string& what) {
  CurrentMetadata current;
  current.location = FindText(body, "metadata-location").value_or("");
  if (current.location.empty()) {
    return Corrupt(what + ": the catalog names no metadata file", ErrorCode::kMetadataCorrupt);
  }
  const auto metadata = body.find("metadata");
  if (metadata == body.end() || !metadata->is_object()) {
    return Corrupt(what + ": no metadata came", ErrorCode::kMetadataCorrupt);
  }
  WEIR_ASSIGN_OR_RETURN(current.metadata,
                        MetadataFromDocument(std::move(*metadata), current.location, 0));
  return current;
}

Result<CurrentMetadata> RestPointers::Current(const connect::TableName& name) {
  WEIR_TRY(client_->Configure());
  RestClient::Call call{.path = client_->TablePath(name), .query = "snapshots=all"};
  {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(name);
    if (known != known_.end()) call.headers.push_back({"If-None-Match", known->second.etag});
  }
  if (vended_ != nullptr) call.headers.push_back(VendedCredentials::Wish());
  WEIR_ASSIGN_OR_RETURN(const http::Response response, Ask(call));
  const std::lock_guard lock(mutex_);
  if (const auto known = known_.find(name); response.status == 304 && known != known_.end()) {
    return known->second.current;
  }
  known_.erase(name);
  if (response.status == 404) {
    return NotFound(fmt::format("table {} is not in the catalog {}", ToString(name), uri()),
                    ErrorCode::kTableMissing);
  }
  if (!response.ok()) return RestError(response, "reading it from " + uri());
  WEIR_ASSIGN_OR_RETURN(Json body, ParseJson(response.body));
  WEIR_ASSIGN_OR_RETURN(CurrentMetadata current, ReadTable(body, uri()));
  if (vended_ != nullptr) vended_->Take(name, body, *current.metadata);
  if (const std::string_view tag = response.header("ETag"); !tag.empty()) {
    known_[name] = {std::string(tag), current};
  }
  return current;
}

// Never written: the server has names of its own. It only has to be one that nobody reads.
std::string RestPointers::NextLocation(std::string_view folder, const Attempt& attempt) const {
  return fmt::format("{}/{}", folder, MetadataName(attempt));
}

bool RestPointers::joint_swaps() const {
  if (joint_refused_) return false;
  const auto offered = client_->Offers(RestClient::kJointCommit);
  return offered && *offered;
}

Result<SwapOutcome> RestPointers::OutcomeOf(const Result<http::Response>& response,
                                            const std::string& what) {
  if (!response) {
    const ErrorKind kind = response.error().kind;
    if (kind == ErrorKind::kCommitUnknown || kind == ErrorKind::kCorrupt) {
      return connect::CommitOutcome::kUnknown;
    }
    Error error = response.error();
    if (error.code == ErrorCode::kNone) error.code = ErrorCode::kCatalogUnavailable;
    return error;
  }
  if (response->ok()) return connect::CommitOutcome::kCommitted;
  if (response->status == 409) return connect::CommitOutcome::kConflict;
  if (response->status >= 500 || response->status == 408) return connect::CommitOutcome::kUnknown;
  return RestError(*response, what);
}

Result<SwapOutcome> RestPointers::Swap(std::span<const PointerSwap> swaps) {
  WEIR_TRY(client_->Configure());
  Json changes = Json::array();
  for (const PointerSwap& swap : swaps) {
    WEIR_ASSIGN_OR_RETURN(const Json change, ChangesBetween(*swap.from, *swap.to));
    Json request{{"identifier", Identifier(swap.name)}};
    request.update(change);
    changes.push_back(std::move(request));
  }
  const std::string what = "commit to " + uri();
  if (swaps.size() > 1) {
    const Json request{{"table-changes", std::move(changes)}};
    const auto response = client_->Send({.method = http::Method::kPost,
                                         .path = "/transactions/commit",
                                         .query = {},
                                         .body = &request});
    // The table may be gone, or the step unknown after all: a look at each tells.
    const int status = response ? response->status : 0;
    if (status == 404 || status == 405 || status == 406 || status == 501) {
      joint_refused_ = true;
      return connect::CommitOutcome::kConflict;
    }
    return OutcomeOf(response, what);
  }
  const auto response = client_->Send({.method = http::Method::kPost,
                                       .path = client_->TablePath(swaps.front().name),
                                       .query = {},
                                       .body = &changes.front()});
  WEIR_ASSIGN_OR_RETURN(SwapOutcome outcome, OutcomeOf(response, what));
  if (outcome.outcome != connect::CommitOutcome::kCommitted) return outcome;
  // An answer that makes no sense does not undo the commit: the next look at the table tells.
  if (auto body = ParseJson(response->body)) {
    if (auto made = ReadTable(*std::move(body), what)) outcome.metadata = std::move(made->metadata);
  }
  return outcome;
}

// From the outside in. Those that are there already answer with a conflict; those that we may not
// make are found missing, or not, by what follows.
Status RestPointers::MakeNamespaces(const std::vector<std::string>& levels) {
  for (std::size_t depth = 1; depth <= levels.size(); ++depth) {
    const std::vector<std::string> part(levels.begin(),
                                        levels.begin() + static_cast<std::ptrdiff_t>(depth));
    const Json request{{"namespace", Levels(part)}, {"properties", Json::object()}};
    WEIR_ASSIGN_OR_RETURN(
        const http::Response response,
        Ask({.method = http::Method::kPost, .path = "/namespaces", .query = {}, .body = &request}));
    if (response.status >= 500) return RestError(response, "making a namespace in " + uri());
  }
  return Ok();
}

Result<http::Response> RestPointers::MakeTable(const connect::TableName& name,
                                               const Json& request) {
  auto response = client_->Send({.method = http::Method::kPost,
                                 .path = client_->NamespacePath(name.levels) + "/tables",
                                 .query = {},
                                 .body = &request});
  if (response && response->status >= 500) {
    return CommitUnknown(RestError(*response, "making it in " + uri()).message,
                         ErrorCode::kCatalogUnavailable);
  }
  return response;
}

Status RestPointers::Insert(const connect::TableName& name, const std::string& /*location*/,
                            std::string_view text) {
  WEIR_ASSIGN_OR_RETURN(const MetadataPtr first, ParseMetadata(text, "of a new table"));
  WEIR_ASSIGN_OR_RETURN(const Json request, CreationOf(*first, name.name));
  WEIR_TRY(client_->Configure());
  WEIR_ASSIGN_OR_RETURN(http::Response response, MakeTable(name, request));
  if (response.status == 404) {
    WEIR_TRY(MakeNamespaces(name.levels));
    WEIR_ASSIGN_OR_RETURN(response, MakeTable(name, request));
  }
  if (response.ok()) return Ok();
  if (response.status == 409) return Conflict("it exists already");
  return RestError(response, "making it in " + uri());
}

// One step for each table: the specification has no more.
Status RestPointers::Rename(const std::vector<connect::TableRename>& renames) {
  if (renames.size() > 1) {
    return WithRemedy(Unsupported(Describe() + " cannot rename several tables in one step",
                                  ErrorCode::kTableUnsupported),
                      "use a SQL catalog (`lake.catalog.sql`)");
  }
  for (const connect::TableRename& rename : renames) {
    const Json request{{"source", Identifier(rename.from)}, {"destination", Identifier(rename.to)}};
    auto response = client_->Send(
        {.method = http::Method::kPost, .path = "/tables/rename", .query = {}, .body = &request});
    if (!response) return std::move(response).error();
    if (response->ok()) continue;
    Error error = RestError(*response, "renaming " + ToString(rename.from));
    if (response->status >= 500) error.kind = ErrorKind::kCommitUnknown;
    return error;
  }
  return Ok();
}

// All items of a list that comes in pages.
Result<std::vector<Json>> RestPointers::Pages(const std::string& path, const std::string& query,
                                              const char* key) {
  std::vector<Json> items;
  std::string token;
  do {
    std::string asked = query;
    if (!token.empty()) {
      asked += (asked.empty() ? "pageToken=" : "&pageToken=") + http::PercentEncode(token);
    }
    WEIR_ASSIGN_OR_RETURN(const http::Response response, Ask({.path = path, .query = asked}));
    if (response.status == 404) break;  // dropped since it was listed
    if (!response.ok()) return RestError(response, "listing tables of " + uri());
    WEIR_ASSIGN_OR_RETURN(const Json body, ParseJson(response.body));
    WEIR_ASSIGN_OR_RETURN(const Json* list, ArrayAt(body, key));
    items.insert(items.end(), list->begin(), list->end());
    const std::string last = std::exchange(token, FindText(body, "next-page-token").value_or(""));
    if (token == last || items.size() > kMostNames) break;
  } while (!token.empty());
  return items;
}

Result<std::vector<connect::TableName>> RestPointers::List() {
  WEIR_TRY(client_->Configure());
  std::vector<connect::TableName> names;
  WEIR_ASSIGN_OR_RETURN(const std::vector<Json> top, Pages("/namespaces", "", "namespaces"));
  std::vector<std::vector<std::string>> spaces;
  for (const Json& item : top) {
    if (auto levels = LevelsOf(&item)) spaces.push_back(*std::move(levels));
  }
  for (std::size_t i = 0; i < spaces.size() && spaces.size() < kMostNames; ++i) {
    const std::vector<std::string> space = spaces[i];
    const std::string path = client_->NamespacePath(space);
    WEIR_ASSIGN_OR_RETURN(const auto tables, Pages(path + "/tables", "", "identifiers"));
    for (const Json& item : tables) {
      const auto name = FindText(item, "name");
      if (auto levels = LevelsOf(Find(item, "namespace")); name && levels) {
        names.push_back({.levels = *std::move(levels), .name = *name});
      }
    }
    const std::string parent = path.substr(std::string_view("/namespaces/").size());
    WEIR_ASSIGN_OR_RETURN(const auto below, Pages("/namespaces", "parent=" + parent, "namespaces"));
    for (const Json& item : below) {
      auto levels = LevelsOf(&item);
      // Some servers list everything whatever the parent.
      const bool is_below = levels && levels->size() == space.size() + 1 &&
                            levels->size() <= kDeepestNamespace &&
                            std::equal(space.begin(), space.end(), levels->begin());
      if (is_below) spaces.push_back(*std::move(levels));
    }
  }
  return names;
}

Status RestPointers::Check() {
  WEIR_TRY(client_->Configure());
  WEIR_ASSIGN_OR_RETURN(const http::Response response, Ask({.path = "/namespaces"}));
  return response.ok() ? Ok() : Status(RestError(response, "listing namespaces of " + uri()));
}

}  // namespace weir::iceberg
