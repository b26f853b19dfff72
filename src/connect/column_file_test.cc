#include "connect/column_file.h"

#include <gtest/gtest.h>

namespace weir::connect {
namespace {

TEST(SettingsFrom, HasDefaultsForAnEmptyTable) {
  const FileSettings settings = SettingsFrom({});
  EXPECT_EQ(settings.compression, "zstd");
  EXPECT_EQ(settings.compression_level, 1);
  EXPECT_EQ(settings.row_group_bytes, 128LL << 20);
  EXPECT_EQ(settings.target_file_bytes, 512LL << 20);
  EXPECT_EQ(settings.default_metrics_mode, "truncate(16)");
  EXPECT_TRUE(settings.metrics_modes.empty());
}

TEST(SettingsFrom, ReadsTheTableProperties) {
  const FileSettings settings =
      SettingsFrom({{"write.parquet.compression-codec", "GZIP"},
                    {"write.parquet.compression-level", "9"},
                    {"write.parquet.row-group-size-bytes", "1048576"},
                    {"write.parquet.page-size-bytes", "65536"},
                    {"write.parquet.dict-size-bytes", "4096"},
                    {"write.target-file-size-bytes", "2097152"},
                    {"write.metadata.metrics.default", "counts"},
                    {"write.metadata.metrics.max-inferred-column-defaults", "3"},
                    {"write.metadata.metrics.column.user_id", "Full"},
                    {"write.metadata.metrics.column.props.a", "none"},
                    {"write.metadata.previous-versions-max", "7"}});
  EXPECT_EQ(settings.compression, "gzip");
  EXPECT_EQ(settings.compression_level, 9);
  EXPECT_EQ(settings.row_group_bytes, 1048576);
  EXPECT_EQ(settings.page_bytes, 65536);
  EXPECT_EQ(settings.dictionary_bytes, 4096);
  EXPECT_EQ(settings.target_file_bytes, 2097152);
  EXPECT_EQ(settings.default_metrics_mode, "counts");
  EXPECT_EQ(settings.max_default_metrics, 3);
  EXPECT_EQ(settings.metrics_modes,
            (std::map<std::string, std::string>{{"user_id", "full"}, {"props.a", "none"}}));
}

TEST(SettingsFrom, FallsBackWhereAValueMakesNoSense) {
  const FileSettings settings = SettingsFrom({{"write.parquet.compression-codec", "brotli"},
                                              {"write.parquet.compression-level", "high"},
                                              {"write.parquet.row-group-size-bytes", "-5"},
                                              {"write.target-file-size-bytes", "10 MB"}});
  EXPECT_EQ(settings.compression, "zstd");
  EXPECT_EQ(settings.compression_level, 1);
  EXPECT_EQ(settings.row_group_bytes, 128LL << 20);
  EXPECT_EQ(settings.target_file_bytes, 512LL << 20);
}

TEST(SettingsFrom, KnowsTheOtherSpellingsOfCodecs) {
  EXPECT_EQ(SettingsFrom({{"write.parquet.compression-codec", "uncompressed"}}).compression,
            "none");
  EXPECT_EQ(SettingsFrom({{"write.parquet.compression-codec", "lz4_raw"}}).compression, "lz4");
}

}  // namespace
}  // namespace weir::connect
