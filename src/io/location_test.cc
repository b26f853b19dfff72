#include "io/location.h"

#include <gtest/gtest.h>

#include "base/scratch_folder.h"

namespace weir::io {
namespace {

TEST(Location, LocalPathsInEverySpelling) {
  for (const char* text :
       {"file:///a/b", "file:/a/b", "/a/b", "/a/b/", "file://localhost/a/b", "file:////a//b"}) {
    EXPECT_EQ(LocalPath(text), "/a/b") << text;
  }
  EXPECT_FALSE(LocalPath("s3://bucket/a"));
  EXPECT_FALSE(LocalPath("a/b"));
  EXPECT_FALSE(LocalPath("file:a"));
  EXPECT_EQ(FileLocation("/a/b"), "file:///a/b");
}

TEST(Location, BelowIgnoresSpelling) {
  EXPECT_EQ(Below("file:///lake", "file:/lake/t/x"), "t/x");
  EXPECT_EQ(Below("/lake/", "file:///lake/t"), "t");
  EXPECT_EQ(Below("s3://b/lake", "s3://b/lake/t"), "t");
  EXPECT_EQ(Below("s3://b/lake/", "s3a://b/lake/t"), "t");
  EXPECT_EQ(Below("s3n://b", "s3://b/t"), "t");
  EXPECT_FALSE(Below("/lake", "/lakes/t"));
  EXPECT_FALSE(Below("/lake", "/lake"));
  EXPECT_FALSE(Below("/lake", "s3://lake/t"));
  EXPECT_FALSE(Below("s3://b", "s3://bb/t"));
}

TEST(Location, AnObjectStoresPlaceHasABucketAndAKey) {
  const auto place = ParseS3Location("s3a://acme-lake/a b/c%20d+é/");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->bucket, "acme-lake");
  EXPECT_EQ(place->key, "a b/c%20d+é");
  for (const char* text : {"s3://b", "s3://b/"}) {
    ASSERT_TRUE(ParseS3Location(text)) << text;
    EXPECT_EQ(ParseS3Location(text)->key, "");
  }
  for (const char* text : {"s3://", "s3:///a", "s3://b/../a", "s3://b//a", "s3://.b/a",
                           "s3://user@b/a", "gs://b/a", "/b"}) {
    ASSERT_FALSE(ParseS3Location(text)) << text;
    EXPECT_EQ(ParseS3Location(text).error().kind, ErrorKind::kInvalidInput);
  }
}

TEST(Location, IsWrittenInOneSpelling) {
  EXPECT_EQ(WrittenLocation("/a/b/"), "file:///a/b");
  EXPECT_EQ(WrittenLocation("file:/a"), "file:///a");
  EXPECT_EQ(WrittenLocation("s3a://b/a/"), "s3://b/a");
  EXPECT_EQ(PlainLocation("file:///a"), "/a");
  EXPECT_EQ(PlainLocation("gs://b/a/"), "gs://b/a");
}

TEST(OpenLocation, OpensAFolderInEverySpelling) {
  const ScratchFolder folder;
  const auto one = OpenLocation(FileLocation(folder / "x"), {}, FolderAccess::kShared);
  ASSERT_TRUE(one);
  ASSERT_TRUE((*one)->PutIfAbsent("k", "v"));
  const auto same = OpenLocation(folder / "x", {}, FolderAccess::kShared);
  ASSERT_TRUE(same);
  EXPECT_EQ(*(*same)->Get("k"), "v");
}

TEST(OpenLocation, SaysWhatItCannotOpen) {
  const auto other = OpenLocation("gs://bucket/x", {}, FolderAccess::kShared);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(other.error().code, ErrorCode::kTableUnsupported);
  const auto wrong = OpenLocation("s3://", {}, FolderAccess::kShared);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::kInvalidInput);
}

}  // namespace
}  // namespace weir::io
