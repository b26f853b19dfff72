#include "config/pipeline_reader.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "config/catalog_reader.h"
#include "config/config_file.h"
#include "config/contract_reader.h"
#include "config/event_time_reader.h"
#include "config/keys.h"
#include "config/source_reader.h"
#include "config/table_reader.h"

namespace weir::config {
namespace {

constexpr std::size_t kMaxPipelineName = 64;

bool IsPipelineName(const std::string& name) {
  const auto legal = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  };
  return std::isalnum(static_cast<unsigned char>(name[0])) != 0 &&
         name.size() <= kMaxPipelineName && std::all_of(name.begin(), name.end(), legal);
}

class PipelineReader {
 public:
  PipelineReader(const YamlNode& root, ReadContext& context, const Environment& environment)
      : context_(context),
        environment_(environment),
        section_(root, FilePlace(), kPipelineKeys, context) {}

  std::optional<PipelineSpec> Read() {
    spec_.name = ReadName();
    if (auto source = section_.Child("source")) {
      spec_.source = ReadSource(std::move(*source), spec_.name);
    }
    spec_.state = section_.Location("state").value_or("");
    const bool has_contract = ReadContractOf();
    ReadLake();
    ReadS3();
    ReadEpoch();
    ReadMetrics();
    const auto on_error = section_.Text("on_error");
    spec_.on_error = on_error == "fail" ? OnError::kFail : OnError::kQuarantine;
    spec_.memory_bytes = section_.Size("memory").value_or(spec_.memory_bytes);
    spec_.state_memory_bytes = section_.Size("state_memory").value_or(spec_.state_memory_bytes);
    const Contract* contract = has_contract ? &spec_.contract : nullptr;
    TableList list = ReadTables(section_, contract);
    spec_.tables = std::move(list.tables);
    spec_.watermark = ReadWatermark(section_);
    CheckEventTime(section_, contract, list.rows, spec_);
    CheckFolders();
    if (on_error == "quarantine") CheckQuarantine();
    if (!context_.diagnostics.ok()) return std::nullopt;
    spec_.secret_paths = context_.secret_paths;
    return std::move(spec_);
  }

 private:
  Place FilePlace() const { return {.file = context_.file, .key_path = {}}; }

  std::string ReadName() {
    const auto name = section_.Text("pipeline");
    if (!name) return {};
    if (!IsPipelineName(*name)) {
      section_.Error("pipeline", ErrorCode::kBadValue,
                     "`pipeline` is no name: letters, digits, `-`, `_` and `.`, at most 64");
    }
    return *name;
  }

  // Whether the contract could be read.
  bool ReadContractOf() {
    std::optional<Contract> contract;
    if (const auto path = section_.Shorthand("contract")) {
      contract = ReadContractFile(path->text, path->place);
    } else if (auto section = section_.Child("contract")) {
      contract = ReadContract(std::move(*section));
    }
    if (contract) spec_.contract = std::move(*contract);
    return contract.has_value();
  }

  std::optional<Contract> ReadContractFile(const std::string& path, const Place& place) {
    const std::string absolute = AbsolutePath(context_.folder, path);
    spec_.contract_file = absolute;
    const Result<std::string> text = environment_.ReadFile(absolute, kMaxFileBytes);
    if (!text) {
      context_.diagnostics.Error(ErrorCode::kFileUnreadable, place, text.error().message,
                                 "paths count from the folder of the pipeline file");
      return std::nullopt;
    }
    // Messages name the file as a person would reach it from where the pipeline file was named.
    const std::filesystem::path folder = std::filesystem::path(context_.file).parent_path();
    const std::string shown = (folder / path).lexically_normal().string();
    auto file = ParseConfigFile(*text, shown, environment_, context_.diagnostics);
    if (!file) return std::nullopt;
    auto contract = ReadContract(*file);
    for (const std::string& secret : file->context.secret_paths)
      context_.secret_paths.push_back("contract." + secret);
    return contract;
  }

  void ReadLake() {
    auto lake = section_.Child("lake");
    if (!lake) return;
    spec_.lake.name = lake->Text("name").value_or("weir");
    spec_.lake.warehouse = lake->Location("warehouse").value_or("");
    spec_.lake.format = lake->Text("format").value_or("iceberg");
    ReadCatalog(*lake, spec_.lake);
    if (spec_.lake.warehouse.empty() && spec_.lake.catalog != CatalogKind::kRest &&
        lake->complete() && !lake->Has("warehouse")) {
      lake->Error("warehouse", ErrorCode::kMissingKey, "`warehouse` is missing",
                  "name the folder that tables live in; only a REST catalog knows it itself");
    }
  }

