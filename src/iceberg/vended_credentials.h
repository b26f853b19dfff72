#pragma once
// VendedCredentials: credentials for the files of tables, which a REST catalog hands out with each
// table that it loads.
//
// They hold for the places that the answer names, else for the table's own folders, and are asked
// for again before they end, also while nobody loads the table: files of an epoch may take long.
// Safe from several threads. No message holds a secret.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json_document.h"
#include "connect/table.h"
#include "iceberg/metadata.h"
#include "iceberg/rest_client.h"
#include "io/granted_places.h"

namespace weir::iceberg {

/// Credentials as an answer holds them: for what begins with a prefix; empty: for all of the table.
struct Vended {
  std::string prefix;
  io::S3Grant grant;  // without credentials
  io::S3Credentials credentials;
};

/// Those of an answer to a load of a table, or to a question for credentials alone.
std::vector<Vended> ReadVended(const Json& answer);

class VendedCredentials {
 public:
  VendedCredentials(std::shared_ptr<RestClient> client, std::shared_ptr<io::GrantedPlaces> places,
                    Clock& clock)
      : client_(std::move(client)), places_(std::move(places)), clock_(clock) {}

  /// What asks for them.
  static http::Header Wish() { return {"X-Iceberg-Access-Delegation", "vended-credentials"}; }
  /// Takes up what came with a table.
  void Take(const connect::TableName& name, const Json& answer, const TableMetadata& metadata);

 private:
  /// For one prefix of one table.
  struct Source {
    std::mutex mutex;
    std::optional<io::S3Credentials> offered;  // guarded by mutex; came with a load, not used yet
    std::shared_ptr<io::S3CredentialSource> refreshed;
  };
  std::shared_ptr<Source> SourceOf(const connect::TableName& name, const std::string& prefix);
  static Result<io::S3Credentials> Ask(RestClient& client, const connect::TableName& name,
                                       const std::string& prefix);

  std::shared_ptr<RestClient> client_;
  std::shared_ptr<io::GrantedPlaces> places_;
  Clock& clock_;
  std::mutex mutex_;
  std::map<std::pair<connect::TableName, std::string>, std::shared_ptr<Source>>
      sources_;  // guarded by mutex_
};

}  // namespace weir::iceberg
