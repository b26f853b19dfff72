#include "app/demo_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <vector>

#include "app/state_lock.h"
#include "base/check.h"
#include "base/random.h"
#include "config/retail_example.h"
#include "io/location.h"

namespace weir::app {
namespace {

namespace fs = std::filesystem;

// Says that a demo made the folder.
constexpr std::string_view kMarker = ".weir-demo";

std::vector<std::string> MadeByDemos() {
  return {std::string(kMarker),
          "log",
          "state",
          "lake",
          "duckdb.sql",
          std::string(config::kRetailPipelineFile),
          std::string(config::kRetailContractFile)};
}

Error Denied(const fs::path& path, const std::string& why) {
  return Refused(path.string() + ": " + why, ErrorCode::kStorageDenied);
}

// What is in the folder and was made by no demo.
Result<std::vector<std::string>> Strangers(const fs::path& folder) {
  const std::vector<std::string> ours = MadeByDemos();
  std::vector<std::string> strangers;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (std::ranges::count(ours, name) == 0) strangers.push_back(name);
  }
  if (error) return Denied(folder, error.message());
  return strangers;
}

// The example, for a lake of another format than its own.
std::string PipelineOf(const std::string& lake_format) {
  std::string text(config::RetailPipelineText());
  if (lake_format == "iceberg") return text;
  constexpr std::string_view kLake = "  warehouse: ./lake\n";
  const std::size_t at = text.find(kLake);
  WEIR_CHECK(at != std::string::npos);
  text.insert(at + kLake.size(), "  format: " + lake_format + "\n");
  const std::size_t catalog = text.find("  catalog:", at);
  if (lake_format == "delta" && catalog != std::string::npos) {
    text.erase(catalog, text.find('\n', catalog) + 1 - catalog);  // its folders are the catalog
  }
  return text;
}

Status Clear(const fs::path& folder) {
  for (const std::string& name : MadeByDemos()) {
    std::error_code error;
    fs::remove_all(folder / name, error);
    if (error) return Denied(folder / name, error.message());
  }
  return Ok();
}

// Puts state and lake below a location where one is given. A fresh name each time: what an earlier
// demo left there is not cleared.
Status MoveTo(const std::string& object_store, std::string& pipeline) {
  if (object_store.empty()) return Ok();
  const auto place = io::ParseS3Location(object_store);
  if (!place) return InvalidInput("--s3: " + place.error().message, ErrorCode::kUsage);
  const std::string base = io::PlainLocation(object_store) + "/demo-" + NewUuid().substr(0, 8);
  for (const std::string name : {"state", "lake"}) {
    const std::string folder = ": ./" + name + "\n";
    const std::size_t at = pipeline.find(folder);
    WEIR_CHECK(at != std::string::npos);
    pipeline.replace(at, folder.size(), ": \"" + base + "/" + name + "\"\n");
  }
  return Ok();
}

}  // namespace

Status WriteTextFile(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return Denied(path, "cannot be written");
  return Ok();
}

Result<DemoFolder> PrepareDemoFolder(const std::string& path, const std::string& lake_format,
                                     const std::string& object_store) {
  std::string pipeline_text = PipelineOf(lake_format);
  WEIR_TRY(MoveTo(object_store, pipeline_text));
  std::error_code error;
  const fs::path folder = fs::absolute(path, error).lexically_normal();
  fs::create_directories(folder, error);
  if (error) return Denied(folder, error.message());
  const bool is_demo = fs::exists(folder / kMarker, error);
  WEIR_ASSIGN_OR_RETURN(const auto strangers, Strangers(folder));
  const bool is_empty = fs::is_empty(folder, error);
  if (!is_empty && (!is_demo || !strangers.empty())) {
    const std::string found = is_demo ? "holds " + strangers.front() + ", which no demo made"
                                      : "is not empty, and no demo made it";
    return WithRemedy(Refused(folder.string() + " " + found), "name another folder by --dir");
  }
  if (const auto pid = StateLockHolder((folder / "state").string())) {
    return Refused(folder.string() + ": a demo works here (process " + std::to_string(*pid) + ")",
                   ErrorCode::kStateLocked);
  }
  WEIR_TRY(Clear(folder));
  WEIR_TRY(WriteTextFile((folder / kMarker).string(), "made by `weir demo`, which clears it\n"));
  const fs::path pipeline = folder / config::kRetailPipelineFile;
  WEIR_TRY(
      WriteTextFile((folder / config::kRetailContractFile).string(), config::RetailContractText()));
  WEIR_TRY(WriteTextFile(pipeline.string(), pipeline_text));
  return DemoFolder{folder.string(), pipeline.string()};
}

}  // namespace weir::app
