#include "iceberg/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "avro/container.h"
#include "iceberg/append.h"
#include "iceberg/manifest_list.h"
#include "iceberg/manifest_reader.h"
#include "iceberg/manifest_schema.h"
#include "iceberg/manifest_writer.h"
#include "iceberg/test_table.h"

namespace weir::iceberg {
namespace {

using test::TestTable;

class ManifestTest : public testing::Test {
 protected:
  ManifestTest()
      : metadata_(table_.Current()),
        spec_(*metadata_->FindSpec(0)),
        type_(Must(PartitionTypeOf(*metadata_, spec_))) {}

  WrittenManifest Written(const std::vector<ManifestEntry>& entries) {
    ManifestWriter writer(*metadata_, spec_, type_);
    for (const ManifestEntry& entry : entries) writer.Add(entry);
    return writer.Finish(42, 7);
  }

  TestTable table_;
  MetadataPtr metadata_;
  connect::PartitionSpec spec_;
  PartitionType type_;
};

ManifestEntry FullEntry() {
  ManifestEntry entry = EntryOf(TestTable::File("a", 10, 3), "file:///lake/retail/events");
  entry.status = EntryStatus::kExisting;
  entry.snapshot_id = 5;
  entry.sequence = 2;
  entry.file_sequence = 1;
  entry.nan_counts = LongById{{4, 9}};
  entry.key_metadata = std::string("\0k", 2);
  entry.equality_ids = std::vector<int>{1, 3};
  return entry;
}

void ExpectEqual(const ManifestEntry& a, const ManifestEntry& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.snapshot_id, b.snapshot_id);
  EXPECT_EQ(a.sequence, b.sequence);
  EXPECT_EQ(a.file_sequence, b.file_sequence);
  EXPECT_EQ(a.path, b.path);
  EXPECT_EQ(a.format, b.format);
  EXPECT_EQ(a.partition, b.partition);
  EXPECT_EQ(a.record_count, b.record_count);
  EXPECT_EQ(a.file_bytes, b.file_bytes);
  EXPECT_EQ(a.column_sizes, b.column_sizes);
  EXPECT_EQ(a.value_counts, b.value_counts);
  EXPECT_EQ(a.null_counts, b.null_counts);
  EXPECT_EQ(a.nan_counts, b.nan_counts);
  EXPECT_EQ(a.lower_bounds, b.lower_bounds);
  EXPECT_EQ(a.upper_bounds, b.upper_bounds);
  EXPECT_EQ(a.key_metadata, b.key_metadata);
  EXPECT_EQ(a.split_offsets, b.split_offsets);
  EXPECT_EQ(a.equality_ids, b.equality_ids);
  EXPECT_EQ(a.sort_order_id, b.sort_order_id);
}

TEST_F(ManifestTest, EntriesComeBackAsTheyWere) {
  ManifestEntry bare;
  bare.status = EntryStatus::kDeleted;
  bare.snapshot_id = 6;
  bare.sequence = 3;
  bare.file_sequence = 3;
  bare.path = "s3a://elsewhere/x.parquet";
  bare.format = "parquet";
  bare.partition = {{}};
  const WrittenManifest written = Written({FullEntry(), bare});
  const ReadManifest read = Must(ReadManifestFile(written.bytes, written.file, type_));
  EXPECT_FALSE(read.has_unknown_fields);
  ASSERT_EQ(read.entries.size(), 2U);
  ExpectEqual(read.entries[0], FullEntry());
  ExpectEqual(read.entries[1], bare);  // what was absent is absent again
}

TEST_F(ManifestTest, AddedEntriesInheritFromTheirManifest) {
  ManifestEntry added = EntryOf(TestTable::File("a"), "file:///lake/retail/events");
  const WrittenManifest written = Written({added});
  EXPECT_EQ(written.file.min_sequence, 7);
  const ReadManifest read = Must(ReadManifestFile(written.bytes, written.file, type_));
  ASSERT_EQ(read.entries.size(), 1U);
  EXPECT_EQ(read.entries[0].snapshot_id, 42);
  EXPECT_EQ(read.entries[0].sequence, 7);
  EXPECT_EQ(read.entries[0].file_sequence, 7);
}

TEST_F(ManifestTest, DescribesItself) {
  ManifestEntry added = EntryOf(TestTable::File("b", 4, -2), "file:///lake/retail/events");
  const WrittenManifest written = Written({FullEntry(), added});
  const ManifestFile& file = written.file;
  EXPECT_EQ(file.length, static_cast<std::int64_t>(written.bytes.size()));
  EXPECT_EQ(file.added_files, 1);
  EXPECT_EQ(file.existing_files, 1);
  EXPECT_EQ(file.deleted_files, 0);
  EXPECT_EQ(file.added_rows, 4);
  EXPECT_EQ(file.existing_rows, 10);
  EXPECT_EQ(file.min_sequence, 2);
  EXPECT_EQ(file.sequence, 7);
  EXPECT_EQ(file.added_snapshot_id, 42);
  ASSERT_TRUE(file.partitions);
  ASSERT_EQ(file.partitions->size(), 1U);
}

TEST_F(ManifestTest, HeaderHasWhatReadersAskFor) {
  const WrittenManifest written = Written({FullEntry()});
  const auto reader = avro::ContainerReader::Open(written.bytes);
  ASSERT_TRUE(reader);
  EXPECT_EQ(*reader->Find("schema-id"), "0");
  EXPECT_EQ(*reader->Find("partition-spec-id"), "0");
  EXPECT_EQ(*reader->Find("format-version"), "2");
  EXPECT_EQ(*reader->Find("content"), "data");
  EXPECT_EQ(*reader->Find("partition-spec"),
            R"([{"name":"event_time_day","transform":"day","source-id":2,"field-id":1000}])");
  const Json schema = Must(ParseJson(*reader->Find("schema")));
  EXPECT_EQ(schema["type"], "struct");
  EXPECT_EQ(schema["fields"].size(), 3U);
  EXPECT_EQ(reader->schema().root().name, "manifest_entry");
}

// Another writer: other order, no optionals, plain numbers, and fields that we do not know.
TEST_F(ManifestTest, ReadsOtherWritersFiles) {
  const char* schema = R"({"type":"record","name":"anything","fields":[
    {"name":"df","field-id":2,"type":{"type":"record","name":"f","fields":[
      {"name":"bytes","field-id":104,"type":"int"},
      {"name":"lineage","field-id":142,"type":["null","long"]},
      {"name":"bounds","field-id":125,"type":{"type":"array","logicalType":"map","items":
        {"type":"record","name":"kv","fields":[{"name":"value","field-id":127,"type":"bytes"},
                                               {"name":"key","field-id":126,"type":"int"}]}}},
      {"name":"path","field-id":100,"type":"string"},
      {"name":"p","field-id":102,"type":{"type":"record","name":"pp","fields":[
        {"name":"gone","field-id":999,"type":"string"},
        {"name":"d","field-id":1000,"type":"int"}]}},
      {"name":"n","field-id":103,"type":"long"},
      {"name":"strange","field-id":7777,"type":{"type":"map","values":"string"}}]}},
    {"name":"st","field-id":0,"type":"int"}]})";
  avro::ContainerWriter writer(schema, {}, avro::Codec::kNull);
  avro::Encoder& out = writer.record();
  out.Int(123);
  out.Null();
  out.BeginItems(1);
  out.Bytes("low");
  out.Int(2);
  out.EndItems();
  out.Bytes("file:/x.parquet");
  out.Bytes("gone");
  out.Int(20'000);
  out.Long(11);
  out.BeginItems(0);
  out.EndItems();
  out.Int(1);
  writer.EndRecord();
  ManifestFile file;
  file.sequence = 9;
  const ReadManifest read = Must(ReadManifestFile(writer.Finish(), file, type_));
  ASSERT_EQ(read.entries.size(), 1U);
  const ManifestEntry& entry = read.entries[0];
  EXPECT_EQ(entry.status, EntryStatus::kAdded);
  EXPECT_EQ(entry.path, "file:/x.parquet");
  EXPECT_EQ(entry.file_bytes, 123);
  EXPECT_EQ(entry.record_count, 11);
  ASSERT_EQ(entry.partition.size(), 1U);
  EXPECT_EQ(entry.partition[0].number, 20'000);
  EXPECT_EQ(entry.lower_bounds, (BytesById{{2, "low"}}));
  EXPECT_FALSE(entry.value_counts);
  EXPECT_EQ(entry.sequence, 9);
  EXPECT_TRUE(read.has_unknown_fields);
}

TEST_F(ManifestTest, DamageIsCorruptAndNamesTheFile) {
  WrittenManifest written = Written({FullEntry()});
  written.file.path = "file:///lake/m.avro";
  for (std::size_t cut :
       {std::size_t{0}, std::size_t{3}, written.bytes.size() / 2, written.bytes.size() - 1}) {
    const auto read = ReadManifestFile(written.bytes.substr(0, cut), written.file, type_);
    ASSERT_FALSE(read) << cut;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt);
    EXPECT_EQ(read.error().code, ErrorCode::kMetadataCorrupt);
    EXPECT_NE(read.error().message.find("m.avro"), std::string::npos);
  }
}

