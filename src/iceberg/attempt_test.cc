#include "iceberg/attempt.h"

#include <gtest/gtest.h>

namespace weir::iceberg {
namespace {

TEST(AttemptTest, NamesAreTheUsualOnesAndTellTheirVersion) {
  const Attempt attempt = NewAttempt(7);
  EXPECT_EQ(attempt.id.size(), 36U);
  EXPECT_EQ(MetadataName(attempt), "00007-" + attempt.id + ".metadata.json");
  EXPECT_EQ(ManifestName(attempt, 2), attempt.id + "-m2.avro");
  EXPECT_EQ(ManifestListName(attempt, 99), "snap-99-7-" + attempt.id + ".avro");
  for (const std::string& name :
       {MetadataName(attempt), ManifestName(attempt, 2), ManifestListName(attempt, 99)}) {
    EXPECT_EQ(VersionOfOwnFile("file:///lake/t/metadata/" + name), 7) << name;
  }
}

TEST(AttemptTest, TwoTriesNeverShareNames) { EXPECT_NE(NewAttempt(1).id, NewAttempt(1).id); }

TEST(AttemptTest, FilesOfOthersAreNotOurs) {
  for (const char* name :
       {"00003-1b4e28ba-2fa1-41d2-883f-0016d3cca427.metadata.json",
        "snap-123-1-1b4e28ba-2fa1-41d2-883f-0016d3cca427.avro",
        "1b4e28ba-2fa1-41d2-883f-0016d3cca427-m0.avro", "v3.metadata.json", "version-hint.text",
        "x.avro", "snap-1.avro", "", "00000000-0000-8000-8000-00000000000.parquet",
        "00000000-0000-8000-8000-000000000000.avro", "-m0.avro"}) {
    EXPECT_FALSE(VersionOfOwnFile(name)) << name;
  }
}

TEST(AttemptTest, VersionsOfMetadataFiles) {
  EXPECT_EQ(VersionOfMetadata("file:///t/metadata/00012-abc.metadata.json"), 12);
  EXPECT_EQ(VersionOfMetadata("v7.metadata.json"), 7);
  EXPECT_EQ(VersionOfMetadata("v7.gz.metadata.json"), 7);
  EXPECT_EQ(VersionOfMetadata("v7.metadata.json.gz"), 7);
  EXPECT_EQ(VersionOfMetadata("00003-a.gz.metadata.json"), 3);
  EXPECT_EQ(VersionOfMetadata("version-hint.text"), -1);
  EXPECT_EQ(VersionOfMetadata("metadata.json"), -1);
  EXPECT_EQ(VersionOfMetadata("v.metadata.json"), -1);
}

}  // namespace
}  // namespace weir::iceberg
