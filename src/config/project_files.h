#pragma once
// For tests: files of the project, by their paths from its root.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace weir::config {

inline std::filesystem::path ProjectPath(const std::string& path) {
  return std::filesystem::path(__FILE__).parent_path() / "../.." / path;
}

inline std::string ReadProjectFile(const std::string& path) {
  std::ifstream stream(ProjectPath(path), std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Set WEIR_UPDATE_GOLDEN=1 to write what the tests compare with, then read the difference.
inline bool UpdatesGolden() { return std::getenv("WEIR_UPDATE_GOLDEN") != nullptr; }

inline void WriteProjectFile(const std::string& path, const std::string& text) {
  std::ofstream(ProjectPath(path), std::ios::binary) << text;
}

}  // namespace weir::config