TEST(ManifestListTest, EntriesComeBack) {
  ManifestFile file;
  file.path = "file:///lake/m0.avro";
  file.length = 100;
  file.spec_id = 3;
  file.content = ManifestContent::kDeletes;
  file.sequence = 9;
  file.min_sequence = 4;
  file.added_snapshot_id = 77;
  file.added_files = 1;
  file.existing_files = 2;
  file.deleted_files = 3;
  file.added_rows = 10;
  file.existing_rows = 20;
  file.deleted_rows = 30;
  file.partitions = {{.contains_null = true, .contains_nan = false, .lower = "a", .upper = {}}};
  file.key_metadata = "key";
  const std::string bytes =
      WriteManifestList({.snapshot_id = 77, .parent_id = {}, .sequence = 9}, {file, file});
  const auto read = Must(ReadManifestList(bytes, "list"));
  ASSERT_EQ(read.size(), 2U);
  const ManifestFile& back = read[1];
  EXPECT_EQ(back.path, file.path);
  EXPECT_EQ(back.length, 100);
  EXPECT_EQ(back.spec_id, 3);
  EXPECT_EQ(back.content, ManifestContent::kDeletes);
  EXPECT_EQ(back.sequence, 9);
  EXPECT_EQ(back.min_sequence, 4);
  EXPECT_EQ(back.added_snapshot_id, 77);
  EXPECT_EQ(back.added_files, 1);
  EXPECT_EQ(back.deleted_rows, 30);
  ASSERT_TRUE(back.partitions);
  EXPECT_TRUE((*back.partitions)[0].contains_null);
  EXPECT_EQ((*back.partitions)[0].contains_nan, false);
  EXPECT_EQ((*back.partitions)[0].lower, "a");
  EXPECT_FALSE((*back.partitions)[0].upper);
  EXPECT_EQ(back.key_metadata, "key");

  const auto reader = avro::ContainerReader::Open(bytes);
  ASSERT_TRUE(reader);
  EXPECT_EQ(*reader->Find("snapshot-id"), "77");
  EXPECT_EQ(*reader->Find("parent-snapshot-id"), "null");
  EXPECT_EQ(*reader->Find("sequence-number"), "9");
  EXPECT_EQ(*reader->Find("format-version"), "2");
  EXPECT_EQ(reader->schema().root().name, "manifest_file");
}

