#include "iceberg/metadata.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "iceberg/metadata_edit.h"
#include "iceberg/test_table.h"

namespace weir::iceberg {
namespace {

Json Minimal() {
  return *ParseJson(R"({"format-version":2,"table-uuid":"u","location":"file:///t/",
    "last-sequence-number":3,"last-updated-ms":5,"last-column-id":2,"current-schema-id":1,
    "schemas":[{"schema-id":0,"type":"struct","fields":[
        {"id":9,"name":"old","required":false,"type":"string"}]},
      {"schema-id":1,"type":"struct","fields":[
        {"id":1,"name":"a","required":false,"type":"string"},
        {"id":2,"name":"t","required":false,"type":"timestamptz"}]}],
    "default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[
      {"name":"t_day","transform":"day","source-id":2,"field-id":1000}]}],
    "last-partition-id":1000,"default-sort-order-id":0,"sort-orders":[{"order-id":0,"fields":[]}],
    "properties":{"x":"1"},"snapshots":[],"future-key":{"kept":[1,2]}})");
}

MetadataPtr Read(const Json& json) { return Must(ParseMetadata(DumpJson(json), "file:///t/f")); }

Status Writable(const Json& json) { return CheckWritable(*Read(json)); }

TEST(MetadataTest, ReadsATable) {
  const MetadataPtr metadata = Read(Minimal());
  EXPECT_EQ(metadata->location, "file:///t");
  EXPECT_EQ(metadata->last_sequence, 3);
  EXPECT_EQ(metadata->schema.fields.size(), 2U);
  EXPECT_EQ(metadata->FindSpec(0)->fields[0].name, "t_day");
  EXPECT_EQ(metadata->head(), nullptr);
  EXPECT_EQ(metadata->NumberProperty("x", 7), 1);
  EXPECT_EQ(metadata->NumberProperty("y", 7), 7);
  EXPECT_TRUE(CheckWritable(*metadata).ok());
}

TEST(MetadataTest, NoSnapshotIsSpelledInThreeWays) {
  for (const char* value : {"-1", "null"}) {
    Json json = Minimal();
    json["current-snapshot-id"] = Json::parse(value);
    EXPECT_FALSE(Read(json)->current_snapshot_id) << value;
  }
}

TEST(MetadataTest, MainIsThereEvenWithoutRefs) {
  Json json = Minimal();
  json["snapshots"] = Json::parse(R"([{"snapshot-id":4,"timestamp-ms":1,"sequence-number":1}])");
  json["current-snapshot-id"] = 4;
  EXPECT_EQ(Read(json)->refs.at(kMainBranch).snapshot_id, 4);
}

TEST(MetadataTest, FindsFieldsOfOlderSchemas) {
  const MetadataPtr metadata = Read(Minimal());
  ASSERT_TRUE(FindFieldInAnySchema(*metadata, 9));
  EXPECT_EQ(FindFieldInAnySchema(*metadata, 9)->name, "old");
  EXPECT_FALSE(FindFieldInAnySchema(*metadata, 99));
}

TEST(MetadataTest, RefusesByName) {
  const auto refusal = [](const Json& json) {
    const Status status = Writable(json);
    EXPECT_FALSE(status.ok());
    if (status.ok()) return std::string();
    EXPECT_EQ(status.error().kind, ErrorKind::kUnsupported);
    EXPECT_EQ(status.error().code, ErrorCode::kTableUnsupported);
    return status.error().message;
  };
  Json json = Minimal();
  json["format-version"] = 1;
  EXPECT_NE(refusal(json).find("format version 1"), std::string::npos);
  json["format-version"] = 3;
  EXPECT_NE(refusal(json).find("row lineage"), std::string::npos);
  json = Minimal();
  json["properties"]["encryption.key-id"] = "k";
  EXPECT_EQ(refusal(json), "the table is encrypted");
  json = Minimal();
  json["partition-specs"][0]["fields"][0]["transform"] = "zorder";
  EXPECT_NE(refusal(json).find("zorder"), std::string::npos);
  json = Minimal();
  json["partition-specs"][0]["fields"][0]["transform"] = "hour";
  json["schemas"][1]["fields"][1]["type"] = "date";
  EXPECT_NE(refusal(json).find("t_day"), std::string::npos);
  json = Minimal();
  json["schemas"][1]["fields"][0]["type"] = "variant";
  json["schemas"][1]["fields"][0]["required"] = true;
  EXPECT_NE(refusal(json).find("variant"), std::string::npos);
}

TEST(MetadataTest, AnOlderSpecThatIsNotUnderstoodIsNoHindrance) {
  Json json = Minimal();
  json["partition-specs"].push_back(
      *ParseJson(R"({"spec-id":7,"fields":[{"name":"z","transform":"zorder","source-id":1,
                     "field-id":1001}]})"));
  EXPECT_TRUE(Writable(json).ok());
  EXPECT_EQ(Read(json)->FindSpec(7), nullptr);
}

TEST(MetadataTest, AnUnknownFormatVersionIsUnsupported) {
  Json json = Minimal();
  json["format-version"] = 4;
  const auto metadata = ParseMetadata(DumpJson(json), "f");
  ASSERT_FALSE(metadata);
  EXPECT_EQ(metadata.error().kind, ErrorKind::kUnsupported);
}