  void ReadS3() {
    auto s3 = section_.Child("s3");
    if (!s3) return;
    spec_.s3.endpoint = s3->Text("endpoint").value_or("");
    spec_.s3.region = s3->Text("region").value_or("");
    spec_.s3.path_style = s3->Boolean("path_style");
    spec_.s3.access_key = s3->Text("access_key").value_or("");
    spec_.s3.secret_key = s3->Text("secret_key").value_or("");
    spec_.s3.session_token = s3->Text("session_token").value_or("");
    spec_.s3.ca_file = s3->Path("ca").value_or("");
    const std::string& endpoint = spec_.s3.endpoint;
    if (!endpoint.empty() && !endpoint.starts_with("https://") &&
        !endpoint.starts_with("http://")) {
      s3->Error("endpoint", ErrorCode::kBadValue, "`endpoint` is no URL",
                "write it as https://host:port");
    }
    if (spec_.s3.access_key.empty() != spec_.s3.secret_key.empty()) {
      s3->Error(spec_.s3.access_key.empty() ? "secret_key" : "access_key",
                ErrorCode::kPipelineInvalid, "one of `access_key` and `secret_key` is missing",
                "give both, or neither");
    }
  }

  void ReadEpoch() {
    auto epoch = section_.Child("epoch");
    if (!epoch) return;
    spec_.epoch.every = epoch->Duration("every").value_or(spec_.epoch.every);
    spec_.epoch.max_rows = epoch->Count("max_rows").value_or(spec_.epoch.max_rows);
    spec_.epoch.max_bytes = epoch->Size("max_bytes").value_or(spec_.epoch.max_bytes);
  }

  void ReadMetrics() {
    auto metrics = section_.Child("metrics");
    if (!metrics) return;
    const auto listen = metrics->Text("listen");
    if (!listen) return;
    constexpr int kMaxPort = 65535;
    const std::size_t colon = listen->rfind(':');
    std::string host = listen->substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    int port = 0;
    const char* const end = listen->data() + listen->size();
    const char* const digits = colon == std::string::npos ? end : listen->data() + colon + 1;
    const auto [last, error] = std::from_chars(digits, end, port);
    if (host.empty() || error != std::errc() || last != end || port < 1 || port > kMaxPort) {
      return metrics->Error("listen", ErrorCode::kBadValue, "`listen` is no address with a port",
                            "write it as 127.0.0.1:9464, or [::1]:9464");
    }
    spec_.metrics = MetricsSpec{.host = std::move(host), .port = port};
  }

  void CheckQuarantine() {
    const bool has_invalid =
        std::any_of(spec_.tables.begin(), spec_.tables.end(),
                    [](const TableSpec& table) { return table.from == TableFrom::kInvalid; });
    if (!spec_.tables.empty() && !has_invalid) {
      section_.Error(section_.Has("on_error") ? "on_error" : "tables", ErrorCode::kPipelineInvalid,
                     "`on_error: quarantine` needs a table for the bad events",
                     "add a table such as `quarantine.events: {from: invalid}`, or set "
                     "`on_error: fail`");
    }
  }

  // Weir's own files and the tables' must not meet: each side may remove what it does not know.
  void CheckFolders() {
    const std::string& state = spec_.state;
    if (state.empty()) return;
    if (state == spec_.lake.warehouse) {
      section_.Error("state", ErrorCode::kPipelineInvalid,
                     "the state folder and the warehouse are the same folder");
    } else if (state == spec_.source.spool_path) {
      section_.Error("state", ErrorCode::kPipelineInvalid,
                     "the state folder and the embedded log are the same folder");
    }
  }

  ReadContext& context_;
  const Environment& environment_;
  Section section_;
  PipelineSpec spec_;
};

}  // namespace

std::optional<PipelineSpec> ReadPipeline(const YamlNode& root, ReadContext& context,
                                         const Environment& environment) {
  return PipelineReader(root, context, environment).Read();
}

}  // namespace weir::config
