#pragma once
// GrantedPlaces: parts of object stores that are reached with credentials of their own, such as a
// catalog hands out for each of its tables. Everywhere else the general ones hold.
//
// Safe from several threads. No errors; credentials are secrets and are never told.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "io/s3_options.h"

namespace weir::io {

/// How a place is reached. What is empty is as everywhere else.
struct S3Grant {
  std::string endpoint = {};
  std::string region = {};
  std::optional<bool> path_style = {};
  std::shared_ptr<S3CredentialSource> credentials = nullptr;
};

class GrantedPlaces {
 public:
  /// For all that lies at or below "s3://bucket/folder"; what was granted there before is replaced.
  void Grant(std::string_view place, S3Grant grant);

  struct Found {
    std::string place;
    S3Grant grant;
  };
  /// The grant of the longest place that the location is at or below.
  std::optional<Found> Find(std::string_view location) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, S3Grant> grants_;  // guarded by mutex_; by plain location
};

/// The general options with what a grant says instead. The endpoint that a person wrote stays: a
/// server may know the store by a name that only its own network has.
S3Options Granted(S3Options general, const S3Grant& grant);

}  // namespace weir::io
