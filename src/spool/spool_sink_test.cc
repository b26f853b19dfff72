#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scratch_folder.h"
#include "db/connection.h"
#include "db/transaction.h"
#include "spool/partitioner.h"
#include "spool/spool.h"

namespace weir::spool {
namespace {

using testing::ElementsAre;

class SpoolSinkTest : public testing::Test {
 protected:
  std::unique_ptr<connect::LogSink> Sink(int partitions = 1) {
    auto sink = OpenSpoolSink(folder_, "events",
                              {TopicSettings{.partitions = partitions, .retention = {}}});
    EXPECT_TRUE(sink) << sink.error().ToString();
    return std::move(*sink);
  }

  static connect::OutgoingRecord Keyed(std::string_view key, std::string_view value) {
    return {.partition = {}, .key = key, .value = value, .timestamp_ms = 1, .headers = {}};
  }
  static connect::OutgoingRecord Plain(std::string_view value) {
    return {.partition = {}, .key = {}, .value = value, .timestamp_ms = 1, .headers = {}};
  }

  // Every value in the log, by partition in offset order; checks that offsets have no holes.
  std::map<int, std::vector<std::string>> ReadAll() {
    std::map<int, std::vector<std::string>> values;
    const auto source = NewSpoolSource(folder_, "events");
    const auto info = source->Describe();
    EXPECT_TRUE(info);
    OffsetMap start;
    for (const auto& [partition, bounds] : info->partitions) start[partition] = bounds.begin;
    EXPECT_TRUE(source->Assign(start));
    while (true) {
      const auto batch = source->Poll(0, 10'000);
      EXPECT_TRUE(batch) << batch.error().ToString();
      if (!batch || batch->empty()) break;
      for (const LogRecord& record : batch->records) {
        auto& list = values[record.partition.value()];
        EXPECT_EQ(record.offset.value(), static_cast<std::int64_t>(list.size()));
        list.emplace_back(record.value.value_or("null"));
      }
    }
    return values;
  }

  ScratchFolder scratch_;
  std::string folder_ = scratch_ / "log";
};

TEST_F(SpoolSinkTest, RecordsAreInTheLogWhenFlushReturns) {
  const auto sink = Sink();
  ASSERT_TRUE(sink->Produce(Plain("one")));
  EXPECT_TRUE(ReadAll().empty());
  ASSERT_TRUE(sink->Flush());
  EXPECT_THAT(ReadAll()[0], ElementsAre("one"));
  ASSERT_TRUE(sink->Flush());
  ASSERT_TRUE(sink->Produce(Plain("two")) && sink->Flush());
  EXPECT_THAT(ReadAll()[0], ElementsAre("one", "two"));
}

TEST_F(SpoolSinkTest, DestructionAppendsWhatIsWaiting) {
  { ASSERT_TRUE(Sink()->Produce(Plain("one"))); }
  EXPECT_THAT(ReadAll()[0], ElementsAre("one"));
}

TEST_F(SpoolSinkTest, ViewsMayDieAfterProduce) {
  const auto sink = Sink();
  {
    std::string text = "some text";
    ASSERT_TRUE(sink->Produce(Plain(text)));
    text.assign("overwritten");
  }
  ASSERT_TRUE(sink->Flush());
  EXPECT_THAT(ReadAll()[0], ElementsAre("some text"));
}

TEST_F(SpoolSinkTest, PartitionsAreChosenByKeyNumberOrTurn) {
  const auto sink = Sink(3);
  for (int i = 0; i < 30; ++i) {
    const std::string key = "user-" + std::to_string(i);
    ASSERT_TRUE(sink->Produce(Keyed(key, key)));
  }
  ASSERT_TRUE(sink->Flush());
  std::size_t total = 0;
  for (const auto& [partition, values] : ReadAll()) {
    for (const std::string& key : values) EXPECT_EQ(PartitionOf(key, 3), Partition(partition));
    total += values.size();
  }
  EXPECT_EQ(total, 30U);
}

TEST_F(SpoolSinkTest, RecordsWithoutAKeyTakeTurns) {
  const auto sink = Sink(3);
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(sink->Produce(Plain(std::to_string(i))));
  ASSERT_TRUE(sink->Flush());
  const auto values = ReadAll();
  EXPECT_THAT(values.at(0), ElementsAre("0", "3", "6"));
  EXPECT_THAT(values.at(1), ElementsAre("1", "4"));
  EXPECT_THAT(values.at(2), ElementsAre("2", "5"));
}

TEST_F(SpoolSinkTest, AWrongPartitionTimeOrSizeIsRefusedAlone) {
  const auto sink = Sink(2);
  connect::OutgoingRecord record = Plain("x");
  for (const int partition : {-1, 2}) {
    record.partition = Partition(partition);
    EXPECT_EQ(sink->Produce(record).error().kind, ErrorKind::kInvalidInput);
  }
  record.partition = Partition(1);
  record.timestamp_ms = -2;
  EXPECT_EQ(sink->Produce(record).error().kind, ErrorKind::kInvalidInput);
  const std::string huge((64 << 20) + 1, 'x');
  EXPECT_EQ(sink->Produce(Plain(huge)).error().kind, ErrorKind::kInvalidInput);
  record.timestamp_ms = 0;
  ASSERT_TRUE(sink->Produce(record) && sink->Flush());
  EXPECT_THAT(ReadAll()[1], ElementsAre("x"));
}

TEST_F(SpoolSinkTest, AMissingTopicIsAnErrorUnlessItMayBeMade) {
  const auto no_log = OpenSpoolSink(folder_, "events", {std::nullopt});
  EXPECT_EQ(no_log.error().kind, ErrorKind::kUnavailable);
  ASSERT_TRUE(Spool::Create(folder_));
  const auto no_topic = OpenSpoolSink(folder_, "events", {std::nullopt});
  EXPECT_EQ(no_topic.error().code, ErrorCode::kTopicMissing);
  Sink();
  EXPECT_TRUE(OpenSpoolSink(folder_, "events", {std::nullopt}));
}

TEST_F(SpoolSinkTest, AnExistingTopicKeepsItsPartitions) {
  Sink(3);
  Sink(7);
  EXPECT_EQ((*Spool::Open(folder_))->Describe("events")->partitions.size(), 3U);
}

TEST_F(SpoolSinkTest, ATopicMadeAgainIsNotWrittenTo) {
  const auto sink = Sink();
  const auto spool = *Spool::Open(folder_);
  ASSERT_TRUE(sink->Produce(Plain("one")));
  ASSERT_TRUE(spool->DeleteTopic("events"));
  EXPECT_EQ(sink->Flush().error().code, ErrorCode::kTopicMissing);
  ASSERT_TRUE(spool->CreateTopic("events", {}));
  EXPECT_EQ(sink->Flush().error().code, ErrorCode::kTopicReplaced);
  EXPECT_TRUE(ReadAll().empty());
}

TEST_F(SpoolSinkTest, ARefusedAppendCanBeRepeated) {
  const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const auto sink = Sink();
    const std::string value(1'000, 'x');
    for (int i = 0; i < 1'000; ++i) {
      if (!sink->Produce(Plain(value))) _exit(1);
    }
    const rlimit limit{200'000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    const Status failed = sink->Flush();
    if (failed.ok() || failed.error().code != ErrorCode::kStorageFull) _exit(2);
    setrlimit(RLIMIT_FSIZE, &none);
    _exit(sink->Flush().ok() ? 0 : 3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(ReadAll()[0].size(), 1'000U);
}

TEST_F(SpoolSinkTest, SeveralProcessesAppendAtOnce) {
  constexpr int kProcesses = 4;
  constexpr int kRecords = 3'000;
  Sink(2);
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      const auto sink = Sink();
      for (int i = 0; i < kRecords; ++i) {
        const std::string text = std::to_string(p) + ":" + std::to_string(i);
        const std::string key = std::to_string(p);
        if (!sink->Produce(Keyed(key, text))) _exit(1);
        if (i % 97 == 0 && !sink->Flush()) _exit(2);
      }
      _exit(sink->Flush().ok() ? 0 : 3);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  std::map<std::string, int> next;
  for (const auto& [partition, values] : ReadAll()) {
    for (const std::string& value : values) {
      const std::string process = value.substr(0, value.find(':'));
      EXPECT_EQ(value, process + ":" + std::to_string(next[process]++));
    }
  }
  ASSERT_EQ(next.size(), static_cast<std::size_t>(kProcesses));
  for (const auto& [process, count] : next) EXPECT_EQ(count, kRecords);
}

// A child appends "0", "1", ... and says after each flush how far it is; it is killed at some
// moment.
TEST_F(SpoolSinkTest, AKilledWriterLosesNothingThatWasConfirmed) {
  int confirmed_before = 0;
  for (int round = 0; round < 8; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(pipe_ends[0]);
      const auto sink = Sink();
      for (int i = confirmed_before;; ++i) {
        if (!sink->Produce(Plain(std::to_string(i) + std::string(2'000, ' ')))) _exit(1);
        if (i % 7 != 0) continue;
        if (!sink->Flush()) _exit(2);
        const int confirmed = i + 1;
        if (write(pipe_ends[1], &confirmed, sizeof confirmed) != sizeof confirmed) _exit(3);
      }
    }
    close(pipe_ends[1]);
    int confirmed = 0;
    for (int reports = 0; reports < 10 + round; ++reports) {
      ASSERT_EQ(read(pipe_ends[0], &confirmed, sizeof confirmed),
                static_cast<ssize_t>(sizeof confirmed));
    }
    kill(child, SIGKILL);
    while (read(pipe_ends[0], &confirmed, sizeof confirmed) == sizeof confirmed) continue;
    close(pipe_ends[0]);
    waitpid(child, nullptr, 0);

    const std::vector<std::string> values = ReadAll()[0];
    ASSERT_GE(values.size(), static_cast<std::size_t>(confirmed));
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i].substr(0, values[i].find(' ')), std::to_string(i));
    }
    EXPECT_TRUE((*Spool::Open(folder_))->Check("events"));
    confirmed_before = static_cast<int>(values.size());
  }
}

TEST_F(SpoolSinkTest, AnAppendThatIsNotCommittedShowsNowhere) {
  const auto sink = Sink();
  ASSERT_TRUE(sink->Produce(Plain("one")));
  const auto blocker = *db::Connection::Open(folder_ + "/weir-log.db");
  {
    auto transaction = db::Transaction::Begin(*blocker);
    ASSERT_TRUE(transaction);
    EXPECT_TRUE(ReadAll().empty());
  }
  ASSERT_TRUE(sink->Flush());
  EXPECT_THAT(ReadAll()[0], ElementsAre("one"));
}

}  // namespace
}  // namespace weir::spool
