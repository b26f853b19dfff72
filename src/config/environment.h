#pragma once
// Environment: what reading a pipeline file may ask of the machine, as a port, so that tests script
// it. ProcessEnvironment is the real one; ScriptedEnvironment answers from maps.
// Used by one thread while a configuration is read.

#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace weir::config {

class Environment {
 public:
  virtual ~Environment() = default;
  /// Value of an environment variable; nullopt when it is unset.
  virtual std::optional<std::string> Variable(const std::string& name) const = 0;
  /// The whole file. kInvalidInput WEIR0108: not there, not readable, or longer than max_bytes.
  virtual Result<std::string> ReadFile(const std::string& path, std::size_t max_bytes) const = 0;
  /// Absolute path of the folder that relative paths of the command line count from.
  virtual std::string CurrentFolder() const = 0;
};

class ProcessEnvironment final : public Environment {
 public:
  std::optional<std::string> Variable(const std::string& name) const override;
  Result<std::string> ReadFile(const std::string& path, std::size_t max_bytes) const override;
  std::string CurrentFolder() const override;
};

/// Knows what it was given and nothing else. Files are keyed by absolute path.
class ScriptedEnvironment final : public Environment {
 public:
  std::map<std::string, std::string> variables;
  std::map<std::string, std::string> files;
  std::string folder = "/pipelines";

  std::optional<std::string> Variable(const std::string& name) const override;
  Result<std::string> ReadFile(const std::string& path, std::size_t max_bytes) const override;
  std::string CurrentFolder() const override { return folder; }
};

/// `path` made absolute, counted from `folder`, without "." and "..".
std::string AbsolutePath(const std::string& folder, const std::string& path);

/// The folder that holds a file, given the file's absolute path.
std::string FolderOf(const std::string& path);

}  // namespace weir::config
