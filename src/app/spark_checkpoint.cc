#include "app/spark_checkpoint.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/json_depth.h"

namespace weir::app {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxFileBytes = 4 << 20;
constexpr int kMaxJsonDepth = 32;
constexpr const char* kQueryId = "spark.sql.streaming.queryId";
constexpr const char* kEpochId = "spark.sql.streaming.epochId";

Result<std::string> ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound(path.string() + " is not there or cannot be read");
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxFileBytes) return Corrupt(path.string() + " is larger than 4 MiB");
  return text;
}

std::optional<std::int64_t> NumberOf(std::string_view name) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number < 0) return std::nullopt;
  return number;
}

std::optional<std::int64_t> NewestIn(const std::filesystem::path& folder) {
  std::optional<std::int64_t> newest;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (const auto number = NumberOf(entry.path().filename().string()))
      newest = std::max(newest.value_or(0), *number);
  }
  return newest;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

Result<Json> ObjectOf(const std::string& text, const std::string& where) {
  const bool shallow = NestsAtMost(text, kMaxJsonDepth);
  Json json = shallow ? Json::parse(text, nullptr, /*allow_exceptions=*/false) : Json();
  if (!json.is_object()) return Corrupt(where + " holds no JSON object");
  return json;
}

std::optional<Micros> WatermarkOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  const auto ms = found->get<std::int64_t>();
  // Zero is what Spark writes where there is none.
  if (ms <= 0 || ms > INT64_MAX / kMicrosPerMilli) return std::nullopt;
  return ms * kMicrosPerMilli;
}

// {"topic": {"0": 123}} of the Kafka source; other sources' lines add nothing.
void AddOffsets(const Json& json, SparkBatch& batch) {
  for (const auto& [topic, partitions] : json.items()) {
    if (!partitions.is_object()) continue;
    for (const auto& [name, offset] : partitions.items()) {
      const auto partition = NumberOf(name);
      if (!partition || *partition > INT32_MAX || !offset.is_number_integer()) continue;
      if (offset.get<std::int64_t>() < 0) continue;  // -1, -2: latest, earliest; never in a log
      batch.offsets[topic][Partition(static_cast<std::int32_t>(*partition))] =
          Offset(offset.get<std::int64_t>());
    }
  }
}

Result<SparkBatch> ReadBatch(const std::filesystem::path& path, std::int64_t number) {
  WEIR_ASSIGN_OR_RETURN(const std::string text, ReadAll(path));
  const auto lines = LinesOf(text);
  if (lines.size() < 2 || (lines[0] != "v1" && lines[0] != "v2"))
    return Unsupported(path.string() + " is of a version that Weir does not read: " +
                       Printable(lines.empty() ? "" : lines[0], 20));
  SparkBatch batch;
  batch.number = number;
  WEIR_ASSIGN_OR_RETURN(const Json metadata, ObjectOf(lines[1], path.string()));
  batch.watermark = WatermarkOf(metadata, "batchWatermarkMs");
  for (std::size_t i = 2; i < lines.size(); ++i) {
    // v2 puts the number of the source before its offset.
    const std::size_t brace = lines[i].find('{');
    if (brace == std::string::npos) continue;
    WEIR_ASSIGN_OR_RETURN(const Json offsets, ObjectOf(lines[i].substr(brace), path.string()));
    AddOffsets(offsets, batch);
  }
  return batch;
}

}  // namespace

Result<SparkCheckpoint> ReadSparkCheckpoint(const std::string& folder) {
  const std::filesystem::path root(folder);
  SparkCheckpoint checkpoint;
  WEIR_ASSIGN_OR_RETURN(const std::string metadata, ReadAll(root / "metadata"));
  WEIR_ASSIGN_OR_RETURN(const Json identity, ObjectOf(metadata, (root / "metadata").string()));
  if (const auto id = identity.find("id"); id != identity.end() && id->is_string())
    checkpoint.query_id = id->get<std::string>();
  if (checkpoint.query_id.empty()) return Corrupt((root / "metadata").string() + " names no query");
  checkpoint.committed = NewestIn(root / "commits");
  const auto newest = NewestIn(root / "offsets");
  if (!newest) return NotFound((root / "offsets").string() + " holds no batch: nothing was read");
  if (checkpoint.committed) {
    const std::string number = std::to_string(*checkpoint.committed);
    WEIR_ASSIGN_OR_RETURN(checkpoint.done,
                          ReadBatch(root / "offsets" / number, *checkpoint.committed));
    WEIR_ASSIGN_OR_RETURN(const std::string commit, ReadAll(root / "commits" / number));
    const auto lines = LinesOf(commit);
    if (lines.size() > 1) {
      WEIR_ASSIGN_OR_RETURN(const Json json, ObjectOf(lines[1], "commits/" + number));
      checkpoint.watermark_behind = WatermarkOf(json, "nextBatchWatermarkMs");
    }
  }
  const std::int64_t next = checkpoint.committed.value_or(-1) + 1;
  if (*newest > next)
    return Corrupt(
        fmt::format("{} has batch {}, but only {} batches are committed", folder, *newest, next));
  if (*newest == next) {
    WEIR_ASSIGN_OR_RETURN(checkpoint.in_work,
                          ReadBatch(root / "offsets" / std::to_string(next), next));
  }
  return checkpoint;
}

Result<SparkDecision> DecideSparkBatch(const SparkCheckpoint& checkpoint,
                                       const std::vector<connect::SnapshotInfo>& snapshots) {
  std::optional<std::int64_t> shown;  // newest batch of this query in the table
  for (const connect::SnapshotInfo& snapshot : snapshots) {
    const auto query = snapshot.summary.find(kQueryId);
    const auto epoch = snapshot.summary.find(kEpochId);
    if (query == snapshot.summary.end() || epoch == snapshot.summary.end()) continue;
    if (query->second != checkpoint.query_id) continue;
    if (const auto number = NumberOf(epoch->second)) shown = std::max(shown.value_or(0), *number);
  }
  const std::int64_t committed = checkpoint.committed.value_or(-1);
  const std::int64_t begun = checkpoint.in_work ? checkpoint.in_work->number : committed;
  if (shown && *shown > begun)
    return WithRemedy(
        Refused(fmt::format("the table holds batch {} of the query, but the checkpoint "
                            "ends at {}: it is older than the table",
                            *shown, begun)),
        "use the newest copy of the checkpoint");
  if (!checkpoint.in_work)
    return SparkDecision{&*checkpoint.done, fmt::format("batch {} is committed, and no other was "
                                                        "begun",
                                                        committed)};
  if (shown && *shown == begun)
    return SparkDecision{
        &*checkpoint.in_work,
        fmt::format("the table holds batch {}, though Spark had not noted it", begun)};
  if (!shown)
    return WithRemedy(
        Refused(
            fmt::format("batch {} was begun and not noted as done, and no snapshot of the table "
                        "names the query {}: whether its rows are there cannot be told",
                        begun, checkpoint.query_id)),
        "let the query finish its batch (start it once with Trigger.AvailableNow), then import; or "
        "say which batch is done by --batch N");
  if (!checkpoint.done)
    return Refused(
        "the first batch was begun and is not in the table: start the pipeline as a new "
        "one");
  return SparkDecision{
      &*checkpoint.done,
      fmt::format("batch {} was begun, but the table ends at batch {}", begun, *shown)};
}

}  // namespace weir::app
