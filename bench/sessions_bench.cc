// sessions_bench: time for a row and memory for an open session.
//
//   sessions_bench [THOUSANDS_OF_USERS...]      default: 1 200 1000
//
// Rows of users in random order, ten for each, in batches of 8,192; six event types, 2,000 pages, a
// funnel of four steps. CPU time of Add alone, making the batches not included: while sessions are
// opened, and in a second round where each row extends one. Then state, restart and closing.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <time.h>

#include "base/random.h"
#include "stream/sessions.h"

namespace weir::stream {
namespace {

constexpr std::size_t kBatchRows = 8'192;
constexpr std::uint64_t kRowsOfUser = 10;
constexpr Micros kStep = 1;  // between two events
constexpr Micros kStart = 1'700'000'000 * kMicrosPerSecond;

// Of this thread, so that a busy machine disturbs less.
double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

Contract Shop() {
  Contract contract;
  for (const char* name : {"user_id", "event_type", "page"}) {
    ContractField field;
    field.field =
        Field{.name = name, .type = Type::Of(TypeKind::kString), .required = true, .doc = {}};
    contract.fields.push_back(field);
  }
  contract.event_type_field = "event_type";
  return contract;
}

class Run {
 public:
  explicit Run(std::uint64_t users) : users_(users), sessions_(Fresh()) {}

  void Measure() {
    const double opening = Feed();
    const double extending = Feed();
    const auto open = static_cast<double>(sessions_.open_sessions());
    std::printf("%8llu users: %6.1f ns/row opening, %6.1f extending, %6.1f B/session\n",
                static_cast<unsigned long long>(users_), opening, extending,
                static_cast<double>(sessions_.bytes()) / open);
    double from = CpuSeconds();
    WireWriter base;
    sessions_.WriteBase(Partition(0), base);
    const double write = CpuSeconds() - from;
    from = CpuSeconds();
    Sessions restored = Fresh();
    WireReader in(base.bytes());
    if (!restored.Read(Partition(0), in).ok()) std::abort();
    const double read = CpuSeconds() - from;
    from = CpuSeconds();
    Batch closed(columns_);
    std::vector<SessionFacts> facts;
    restored.Close(kStart + kMicrosPerDay, &closed, &facts);
    std::printf(
        "          state %.1f B/session; a session costs %.0f ns to write, %.0f to read, "
        "%.0f to close\n",
        static_cast<double>(base.size()) / open, write / open * 1e9, read / open * 1e9,
        (CpuSeconds() - from) / open * 1e9);
  }

 private:
  Sessions Fresh() const {
    return Sessions(*rows_, contract_.event_type_field, rules_,
                    {"product_view", "add_to_cart", "checkout_start", "purchase"}, *columns_);
  }

  // ns a row.
  double Feed() {
    double seconds = 0;
    std::int64_t rows = 0;
    const auto types = std::make_shared<Dictionary>();
    const auto pages = std::make_shared<Dictionary>();
    while (rows < static_cast<std::int64_t>(users_ * kRowsOfUser)) {
      Batch batch(rows_);
      batch.columns[1].UseDictionary(types);
      batch.columns[2].UseDictionary(pages);
      std::vector<EventRow> events;
      for (std::uint32_t i = 0; i < kBatchRows; ++i, ++rows) Append(i, &batch, &events);
      const double from = CpuSeconds();
      sessions_.Add(batch, events);
      seconds += CpuSeconds() - from;
    }
    return seconds / static_cast<double>(rows) * 1e9;
  }

  void Append(std::uint32_t row, Batch* batch, std::vector<EventRow>* events) {
    static constexpr const char* kTypes[] = {"page_view",   "product_view",   "search",
                                             "add_to_cart", "checkout_start", "purchase"};
    batch->columns[0].AppendString(fmt::format("user-{:08}", random_.Below(users_)));
    batch->columns[1].AppendString(kTypes[random_.Below(6)]);
    batch->columns[2].AppendString(fmt::format("/product/{}", random_.Below(2'000)));
    for (std::size_t i = 3; i < batch->columns.size(); ++i) batch->columns[i].AppendNull();
    batch->records.push_back(row);
    events->push_back({.row = row,
                       .partition = Partition(0),
                       .offset = Offset(next_),
                       .event_time = kStart + kStep * next_});
    ++next_;
  }

  const std::uint64_t users_;
  const Contract contract_ = Shop();
  const SessionRules rules_ = {.by = "user_id",
                               .gap = 1'800 * kMicrosPerSecond,
                               .split = SessionSplit::kNone,
                               .page = "page",
                               .first = {},
                               .last = {},
                               .value_event = {},
                               .price = {},
                               .quantity = {}};
  const std::shared_ptr<const Schema> rows_ = std::make_shared<Schema>(TableSchema(contract_));
  const std::shared_ptr<const Schema> columns_ =
      std::make_shared<Schema>(*SessionColumns(contract_, rules_));
  Random random_{1};
  std::int64_t next_ = 0;
  Sessions sessions_;
};

}  // namespace
}  // namespace weir::stream

int main(int argc, char** argv) {
  std::vector<std::uint64_t> thousands = {1, 200, 1'000};
  if (argc > 1) thousands.clear();
  for (int i = 1; i < argc; ++i) thousands.push_back(std::strtoull(argv[i], nullptr, 10));
  for (const std::uint64_t users : thousands) weir::stream::Run(users * 1'000).Measure();
  return 0;
}
