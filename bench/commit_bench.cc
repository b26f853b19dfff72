// commit_bench: what a commit of one small file costs, and whether it stays so.
//
//   commit_bench [FORMAT [COMMITS [FOLDER]]]      default: delta 10000, in a scratch folder
//
// FORMAT is delta or iceberg (with an SQLite catalog). Each commit loads the table, adds one file
// of twenty columns with their metrics and moves the progress of one partition: encoding, writing
// and syncing the metadata, and the swap. Clean-up and checkpoints follow it and are timed apart.
// Wall times of the first, a middle and the last tenth, and CPU times of this thread, which a busy
// machine disturbs less. "the disk" is what the syncs of such a commit take with nothing around
// them, measured in between: no commit can be quicker.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/scratch_folder.h"
#include "connect/table.h"
#include "delta/catalog.h"
#include "iceberg/catalog.h"
#include "io/side_workers.h"

namespace weir {
namespace {

constexpr int kColumns = 20;

template <typename T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().ToString());
  return std::move(result).value();
}
void Must(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error().ToString());
}

Micros CpuTime() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * kMicrosPerSecond + now.tv_nsec / 1000;
}

connect::TableDefinition Definition() {
  connect::TableDefinition out;
  out.name = {.levels = {"bench"}, .name = "events"};
  for (int i = 0; i < kColumns; ++i) {
    const auto kind = i % 3 == 0   ? TypeKind::kString
                      : i % 3 == 1 ? TypeKind::kLong
                                   : TypeKind::kTimestamp;
    out.schema.fields.push_back(
        {.name = fmt::format("column_{}", i), .type = Type::Of(kind), .doc = {}});
  }
  out.partition_by = {{.name = {}, .transform = connect::Transform::kDay}};
  out.partition_sources = {"column_2"};
  return out;
}

connect::DataFile File(const connect::TableVersion& version, int number) {
  connect::DataFile file;
  const int day = 20'000 + number / 1000;
  file.path = fmt::format("data/day={}/{:08}-0123456789abcdef-00000.parquet", day, number);
  file.spec_id = version.spec.spec_id;
  file.partition = {{.number = day, .text = {}}};
  file.record_count = 1000;
  file.file_bytes = 50'000;
  file.split_offsets = {4};
  for (const Field& field : version.schema.fields) {
    connect::ColumnMetrics& metrics = file.columns[field.id];
    metrics.compressed_bytes = 2500;
    metrics.value_count = 1000;
    metrics.lower = "aaaabbbb";
    metrics.upper = "zzzzyyyy";
  }
  return file;
}

// The syncs that a commit has to wait for: of a file, then of its name; where there is a catalog,
// of both together, then of the catalog's log.
class BareSyncs {
 public:
  BareSyncs(const std::string& folder, bool with_log) : folder_(folder + "/bare") {
    if (mkdir(folder_.c_str(), 0755) != 0) throw std::runtime_error("no folder");
    names_ = open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (with_log) log_ = Make("log");
  }
  BareSyncs(const BareSyncs&) = delete;
  BareSyncs& operator=(const BareSyncs&) = delete;
  ~BareSyncs() {
    close(names_);
    if (log_ >= 0) close(log_);
  }

  Micros Once() {
    const std::string name = fmt::format("{}", number_++);
    const std::string path = folder_ + "/" + name;
    const Micros start = SystemClock().Monotonic();
    const int file = Make(name + ".tmp");
    bool done = write(file, bytes_.data(), bytes_.size()) > 0;
    const auto rename_file = [&] { return rename((path + ".tmp").c_str(), path.c_str()) == 0; };
    if (log_ < 0) {
      done = done && fsync(file) == 0 && rename_file() && fsync(names_) == 0;
    } else {
      done = done && rename_file() && SyncBoth(file) &&
             write(log_, bytes_.data(), bytes_.size()) > 0 && fdatasync(log_) == 0;
    }
    close(file);
    if (!done) throw std::runtime_error("the disk refuses");
    return SystemClock().Monotonic() - start;
  }

