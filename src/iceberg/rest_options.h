#pragma once
// RestOptions: how a REST catalog is reached. A plain value; token and credential are secrets.

#include <map>
#include <memory>
#include <string>

#include "io/s3_options.h"

namespace weir::iceberg {

struct RestOptions {
  std::string uri;         // without "/v1": "https://catalog.example/api"
  std::string warehouse;   // as the server knows it; may be empty
  std::string token;       // a bearer token that is simply sent
  std::string credential;  // "client id:client secret": a token is asked for and kept fresh
  std::string oauth2_uri;  // where; empty: the catalog's own "/v1/oauth/tokens"
  std::string scope;       // of that token; empty: "catalog"
  std::map<std::string, std::string> headers;  // sent with each request
  std::string signing_service;  // requests are signed for this one of AWS's; empty: if the server
  std::string signing_region;   // says so. Empty: of the environment
  std::shared_ptr<io::S3CredentialSource> signing_credentials;  // nullptr: the default chain
  bool vended_credentials = false;  // whether it is asked for credentials of tables' files
  std::string ca_file;              // PEM; empty: the system's certificates
};

}  // namespace weir::iceberg
