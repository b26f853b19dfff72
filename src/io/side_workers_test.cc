#include "io/side_workers.h"

#include <atomic>
#include <latch>

#include <gtest/gtest.h>

namespace weir::io {
namespace {

TEST(SideWorkersTest, DoesEveryPieceOnce) {
  SideWorkers workers(3);
  for (std::size_t count = 0; count < 20; ++count) {
    std::vector<std::atomic<int>> done(count);
    std::vector<std::function<void()>> pieces;
    pieces.reserve(count);
    for (std::atomic<int>& one : done) pieces.emplace_back([&one] { ++one; });
    workers.RunAll(pieces);
    for (const std::atomic<int>& one : done) EXPECT_EQ(one, 1);
  }
}

TEST(SideWorkersTest, PiecesRunBesideEachOther) {
  SideWorkers workers(2);
  std::latch all_there(3);  // none ends before all have begun
  const auto piece = [&] { all_there.arrive_and_wait(); };
  workers.RunAll({piece, piece, piece});
}

TEST(SideWorkersTest, TheCallerDoesWhatNoThreadTakes) {
  SideWorkers workers(0);
  const auto caller = std::this_thread::get_id();
  int done = 0;
  const auto piece = [&] { done += std::this_thread::get_id() == caller; };
  workers.RunAll({piece, piece, piece});
  EXPECT_EQ(done, 3);
}

TEST(SideWorkersTest, ServesSeveralCallers) {
  SideWorkers workers(2);
  std::atomic<int> done = 0;
  std::vector<std::thread> callers;
  callers.reserve(8);
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      const auto piece = [&] { ++done; };
      for (int round = 0; round < 100; ++round) workers.RunAll({piece, piece, piece, piece});
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(done, 8 * 100 * 4);
}

}  // namespace
}  // namespace weir::io