 private:
  bool SyncBoth(int file) {
    bool synced[2] = {};
    workers_.RunAll(
        {[&] { synced[0] = fsync(file) == 0; }, [&] { synced[1] = fsync(names_) == 0; }});
    return synced[0] && synced[1];
  }

  int Make(const std::string& name) const {
    return open((folder_ + "/" + name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  }

  std::string folder_;
  std::string bytes_ = std::string(8192, 'x');
  int names_ = -1;
  int log_ = -1;
  int number_ = 0;
  io::SideWorkers workers_{1};
};

void Print(const char* what, std::vector<Micros> times) {
  std::ranges::sort(times);
  const auto at = [&](double share) {
    const auto last = static_cast<double>(times.size() - 1);
    return static_cast<double>(times[static_cast<std::size_t>(last * share)]) / 1000;
  };
  std::printf("  %-10s p50 %6.2f ms  p99 %6.2f ms  max %7.2f ms\n", what, at(0.5), at(0.99),
              at(1.0));
}

void Run(const std::string& format, int commits, const std::string& folder) {
  auto catalog = format == "delta"
                     ? Must(delta::OpenCatalog(folder + "/lake", {}, SystemClock()))
                     : Must(iceberg::OpenSqlCatalog("bench", folder + "/catalog.db",
                                                    folder + "/lake", {}, SystemClock()));
  Must(catalog->Create(Definition()));
  const auto table = Must(catalog->Open(Definition().name, "bench"));
  std::vector<Micros> commit_times;
  std::vector<Micros> clean_times;
  std::vector<Micros> commit_cpu;
  std::vector<Micros> clean_cpu;
  std::vector<Micros> disk_times;
  BareSyncs disk(folder, format != "delta");
  for (int i = 1; i <= commits; ++i) {
    disk_times.push_back(disk.Once());
    const Micros start = SystemClock().Monotonic();
    const Micros start_cpu = CpuTime();
    const auto version = Must(table->Load());
    connect::TableCommit commit;
    commit.files = {File(*version, i)};
    commit.progress["topic/0"] = {{1, i}, Offset(i)};
    if (Must(table->Commit(*version, commit)) != connect::CommitOutcome::kCommitted) {
      throw std::runtime_error("a commit was not one");
    }
    const Micros committed = SystemClock().Monotonic();
    const Micros committed_cpu = CpuTime();
    Must(table->CleanUp());
    commit_cpu.push_back(committed_cpu - start_cpu);
    clean_cpu.push_back(CpuTime() - committed_cpu);
    commit_times.push_back(committed - start);
    clean_times.push_back(SystemClock().Monotonic() - committed);
  }
  const std::size_t tenth = std::max<std::size_t>(1, commit_times.size() / 10);
  for (const std::size_t first : {std::size_t{0}, tenth * 5, commit_times.size() - tenth}) {
    const auto part = [&](const std::vector<Micros>& times) {
      const auto begin = times.begin() + static_cast<std::ptrdiff_t>(first);
      return std::vector<Micros>(begin, begin + static_cast<std::ptrdiff_t>(tenth));
    };
    std::printf("%s, commits from %zu on\n", format.c_str(), first + 1);
    Print("the disk", part(disk_times));
    Print("commit", part(commit_times));
    Print("  its CPU", part(commit_cpu));
    Print("clean-up", part(clean_times));
    Print("  its CPU", part(clean_cpu));
  }
}

}  // namespace
}  // namespace weir

int main(int argc, char** argv) {
  weir::log::Configure(weir::log::Level::kError, weir::log::Format::kText);
  const weir::ScratchFolder scratch;
  try {
    weir::Run(argc > 1 ? argv[1] : "delta", argc > 2 ? std::atoi(argv[2]) : 10'000,
              argc > 3 ? argv[3] : scratch.path());
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "%s\n", exception.what());
    return 1;
  }
  return 0;
}
