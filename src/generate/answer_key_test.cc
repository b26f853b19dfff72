#include "generate/answer_key.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generate/delivery.h"
#include "generate/ndjson_sink.h"

namespace weir::generate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

GeneratorOptions Faulty(std::uint64_t count) {
  GeneratorOptions options;
  options.seed = 20'000;
  options.count = count;
  options.start =
      DayOf(2025, 6, 2) * kMicrosPerDay + 86'100 * kMicrosPerSecond;  // crosses midnight
  options.faults = *ParseFaults("late=2%:20m,dup=5%,bad=1.5%,tombstone=0.3%");
  options.partitions = 3;
  return options;
}

AnswerKey KeyOf(const GeneratorOptions& options, std::optional<Micros> delay = std::nullopt) {
  auto generator = std::move(Generator::Make(options, 0)).value();
  AnswerKeyBuilder builder(*generator, delay);
  GeneratedEvent event;
  while (generator->Next(&event)) builder.Add(event);
  return builder.Build();
}

TEST(IdChecksum, IsTheDocumentedSum) {
  // The first 8 bytes of SHA-256 of "a" and of "b".
  IdChecksum one;
  one.Add("a");
  EXPECT_EQ(one.value(), 0xca978112ca1bbdcaU);
  IdChecksum both;
  both.Add("b");
  both.Add("a");
  EXPECT_EQ(both.value(), 0xca978112ca1bbdcaU + 0x3e23e8160039594aU);
}

