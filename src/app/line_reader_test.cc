#include "app/line_reader.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace weir::app {
namespace {

using testing::ElementsAre;

class LineReaderTest : public testing::Test {
 protected:
  LineReaderTest() { EXPECT_EQ(pipe(ends_), 0); }
  ~LineReaderTest() override {
    close(ends_[0]);
    if (ends_[1] >= 0) close(ends_[1]);
  }

  void Write(const std::string& text) {
    ASSERT_EQ(write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void End() {
    close(ends_[1]);
    ends_[1] = -1;
  }
  // All lines up to the end.
  std::vector<std::string> Lines() {
    LineReader reader(ends_[0], "test", {});
    std::vector<std::string> lines;
    std::string_view line;
    while (true) {
      auto outcome = reader.Next(line);
      EXPECT_TRUE(outcome);
      if (!outcome || *outcome == ReadOutcome::kEnd) return lines;
      if (*outcome == ReadOutcome::kLine) lines.emplace_back(line);
    }
  }

  int ends_[2] = {-1, -1};
};

TEST_F(LineReaderTest, KeepsEmptyLinesAndEveryByte) {
  Write(std::string("a\n\n b\r\nnul\0x\n", 13));
  End();
  EXPECT_THAT(Lines(), ElementsAre("a", "", " b\r", std::string("nul\0x", 5)));
}

TEST_F(LineReaderTest, TheLastLineMayLackItsFeed) {
  Write("a\nb");
  End();
  EXPECT_THAT(Lines(), ElementsAre("a", "b"));
}

TEST_F(LineReaderTest, NothingIsNoLine) {
  End();
  EXPECT_THAT(Lines(), ElementsAre());
}

TEST_F(LineReaderTest, SaysWhenTheWriterPauses) {
  LineReader reader(ends_[0], "test", {});
  std::string_view line;
  Write("a\nb");
  EXPECT_EQ(*reader.Next(line), ReadOutcome::kLine);
  EXPECT_EQ(*reader.Next(line), ReadOutcome::kPause);
  Write("c\n");
  EXPECT_EQ(*reader.Next(line), ReadOutcome::kLine);
  EXPECT_EQ(line, "bc");
}

TEST_F(LineReaderTest, StopsWhenAsked) {
  std::stop_source stop;
  LineReader reader(ends_[0], "test", stop.get_token());
  std::string_view line;
  Write("a\nb\n");
  EXPECT_EQ(*reader.Next(line), ReadOutcome::kLine);
  stop.request_stop();
  EXPECT_EQ(*reader.Next(line), ReadOutcome::kStopped);
}

TEST(LineReader, GrowsForLongLines) {
  char name[] = "/tmp/weir-lines-XXXXXX";
  const int file = mkstemp(name);
  ASSERT_GE(file, 0);
  unlink(name);
  const std::string text = std::string(5U << 20, 'x') + "\n" + std::string(10, 'y') + "\n";
  ASSERT_EQ(write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ASSERT_EQ(lseek(file, 0, SEEK_SET), 0);
  LineReader reader(file, "test", {});
  std::string_view line;
  ASSERT_EQ(*reader.Next(line), ReadOutcome::kLine);
  EXPECT_EQ(line.size(), 5U << 20);
  ASSERT_EQ(*reader.Next(line), ReadOutcome::kLine);
  EXPECT_EQ(line, "yyyyyyyyyy");
  EXPECT_EQ(*reader.Next(line), ReadOutcome::kEnd);
  close(file);
}

}  // namespace
}  // namespace weir::app