// What is not known must not read as zero: readers skip manifests without live files.
TEST(ManifestListTest, ListsOfFormatVersion1LackCounts) {
  const char* schema = R"({"type":"record","name":"manifest_file","fields":[
    {"name":"manifest_path","field-id":500,"type":"string"},
    {"name":"manifest_length","field-id":501,"type":"long"},
    {"name":"partition_spec_id","field-id":502,"type":"int"},
    {"name":"added_snapshot_id","field-id":503,"type":["null","long"]},
    {"name":"added_data_files_count","field-id":504,"type":["null","int"]}]})";
  avro::ContainerWriter writer(schema, {}, avro::Codec::kDeflate);
  writer.record().Bytes("m.avro");
  writer.record().Long(5);
  writer.record().Int(0);
  writer.record().Present();
  writer.record().Long(3);
  writer.record().Null();
  writer.EndRecord();
  const auto read = Must(ReadManifestList(writer.Finish(), "list"));
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].content, ManifestContent::kData);
  EXPECT_FALSE(read[0].added_files);
  EXPECT_TRUE(read[0].may_have_live_files());
  EXPECT_EQ(read[0].sequence, 0);
  EXPECT_FALSE(read[0].partitions);
}

TEST(DataFileEntryTest, PathsAreRelativeToTheTable) {
  connect::DataFile file = TestTable::File("a");
  const std::string table = "file:///lake/t";
  EXPECT_EQ(EntryOf(file, table).path, "file:///lake/t/data/a.parquet");
  file.path = "/mnt/other/a.parquet";
  EXPECT_EQ(EntryOf(file, table).path, "file:///mnt/other/a.parquet");
  file.path = "s3://b/a.parquet";
  EXPECT_EQ(EntryOf(file, table).path, "s3://b/a.parquet");
  ManifestEntry entry = EntryOf(TestTable::File("a"), table);
  entry.path = "file:/lake/t/data/a.parquet";
  EXPECT_EQ(DataFileOf(entry, 0, table).path, "data/a.parquet");
}

TEST(DataFileEntryTest, MetricsComeBack) {
  const connect::DataFile file = TestTable::File("a");
  const connect::DataFile back = DataFileOf(EntryOf(file, "/t"), file.spec_id, "/t");
  ASSERT_EQ(back.columns.size(), file.columns.size());
  EXPECT_EQ(back.columns.at(1).lower, "a");
  EXPECT_EQ(back.columns.at(3).null_count, 10);
  EXPECT_FALSE(back.columns.at(3).upper);
  EXPECT_EQ(back.partition, file.partition);
  EXPECT_EQ(back.split_offsets, file.split_offsets);
}

}  // namespace
}  // namespace weir::iceberg