TEST(MetadataTest, DamageIsCorruptAndNamesTheFile) {
  for (const char* key : {"format-version", "table-uuid", "location", "last-updated-ms", "schemas",
                          "partition-specs"}) {
    for (const Json& value : {Json(nullptr), Json("text"), Json(-1), Json::array({1})}) {
      if (value.is_string() && std::string(key) != "format-version") continue;
      if (value == -1 && std::string(key) == "last-updated-ms") continue;
      Json json = Minimal();
      json[key] = value;
      const auto metadata = ParseMetadata(DumpJson(json), "file:///t/broken.json");
      ASSERT_FALSE(metadata) << key << DumpJson(value);
      EXPECT_NE(metadata.error().message.find("broken.json"), std::string::npos);
    }
  }
  Json json = Minimal();
  json["current-snapshot-id"] = 12;  // not in the list
  EXPECT_FALSE(ParseMetadata(DumpJson(json), "f"));
  EXPECT_FALSE(ParseMetadata("", "f"));
  EXPECT_FALSE(ParseMetadata(std::string(100'000, '['), "f"));
  EXPECT_FALSE(ParseMetadata("[]", "f"));
}

Snapshot NewSnapshot(std::int64_t id) {
  Snapshot snapshot;
  snapshot.id = id;
  snapshot.sequence = 4;
  snapshot.timestamp_ms = 77;
  snapshot.manifest_list = "file:///t/list.avro";
  snapshot.summary = {{"operation", "append"}, {"added-records", "3"}};
  snapshot.schema_id = 1;
  return snapshot;
}

TEST(MetadataEditTest, AddsASnapshotAndKeepsWhatItDoesNotKnow) {
  const MetadataPtr base = Read(Minimal());
  MetadataEdit edit(*base);
  edit.AppendSnapshot(NewSnapshot(8));
  edit.SetTag("weir-shop", 8);
  edit.SetProperty("weir.progress.shop", "{}");
  const auto finished = Must(edit.Finish("file:///t/g"));
  const Json after = Must(ParseJson(finished.text));
  EXPECT_EQ(after["future-key"], Minimal()["future-key"]);
  EXPECT_EQ(after["schemas"], Minimal()["schemas"]);
  EXPECT_EQ(after["properties"]["x"], "1");
  EXPECT_EQ(after["current-snapshot-id"], 8);
  EXPECT_EQ(after["last-sequence-number"], 4);
  EXPECT_EQ(after["last-updated-ms"], 77);
  EXPECT_EQ(after["refs"]["main"], *ParseJson(R"({"snapshot-id":8,"type":"branch"})"));
  EXPECT_EQ(after["refs"]["weir-shop"]["type"], "tag");
  EXPECT_EQ(after["snapshot-log"][0], *ParseJson(R"({"timestamp-ms":77,"snapshot-id":8})"));
  EXPECT_EQ(after["metadata-log"][0],
            *ParseJson(R"({"timestamp-ms":5,"metadata-file":"file:///t/f"})"));
  EXPECT_EQ(finished.metadata->head()->id, 8);
  EXPECT_EQ(finished.metadata->file, "file:///t/g");
  EXPECT_EQ(finished.metadata->file_size, static_cast<std::int64_t>(finished.text.size()));
}

TEST(MetadataEditTest, MainKeepsItsRetention) {
  Json json = Minimal();
  json["snapshots"] = Json::parse(R"([{"snapshot-id":4,"timestamp-ms":1,"sequence-number":1}])");
  json["current-snapshot-id"] = 4;
  json["refs"]["main"] = {{"snapshot-id", 4}, {"type", "branch"}, {"max-snapshot-age-ms", 5}};
  MetadataEdit edit(*Read(json));
  edit.AppendSnapshot(NewSnapshot(8));
  EXPECT_EQ(Must(edit.Finish("g")).metadata->refs.at("main").max_snapshot_age_ms, 5);
}

TEST(MetadataEditTest, TheLogOfOlderFilesIsBounded) {
  Json json = Minimal();
  json["properties"]["write.metadata.previous-versions-max"] = "3";
  for (int i = 0; i < 10; ++i) {
    json["metadata-log"].push_back({{"timestamp-ms", i}, {"metadata-file", std::to_string(i)}});
  }
  MetadataEdit edit(*Read(json));
  const auto finished = Must(edit.Finish("g"));
  ASSERT_EQ(finished.metadata->previous.size(), 3U);
  EXPECT_EQ(finished.metadata->previous[0].location, "8");
  EXPECT_EQ(finished.metadata->previous[2].location, "file:///t/f");
}

TEST(MetadataEditTest, RemovedSnapshotsTakeWithThemWhatHangsOnThem) {
  Json json = Minimal();
  for (int i = 1; i <= 3; ++i) {
    json["snapshots"].push_back({{"snapshot-id", i}, {"timestamp-ms", i}, {"sequence-number", i}});
    json["snapshot-log"].push_back({{"timestamp-ms", i}, {"snapshot-id", i}});
    json["statistics"].push_back({{"snapshot-id", i}, {"statistics-path", "s"}});
  }
  json["current-snapshot-id"] = 3;
  MetadataEdit edit(*Read(json));
  edit.RemoveSnapshots({2});
  const Json after = Must(ParseJson(Must(edit.Finish("g")).text));
  EXPECT_EQ(after["snapshots"].size(), 2U);
  EXPECT_EQ(after["statistics"].size(), 2U);
  // History before a gap is no history.
  ASSERT_EQ(after["snapshot-log"].size(), 1U);
  EXPECT_EQ(after["snapshot-log"][0]["snapshot-id"], 3);
}

}  // namespace
}  // namespace weir::iceberg
