#include "avro/container.h"

#include <gtest/gtest.h>

#include "avro/deflate.h"

namespace weir::avro {
namespace {

constexpr std::string_view kSchema = R"({"type":"record","name":"r","fields":[)"
                                     R"({"name":"n","type":"long"},{"name":"s","type":"string"}]})";

std::string Written(Codec codec, int records) {
  ContainerWriter writer(kSchema, {{"format-version", "2"}, {"content", "data"}}, codec);
  for (int i = 0; i < records; ++i) {
    writer.record().Long(i);
    writer.record().Bytes(std::string(100, static_cast<char>('a' + i % 26)));
    writer.EndRecord();
  }
  return writer.Finish();
}

Result<std::int64_t> SumOf(std::string_view file) {
  WEIR_ASSIGN_OR_RETURN(ContainerReader reader, ContainerReader::Open(file));
  std::int64_t sum = 0;
  WEIR_TRY(reader.ForEach([&](Decoder& decoder) {
    sum += decoder.Long();
    decoder.Bytes();
    return Ok();
  }));
  return sum;
}

class ContainerTest : public testing::TestWithParam<Codec> {};

TEST_P(ContainerTest, ReadsBackManyBlocks) {
  const std::string file = Written(GetParam(), 5'000);
  const auto sum = SumOf(file);
  ASSERT_TRUE(sum) << sum.error().message;
  EXPECT_EQ(*sum, 5'000LL * 4'999 / 2);
}

TEST_P(ContainerTest, KeepsHeaderEntries) {
  const std::string file = Written(GetParam(), 0);
  const auto reader = ContainerReader::Open(file);
  ASSERT_TRUE(reader);
  ASSERT_NE(reader->Find("content"), nullptr);
  EXPECT_EQ(*reader->Find("content"), "data");
  EXPECT_EQ(reader->Find("partition-spec"), nullptr);
  EXPECT_EQ(reader->schema_json(), kSchema);
  EXPECT_EQ(reader->schema().root().members.size(), 2U);
}

TEST_P(ContainerTest, EveryCutIsNoticedOrEndsAtABlock) {
  const std::string file = Written(GetParam(), 40);
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto sum = SumOf(std::string_view(file).substr(0, size));
    if (sum) {
      EXPECT_EQ(*sum, 0) << size;  // the header alone
    } else {
      EXPECT_EQ(sum.error().kind, ErrorKind::kCorrupt);
    }
  }
}

TEST_P(ContainerTest, DamageIsAnErrorOrReadsAsManyRecords) {
  const std::string file = Written(GetParam(), 10);
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    auto reader = ContainerReader::Open(damaged);
    if (!reader) continue;
    int records = 0;
    const Status status = reader->ForEach([&](Decoder& decoder) {
      decoder.Long();
      decoder.Bytes();
      ++records;
      return Ok();
    });
    if (status.ok()) {
      EXPECT_EQ(records, 10) << at;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, ContainerTest, testing::Values(Codec::kNull, Codec::kDeflate));

TEST(ContainerSchemaTest, EachFileHasItsOwn) {
  const auto empty = [](std::string_view schema) {
    return ContainerWriter(schema, {}, Codec::kNull).Finish();
  };
  const std::string one = empty(kSchema);
  const std::string other = empty(R"({"type":"array","items":"long"})");
  for (int round = 0; round < 3; ++round) {
    const auto record = ContainerReader::Open(one);
    const auto array = ContainerReader::Open(other);
    ASSERT_TRUE(record && array);
    EXPECT_EQ(record->schema().root().members.size(), 2U);
    EXPECT_EQ(array->schema().root().item().kind, Kind::kLong);
    EXPECT_FALSE(ContainerReader::Open(empty(R"({"type":"none"})")));
  }
}

TEST(ContainerCodecTest, NamesAnUnknownCodec) {
  std::string file = Written(Codec::kDeflate, 1);
  file.replace(file.find("deflate"), 7, "lzmaxyz");
  const auto reader = ContainerReader::Open(file);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(reader.error().message.find("lzmaxyz"), std::string::npos);
}

TEST(DeflateTest, RoundTripAndBounds) {
  std::string compressed;
  const std::string text(1'000'000, 'x');
  Deflate(text, compressed);
  EXPECT_LT(compressed.size(), 10'000U);
  std::string out;
  ASSERT_TRUE(Inflate(compressed, text.size() + 1, out).ok());
  EXPECT_EQ(out, text);
  EXPECT_FALSE(Inflate(compressed, text.size() / 2, out).ok());
  EXPECT_FALSE(Inflate("not deflate at all", 1000, out).ok());
  ASSERT_TRUE(Inflate(compressed + "sum", 2 * text.size(), out).ok());  // as PyIceberg writes it
  EXPECT_EQ(out, text);
  EXPECT_FALSE(Inflate(compressed.substr(0, compressed.size() - 1), 2 * text.size(), out).ok());
  std::string empty;
  Deflate("", empty);
  ASSERT_TRUE(Inflate(empty, 10, out).ok());
  EXPECT_EQ(out, "");
}

}  // namespace
}  // namespace weir::avro
