#include "sim/world.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace weir::sim {

std::string_view ToString(Fault fault) {
  static constexpr std::string_view kNames[] = {
#define WEIR_SIM_FAULT(id, name) name,
#include "sim/sim_fault.inc"
#undef WEIR_SIM_FAULT
  };
  return kNames[static_cast<std::size_t>(fault)];
}

std::int64_t Faults::total() const {
  return std::accumulate(fired.begin(), fired.end(), std::int64_t{0});
}

World::World(std::uint64_t seed, Faults& faults) : random_(seed), faults_(faults) {}

World::~World() {
  for (auto& process : processes_)
    if (process->thread.joinable()) process->thread.join();
}

void World::Calm() {
  chaos_.switch_process = 0;
  chaos_.new_process = 0;
  chaos_.kill_at_point = 0;
  chaos_.shortest_life = chaos_.longest_life = 1'000'000'000;
}

bool World::IsDeath(const Error& error) {
  return error.message.find("simulated death") != std::string::npos;
}

// mutex_ is held.
void World::Start() {
  const int id = static_cast<int>(processes_.size());
  auto process = std::make_unique<Process>();
  const int lives = chaos_.longest_life - chaos_.shortest_life + 1;
  const auto spread = static_cast<std::uint64_t>(lives);
  process->life_left = chaos_.shortest_life + static_cast<int>(random_.Below(spread));
  processes_.push_back(std::move(process));
  processes_.back()->thread = std::thread([this, id] {
    {
      std::unique_lock lock(mutex_);
      turn_changed_.wait(lock, [&] { return turn_ == id; });
    }
    body_(id);
    std::unique_lock lock(mutex_);
    processes_[static_cast<std::size_t>(id)]->ended = true;
    turn_ = Choose();
    turn_changed_.notify_all();
  });
}

// A living process that does not rest; one that rests if there is no other; nobody at the end.
int World::Choose() {
  std::vector<int> awake;
  std::vector<int> resting;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i]->ended) continue;
    (processes_[i]->rests_until > steps_ ? resting : awake).push_back(static_cast<int>(i));
  }
  const auto& from = awake.empty() ? resting : awake;
  return from.empty() ? kNobody : from[random_.Below(from.size())];
}

void World::RunUntilAllEnd() {
  std::unique_lock lock(mutex_);
  Start();
  turn_ = static_cast<int>(processes_.size()) - 1;
  turn_changed_.notify_all();
  turn_changed_.wait(lock, [&] { return turn_ == kNobody; });
  lock.unlock();
  for (auto& process : processes_)
    if (process->thread.joinable()) process->thread.join();
}

void World::HandOver(std::unique_lock<std::mutex>& lock, int to) {
  const int self = turn_;
  if (to == self) return;
  turn_ = to;
  turn_changed_.notify_all();
  turn_changed_.wait(lock, [&] { return turn_ == self; });
}

bool World::Step(int id) {
  std::unique_lock lock(mutex_);
  WEIR_CHECK(turn_ == id);
  ++steps_;
  clock_.Advance(kMicrosPerMilli);
  if (nature_) nature_();
  Process& process = *processes_[static_cast<std::size_t>(id)];
  if (process.dead) return false;
  if (--process.life_left <= 0) {
    faults_.Count(Fault::kProcessKilled);
    process.dead = true;
    return false;
  }
  if (chaos_.processes_left > 0 && random_.Chance(chaos_.new_process)) {
    --chaos_.processes_left;
    faults_.Count(Fault::kSecondProcess);
    Start();
    if (random_.Chance(0.5)) {
      faults_.Count(Fault::kLongRest);
      process.rests_until = steps_ + random_.Below(600);
    }
  }
  const bool rests = process.rests_until > steps_;
  if (rests || random_.Chance(chaos_.switch_process)) HandOver(lock, Choose());
  return true;
}

void World::ReachPoint(int point) {
  ++faults_.points[static_cast<std::size_t>(point)];
  if (turn_ == kNobody || !random_.Chance(chaos_.kill_at_point)) return;
  Process& process = *processes_[static_cast<std::size_t>(turn_)];
  if (process.dead) return;
  faults_.Count(Fault::kKilledAtPoint);
  process.dead = true;
}

}  // namespace weir::sim
