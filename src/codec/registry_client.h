#pragma once
// RegistryClient: a schema registry over HTTP, as Confluent's serves it (Karapace and Apicurio do
// the same): GET /schemas/ids/{id}, and /subjects/{subject}/versions/{version} for references. An
// id never means something else later, so whoever asks may keep the answer for ever.

#include <memory>
#include <string>

#include "base/time.h"
#include "codec/schema_registry.h"
#include "http/client.h"

namespace weir::codec {

struct RegistryOptions {
  std::string url;  // of the registry's root; a path is kept
  std::string user;
  std::string password;  // with user: basic authentication; alone: a bearer token
  std::string ca_file;
  Micros timeout = 10 * kMicrosPerSecond;
};

/// transport: nullptr = a client of its own.
std::unique_ptr<SchemaRegistry> NewRegistryClient(
    const RegistryOptions& options, std::unique_ptr<http::Transport> transport = nullptr);

}  // namespace weir::codec
