#pragma once
// ScratchFolder: a fresh folder for one test, removed with all it holds when destroyed.
// For tests only; lies under TMPDIR.

#include <filesystem>
#include <string>

#include <stdlib.h>

#include "base/check.h"

namespace weir {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "weir-test-XXXXXX").string();
    WEIR_CHECK(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  /// "<folder>/<name>".
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

}  // namespace weir
