// dedupe_bench: time for an event and memory for a key of dedupe.
//
//   dedupe_bench [MILLIONS_OF_KEYS...]      default: 1 10 50
//
// For both modes it fills one partition with so many keys, then feeds events of which 1 % repeat a
// held key while as many old keys fall out of the horizon as new ones come. Keys are texts of 36
// bytes, as UUIDs are, batches have 8,192 rows. CPU time of Admit alone: hashing the text included,
// making the batches not. Printed: ns an event while filling (growth included), and at the size
// asked for; bytes a key just before, with the longest single batch; and what the memory alone
// costs on this machine: as many random pairs of lines of as much memory, read 64 at once and
// written.

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <time.h>

#include "base/random.h"
#include "stream/dedupe.h"
#include "stream/flat_memory.h"
#include "stream/touch.h"

namespace weir::stream {
namespace {

constexpr std::size_t kBatchRows = 8'192;
constexpr Micros kStep = 1;  // between two events

// Of this thread, so that a busy machine disturbs less.
std::chrono::nanoseconds CpuTime() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

class Feeder {
 public:
  Feeder(bool compact, std::size_t keys)
      : dedupe_(KeySchema(), Rules(compact, keys)),
        batch_(std::make_shared<Schema>(KeySchema())),
        keys_(keys) {}

  // Feeds so many events and gives the nanoseconds of one.
  double Run(std::size_t events, double repeats) {
    std::chrono::nanoseconds spent{};
    longest_ = {};
    for (std::size_t done = 0; done < events; done += kBatchRows) {
      Fill(repeats);
      const std::chrono::nanoseconds start = CpuTime();
      dedupe_.Admit(batch_, &rows_, &duplicates_);
      const std::chrono::nanoseconds took = CpuTime() - start;
      spent += took;
      longest_ = std::max(longest_, took);
      duplicates_seen_ += duplicates_.size();
      if (++batches_ % 16 == 0) {  // what a commit does, not measured
        WireWriter delta;
        dedupe_.WriteDelta(Partition(0), delta);
      }
    }
    return static_cast<double>(spent.count()) / static_cast<double>(events);
  }

  double BytesPerKey() const {
    return static_cast<double>(dedupe_.bytes()) / static_cast<double>(dedupe_.keys());
  }
  std::size_t bytes() const { return dedupe_.bytes(); }
  std::size_t held() const { return dedupe_.keys(); }
  std::size_t duplicates_seen() const { return duplicates_seen_; }
  double longest_ms() const { return static_cast<double>(longest_.count()) / 1e6; }

 private:
  static Schema KeySchema() {
    Schema schema;
    schema.fields.resize(1);
    schema.fields[0].name = "id";
    return schema;
  }
  static DedupeRules Rules(bool compact, std::size_t keys) {
    DedupeRules rules;
    rules.key = {"id"};
    rules.horizon = static_cast<Micros>(keys) * kStep;
    rules.compact = compact;
    return rules;
  }

  void Fill(double repeats) {
    batch_.Clear();
    rows_.clear();
    duplicates_.clear();
    char text[40];
    for (std::uint32_t i = 0; i < kBatchRows; ++i) {
      std::uint64_t key = next_;
      if (next_ > keys_ / 2 && random_.Chance(repeats)) {
        key = next_ - 1 - random_.Below(keys_ / 2);
      } else {
        ++next_;
      }
      const std::uint64_t mixed = key * 0x9E3779B97F4A7C15ULL;
      std::snprintf(text, sizeof text, "%08x-%04x-4%03x-8%03x-%012llx",
                    static_cast<unsigned>(mixed >> 32), static_cast<unsigned>(mixed >> 16) & 0xFFFF,
                    static_cast<unsigned>(mixed) & 0xFFF, static_cast<unsigned>(key) & 0xFFF,
                    static_cast<unsigned long long>(key));
      batch_.columns[0].AppendString({text, 36});
      batch_.records.push_back(i);
      const auto now = static_cast<Micros>(next_) * kStep;
      rows_.push_back({i, Partition(0), Offset(static_cast<std::int64_t>(next_)), now, now});
    }
  }

  Dedupe dedupe_;
  Batch batch_;
  std::size_t keys_;
  std::vector<EventRow> rows_;
  std::vector<EventRow> duplicates_;
  Random random_{1};
  std::uint64_t next_ = 0;
  std::size_t batches_ = 0;
  std::size_t duplicates_seen_ = 0;
  std::chrono::nanoseconds longest_{};
};

// Nanoseconds for two lines at a random place among so many bytes.
double BareAccess(std::size_t bytes) {
  struct alignas(128) Place {
    std::uint64_t words[16];
  };
  constexpr std::size_t kAtOnce = 64;
  constexpr std::size_t kBlocks = 100'000;
  FlatArena arena;
  const FlatMemory memory(bytes, arena);
  auto* const places = reinterpret_cast<Place*>(memory.data());
  const std::size_t n = bytes / sizeof(Place);
  for (std::size_t i = 0; i < n; ++i) places[i].words[0] = i;
  Random random(2);
  std::array<Place*, kAtOnce> chosen{};
  std::chrono::nanoseconds spent{};
  for (std::size_t block = 0; block < kBlocks; ++block) {
    for (Place*& place : chosen) place = places + random.Below(n);
    const std::chrono::nanoseconds start = CpuTime();
    Touch<Place>(chosen);
    for (Place* place : chosen) {
      ++place->words[0];
      ++place->words[8];
    }
    spent += CpuTime() - start;
  }
  return static_cast<double>(spent.count()) / (kBlocks * kAtOnce);
}

void Measure(bool compact, std::size_t millions) {
  const std::size_t keys = millions * 1'000'000;
  Feeder feeder(compact, keys);
  const double filling = feeder.Run(keys, 0);
  const double filled_bytes = feeder.BytesPerKey();
  const double growth_ms = feeder.longest_ms();
  const double full = feeder.Run(std::max<std::size_t>(keys / 2, 2'000'000), 0.01);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double bare = BareAccess(feeder.bytes());
  std::printf(
      "%-8s %4zu M keys: filling %5.1f ns/event, at size %5.1f ns/event, %5.1f bytes/key; "
      "longest batch %.1f and %.1f ms; %zu M held, %zu duplicates, peak %ld MiB; memory alone %.1f "
      "ns\n",
      compact ? "compact" : "exact", millions, filling, full, filled_bytes, growth_ms,
      feeder.longest_ms(), feeder.held() / 1'000'000, feeder.duplicates_seen(),
      usage.ru_maxrss / 1024, bare);
  std::fflush(stdout);
}

}  // namespace
}  // namespace weir::stream

int main(int argc, char** argv) {
  std::vector<std::size_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::strtoul(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {1, 10, 50};
  for (const std::size_t millions : sizes) {
    if (millions == 0) {
      std::fputs("usage: dedupe_bench [MILLIONS_OF_KEYS...]\n", stderr);
      return 2;
    }
    for (const bool compact : {true, false}) weir::stream::Measure(compact, millions);
  }
  return 0;
}
