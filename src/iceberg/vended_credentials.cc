#include "iceberg/vended_credentials.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "http/url.h"
#include "io/location.h"
#include "io/s3_credentials.h"

namespace weir::iceberg {
namespace {

constexpr const char* kOffered =
    "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials";
constexpr std::size_t kMostCredentials = 100;

std::string TextAt(const Json* config, const char* key) {
  if (config == nullptr || !config->is_object()) return {};
  return FindText(*config, key).value_or("");
}

std::int64_t NumberIn(const std::string& text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Keys of a part of the answer, and the rest of it from there or from the answer's own settings.
std::optional<Vended> VendedIn(std::string prefix, const Json* config, const Json* general) {
  Vended out;
  out.prefix = std::move(prefix);
  out.credentials.access_key = TextAt(config, "s3.access-key-id");
  out.credentials.secret_key = TextAt(config, "s3.secret-access-key");
  out.credentials.session_token = TextAt(config, "s3.session-token");
  if (out.credentials.access_key.empty() || out.credentials.secret_key.empty()) return std::nullopt;
  out.credentials.expires =
      std::max<std::int64_t>(0, NumberIn(TextAt(config, "s3.session-token-expires-at-ms"))) *
      kMicrosPerMilli;
  const auto either = [&](const char* key) {
    const std::string own = TextAt(config, key);
    return own.empty() ? TextAt(general, key) : own;
  };
  out.grant.endpoint = either("s3.endpoint");
  out.grant.region = either("client.region");
  if (out.grant.region.empty()) out.grant.region = either("s3.region");
  const std::string path_style = either("s3.path-style-access");
  if (!path_style.empty()) out.grant.path_style = path_style == "true";
  return out;
}

bool IsAt(const std::string& prefix, const std::string& place) {
  const bool any = std::string_view("s3://").starts_with(prefix);
  return any || place.starts_with(io::PlainLocation(prefix));
}

// The folders of a table that a prefix may be longer or shorter than.
std::set<std::string> PlacesOf(const TableMetadata& metadata) {
  std::set<std::string> places{io::PlainLocation(metadata.location)};
  const std::size_t slash = metadata.file.rfind('/');
  if (slash != std::string::npos) places.insert(io::PlainLocation(metadata.file.substr(0, slash)));
  for (const char* key : {"write.data.path", "write.metadata.path"}) {
    const auto found = metadata.properties.find(key);
    if (found != metadata.properties.end()) places.insert(io::PlainLocation(found->second));
  }
  std::erase_if(places, [](const std::string& place) { return !io::IsS3Location(place); });
  return places;
}

// Of several the most particular one.
const Vended* For(const std::string& place, const std::vector<Vended>& all) {
  const Vended* best = nullptr;
  for (const Vended& one : all) {
    if (!IsAt(one.prefix, place)) continue;
    if (best == nullptr || one.prefix.size() > best->prefix.size()) best = &one;
  }
  return best;
}

}  // namespace

std::vector<Vended> ReadVended(const Json& answer) {
  std::vector<Vended> out;
  const Json* general = Find(answer, "config");
  if (const Json* list = Find(answer, "storage-credentials"); list != nullptr && list->is_array()) {
    for (const Json& item : *list) {
      auto one = VendedIn(FindText(item, "prefix").value_or(""), Find(item, "config"), general);
      if (one && out.size() < kMostCredentials) out.push_back(*std::move(one));
    }
  }
  if (!out.empty()) return out;
  if (auto one = VendedIn("", general, general)) out.push_back(*std::move(one));
  return out;
}

void VendedCredentials::Take(const connect::TableName& name, const Json& answer,
                             const TableMetadata& metadata) {
  const std::vector<Vended> all = ReadVended(answer);
  const std::set<std::string> own = PlacesOf(metadata);
  std::set<std::string> places = own;
  for (const Vended& one : all) {
    if (!io::ParseS3Location(one.prefix)) continue;
    // What lies above the table's folders may be another table's as well, with other rights.
    const std::string place = io::PlainLocation(one.prefix);
    const bool above = std::ranges::any_of(
        own, [&](const std::string& folder) { return folder.starts_with(place); });
    if (!above) places.insert(place);
  }
  for (const std::string& place : places) {
    const Vended* one = For(place, all);
    if (one == nullptr) continue;
    const auto source = SourceOf(name, one->prefix);
    {
      const std::lock_guard lock(source->mutex);
      source->offered = one->credentials;
    }
    source->refreshed->Discard();  // for the newer ones
    io::S3Grant grant = one->grant;
    grant.credentials = source->refreshed;
    places_->Grant(place, std::move(grant));
  }
}

std::shared_ptr<VendedCredentials::Source> VendedCredentials::SourceOf(
    const connect::TableName& name, const std::string& prefix) {
  const std::lock_guard lock(mutex_);
  auto& source = sources_[{name, prefix}];
  if (source != nullptr) return source;
  source = std::make_shared<Source>();
  // Stores keep it, and may outlive the catalog.
  source->refreshed = io::RefreshedCredentials(
      [of = std::weak_ptr(source), client = client_, name, prefix]() -> Result<io::S3Credentials> {
        if (const auto own = of.lock()) {
          const std::lock_guard own_lock(own->mutex);
          if (own->offered) return *std::exchange(own->offered, std::nullopt);
        }
        return Ask(*client, name, prefix);
      },
      clock_);
  return source;
}

Result<io::S3Credentials> VendedCredentials::Ask(RestClient& client, const connect::TableName& name,
                                                 const std::string& prefix) {
  const std::string what = "asking " + client.uri() + " for credentials of " + ToString(name);
  WEIR_ASSIGN_OR_RETURN(const bool alone, client.Offers(kOffered));
  RestClient::Call call{.path = client.TablePath(name), .headers = {Wish()}};
  alone ? call.path += "/credentials" : call.query = "snapshots=refs";
  auto response = client.Send(call);
  if (!response) return WithContext(http::Repeatable(std::move(response).error()), what);
  if (!response->ok()) return RestError(*response, what);
  WEIR_ASSIGN_OR_RETURN(const Json answer, ParseJson(response->body));
  const std::vector<Vended> all = ReadVended(answer);
  const auto same = std::ranges::find(all, prefix, &Vended::prefix);
  if (same != all.end()) return same->credentials;
  if (const Vended* one = For(prefix, all)) return one->credentials;
  return Refused(what + ": none came", ErrorCode::kStorageDenied);
}

}  // namespace weir::iceberg
