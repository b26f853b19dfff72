#pragma once
// How to reach a Kafka cluster: brokers, and client settings that the pipeline file passes through.
// A plain value. Settings that Weir relies on are its own and cannot be passed.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace weir::kafka {

struct ClientOptions {
  std::string brokers;                         // host:port, comma separated
  std::map<std::string, std::string> options;  // librdkafka's names and spellings
  std::vector<std::string> secret_options;     // names in `options` whose values are never printed
};

/// Whether the client library takes every setting and none is Weir's own. No network. Errors:
/// kInvalidInput WEIR0104 naming the setting, with the nearest known name.
Status CheckOptions(const ClientOptions& client);

/// "librdkafka 2.15.1": for `weir version`.
std::string ClientLibrary();

}  // namespace weir::kafka