TEST(AnswerKey, GoldGoesThroughJsonAndOneRowShows) {
  const AnswerKey key = KeyOf(Faulty(5'000), 600 * kMicrosPerSecond);
  ASSERT_EQ(key.event_time->gold.size(), 5U);
  EXPECT_GT(key.event_time->gold.at("sessions").rows, 500);
  auto read = AnswerKey::FromJson(key.ToJson());
  ASSERT_TRUE(read) << read.error().ToString();
  EXPECT_EQ(*read, key);
  ++read->event_time->gold["funnel"].sums["sessions"];
  EXPECT_THAT(Differences(key, *read), ElementsAre(HasSubstr("funnel.sessions: expected")));
  read->event_time->gold.erase("funnel");  // a pipeline without such a table
  EXPECT_THAT(Differences(key, *read), testing::IsEmpty());
}

TEST(AnswerKey, FiguresAddUp) {
  const AnswerKey key = KeyOf(Faulty(20'000));
  EXPECT_EQ(key.records, 20'000);
  EXPECT_EQ(key.valid.rows + key.quarantine.rows + key.planted.tombstone, key.records);
  EXPECT_EQ(key.valid.rows - key.valid.unique_rows, key.planted.duplicate);
  EXPECT_EQ(key.quarantine.rows, key.planted.bad);
  EXPECT_EQ(key.valid.event_types.size(), kEventTypeCount);
  EXPECT_EQ(key.valid.days.size(), 2U);
  EXPECT_GT(key.planted.late, 0);
  PartitionTotals sum;
  for (const auto& [partition, totals] : key.partitions) {
    EXPECT_EQ(totals.read, totals.good + totals.quarantined + totals.tombstone);
    sum.read += totals.read;
    sum.good += totals.good;
  }
  EXPECT_EQ(key.partitions.size(), 3U);
  EXPECT_EQ(sum.read, key.records);
  EXPECT_EQ(sum.good, key.valid.rows);
}

TEST(AnswerKey, ByEventTimeEachValidEventIsInSilverOrLateOrACopy) {
  const AnswerKey key = KeyOf(Faulty(20'000), 600 * kMicrosPerSecond);
  ASSERT_TRUE(key.event_time);
  EXPECT_EQ(key.event_time->late.rows, key.planted.late);
  EXPECT_EQ(key.event_time->duplicate, key.planted.duplicate);
  EXPECT_EQ(key.event_time->silver.rows, key.event_time->silver.unique_rows);
  EXPECT_EQ(key.event_time->silver.rows, key.valid.unique_rows - key.planted.late);
  EXPECT_EQ(key.event_time->silver.id_checksum + key.event_time->late.id_checksum,
            key.valid.unique_id_checksum);
  for (const auto& [partition, ledger] : key.event_time->partitions) {
    EXPECT_EQ(ledger.read,
              ledger.good + ledger.duplicate + ledger.late + ledger.quarantined + ledger.tombstone);
    EXPECT_EQ(ledger.read, key.partitions.at(partition).read);
  }
}

TEST(AnswerKey, APatientWatermarkHasNothingLate) {
  const AnswerKey key = KeyOf(Faulty(20'000), 1'201 * kMicrosPerSecond + 5 * kMicrosPerSecond);
  EXPECT_EQ(key.event_time->late.rows, 0);
  EXPECT_EQ(key.event_time->silver.rows, key.valid.unique_rows);
}

TEST(AnswerKey, JsonReadsBackEqual) {
  for (const std::optional<Micros> delay : {std::optional<Micros>(), std::optional<Micros>(1)}) {
    const AnswerKey key = KeyOf(Faulty(2'000), delay);
    const Result<AnswerKey> read = AnswerKey::FromJson(key.ToJson());
    ASSERT_TRUE(read) << read.error().ToString();
    EXPECT_EQ(*read, key);
    EXPECT_EQ(read->ToJson(), key.ToJson());
  }
}

TEST(AnswerKey, RefusesWhatIsNoKey) {
  const std::string good = KeyOf(Faulty(10)).ToJson();
  std::string other_version = good;
  other_version.replace(other_version.find("key/1"), 5, "key/2");
  std::string bad_sum = good;
  bad_sum.replace(bad_sum.find("price_sum\": \"") + 13, 1, "x");
  for (const std::string& text :
       {std::string(), std::string("{}"), good.substr(0, 300), other_version, bad_sum}) {
    const Result<AnswerKey> read = AnswerKey::FromJson(text);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt);
    EXPECT_THAT(read.error().message, HasSubstr("no answer key"));
  }
}

TEST(AnswerKey, DifferencesNameEachFigure) {
  const AnswerKey expected = KeyOf(Faulty(1'000));
  EXPECT_THAT(Differences(expected, expected), ElementsAre());
  AnswerKey found = expected;
  found.valid.rows -= 1;
  found.valid.price_cents += 5;
  found.quarantine.reasons["blank"] += 1;
  found.partitions.erase(2);
  const std::vector<std::string> lines = Differences(expected, found);
  EXPECT_THAT(lines[0], ::testing::StartsWith("valid.rows: expected "));
  EXPECT_THAT(lines[1], ::testing::StartsWith("valid.price_sum: expected "));
  EXPECT_THAT(lines[2], ::testing::StartsWith("quarantine.reasons.blank: expected "));
  EXPECT_THAT(lines[3], ::testing::StartsWith("partitions.2.read: expected "));
}

// What the Python checker, which shares nothing with this program, says of key and events.
class Oracle : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("weir-oracle-{}-{}", ::getpid(),
                          ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const GeneratorOptions& options, LineForm form,
             std::optional<Micros> delay = std::nullopt) {
    auto generator = std::move(Generator::Make(options, 0)).value();
    AnswerKeyBuilder builder(*generator, delay);
    std::ofstream out(folder_ / "events.ndjson", std::ios::binary);
    NdjsonSink sink(out, "events.ndjson", form);
    const auto done =
        Deliver(*generator, sink, {.keep_times = true, .key = &builder}, SystemClock());
    ASSERT_TRUE(done) << done.error().ToString();
    std::ofstream(folder_ / "key.json") << builder.Build().ToJson();
  }

  // Replaces the first `from` after a place in a file by as many bytes.
  void Alter(const char* file, std::string_view from, std::string_view to, std::size_t after = 0) {
    std::fstream stream(folder_ / file, std::ios::in | std::ios::out | std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    const std::size_t at = text.find(from, after);
    ASSERT_NE(at, std::string::npos);
    stream.clear();
    stream.seekp(static_cast<std::streamoff>(at));
    stream << to;
  }

  // Exit code 0 and the text, or another code.
  std::pair<int, std::string> Check(std::string_view options) {
    const std::filesystem::path checker =
        std::filesystem::path(__FILE__).parent_path() / "../../tests/oracle/check_key.py";
    const std::string command =
        fmt::format("python3 '{0}' --key '{1}/key.json' {2} '{1}/events.ndjson' 2>&1",
                    checker.string(), folder_.string(), options);
    FILE* pipe = ::popen(command.c_str(), "r");
    EXPECT_NE(pipe, nullptr);
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
    return {::pclose(pipe), text};
  }

  std::filesystem::path folder_;
};

TEST_F(Oracle, AgreesOnTwentyThousandRecordsWithFaults) {
  Write(Faulty(20'000), LineForm::kEnvelope);
  const auto [code, text] = Check("--envelope");
  EXPECT_EQ(code, 0) << text;
  EXPECT_THAT(text, HasSubstr("20000 records"));
}

TEST_F(Oracle, AgreesOnEventTime) {
  for (const Micros delay : {0, 1, 1'200, 600'000}) {
    Write(Faulty(5'000), LineForm::kEnvelope, delay * kMicrosPerMilli);
    const auto [code, text] = Check("--envelope");
    EXPECT_EQ(code, 0) << delay << ": " << text;
  }
}

TEST_F(Oracle, AgreesOnPlainLinesAndOnTheOtherShape) {
  GeneratorOptions options = Faulty(3'000);
  options.faults = *ParseFaults("late=2%:20m,dup=5%,bad=10%");
  Write(options, LineForm::kValue);
  auto [code, text] = Check("");
  EXPECT_EQ(code, 0) << text;
  options.shape = "events";
  Write(options, LineForm::kEnvelope);
  std::tie(code, text) = Check("--envelope");
  EXPECT_EQ(code, 0) << text;
}

TEST_F(Oracle, OneAlteredRowIsFound) {
  Write(Faulty(2'000), LineForm::kEnvelope);
  Alter("events.ndjson", R"(\"quantity\":1,)", R"(\"quantity\":2,)", 100'000);
  const auto [code, text] = Check("--envelope");
  EXPECT_NE(code, 0);
  EXPECT_THAT(text, HasSubstr("tables.valid.quantity_sum: the key says"));
}

TEST_F(Oracle, OneAlteredEventIdIsFound) {
  Write(Faulty(2'000), LineForm::kEnvelope);
  Alter("events.ndjson", R"(\"event_id\":\")", R"(\"event_id\":\"zz)", 100'000);
  const auto [code, text] = Check("--envelope");
  EXPECT_NE(code, 0);
  EXPECT_THAT(text, HasSubstr("tables.valid.event_id_checksum: the key says"));
}

TEST_F(Oracle, OneAlteredFigureIsFound) {
  Write(Faulty(2'000), LineForm::kEnvelope);
  Alter("key.json", "\"blank\": ", "\"blank\":9");
  const auto [code, text] = Check("--envelope");
  EXPECT_NE(code, 0);
  EXPECT_THAT(text, HasSubstr("tables.quarantine.reasons.blank: the key says 9"));
}

}  // namespace
}  // namespace weir::generate
