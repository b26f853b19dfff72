#include "iceberg/files.h"

#include <gtest/gtest.h>

namespace weir::iceberg {
namespace {

Warehouse Memory() {
  return {.store = io::NewMemoryStore(), .location = "file:///lake", .parallel = false};
}

Status Put(Files& files, std::string location, std::string bytes) {
  const NewFile file{.location = std::move(location), .bytes = std::move(bytes)};
  return files.PutNew({&file, 1});
}

TEST(FilesTest, ReachesTheWarehouseAndSaysWhatItCannotReach) {
  Files files(Memory());
  ASSERT_TRUE(Put(files, "file:///lake/t/x", "bytes").ok());
  EXPECT_EQ(*files.Get("/lake/t/x"), "bytes");
  EXPECT_TRUE(Put(files, "file:/lake/t/x", "bytes").ok());  // its own earlier try
  const Status other = Put(files, "file:/lake/t/x", "others");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().kind, ErrorKind::kConflict);
  const auto remote = files.Get("gs://bucket/x");
  ASSERT_FALSE(remote);
  EXPECT_EQ(remote.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(remote.error().code, ErrorCode::kTableUnsupported);
}

TEST(FilesTest, NeverLeavesTheFolderThatALocationNames) {
  Files files(Memory());
  for (const char* location : {"file:///lake/../etc/passwd", "/lake/t/..", "/lake/./x"}) {
    const auto place = files.Resolve(location);
    ASSERT_FALSE(place) << location;
    EXPECT_EQ(place.error().kind, ErrorKind::kCorrupt);
  }
}

TEST(FilesTest, RemembersWhatNeverChanges) {
  const auto store = std::shared_ptr<io::Store>(io::NewMemoryStore());
  Files files({.store = store, .location = "file:///lake", .parallel = true});
  ASSERT_TRUE(Put(files, "file:///lake/a.avro", "written here").ok());
  ASSERT_TRUE(store->PutIfAbsent("b.avro", "read here"));
  EXPECT_EQ(**files.GetImmutable("file:///lake/b.avro"), "read here");
  ASSERT_TRUE(store->Delete("a.avro").ok());
  ASSERT_TRUE(store->Delete("b.avro").ok());
  EXPECT_EQ(**files.GetImmutable("file:///lake/a.avro"), "written here");
  EXPECT_EQ(**files.GetImmutable("file:///lake/b.avro"), "read here");
  ASSERT_TRUE(files.Delete("file:///lake/a.avro").ok());
  EXPECT_FALSE(files.GetImmutable("file:///lake/a.avro"));
  EXPECT_FALSE(files.Get("file:///lake/b.avro"));
}

TEST(FilesTest, WhatIsRememberedIsBounded) {
  Files files(Memory());
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(Put(files, "file:///lake/" + std::to_string(i), std::string(200'000, 'x')).ok());
  }
  ASSERT_TRUE(files.warehouse().store->Delete("0").ok());
  ASSERT_TRUE(files.warehouse().store->Delete("99").ok());
  EXPECT_FALSE(files.GetImmutable("file:///lake/0"));
  EXPECT_TRUE(files.GetImmutable("file:///lake/99"));
}

TEST(FilesTest, ListsLocations) {
  Files files(Memory());
  ASSERT_TRUE(Put(files, "file:///lake/t/metadata/a", "1").ok());
  ASSERT_TRUE(Put(files, "file:///lake/t/metadata/b/c", "2").ok());
  ASSERT_TRUE(Put(files, "file:///lake/t/metadata2/d", "3").ok());
  const auto found = files.List("file:///lake/t/metadata");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0].key, "file:///lake/t/metadata/a");
  EXPECT_EQ((*found)[1].key, "file:///lake/t/metadata/b/c");
}

}  // namespace
}  // namespace weir::iceberg
