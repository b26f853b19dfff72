#include "io/granted_places.h"

#include "io/location.h"

namespace weir::io {

void GrantedPlaces::Grant(std::string_view place, S3Grant grant) {
  const std::lock_guard lock(mutex_);
  grants_[PlainLocation(place)] = std::move(grant);
}

std::optional<GrantedPlaces::Found> GrantedPlaces::Find(std::string_view location) const {
  std::string place = PlainLocation(location);
  const std::lock_guard lock(mutex_);
  while (!place.empty()) {
    if (const auto found = grants_.find(place); found != grants_.end()) {
      return Found{.place = place, .grant = found->second};
    }
    const std::size_t slash = place.rfind('/');
    place.resize(slash == std::string::npos ? 0 : slash);
  }
  return std::nullopt;
}

S3Options Granted(S3Options general, const S3Grant& grant) {
  if (general.endpoint.empty() && !grant.endpoint.empty()) {
    general.endpoint = grant.endpoint;
    general.path_style = true;
  }
  if (!grant.region.empty()) general.region = grant.region;
  if (grant.path_style) general.path_style = *grant.path_style;
  if (grant.credentials != nullptr) general.credentials = grant.credentials;
  return general;
}

}  // namespace weir::io
