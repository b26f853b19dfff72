#pragma once
// ConfigFile: one file of the configuration, ready for its reader: parsed, with its variables
// replaced, and with what its sections share. Pipeline and contract files all come through here.

#include <optional>
#include <string>
#include <string_view>

#include "config/diagnostic.h"
#include "config/environment.h"
#include "config/section.h"
#include "config/yaml_node.h"

namespace weir::config {

struct ConfigFile {
  YamlNode root;
  ReadContext context;
};

/// path: as a person gave it; messages repeat it. nullopt: what is wrong was reported.
std::optional<ConfigFile> OpenConfigFile(const std::string& path, const Environment& environment,
                                         Diagnostics& diagnostics);

/// The same for a text that is there already. path: where it would stand; need not exist.
std::optional<ConfigFile> ParseConfigFile(std::string_view text, const std::string& path,
                                          const Environment& environment, Diagnostics& diagnostics);

}  // namespace weir::config
