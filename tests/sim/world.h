#pragma once
// World: the scheduler of one simulated history. Processes are threads of which only one runs at a
// time; at every call of a port the seed decides who goes on, who rests, who dies and which new
// process starts beside the old one. One seed, one history.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "sim/fault_table.h"

namespace weir::sim {

/// What may happen in a history; set to calm for its last phase.
struct Chaos {
  double switch_process = 0.05;  // at a step, somebody else goes on
  double new_process = 0.01;     // at a step, a successor starts although the old one lives
  int processes_left = 3;        // successors beside a live process
  double kill_at_point = 0.01;   // at a failure point, the process dies
  int shortest_life = 30;        // steps until a process dies anyway
  int longest_life = 700;
};

class World {
 public:
  World(std::uint64_t seed, Faults& faults);
  ~World();

  Random& random() { return random_; }
  ManualClock& clock() { return clock_; }
  Faults& faults() { return faults_; }
  Chaos& chaos() { return chaos_; }
  void Calm();

  /// What a process does; called on its own thread with its id.
  void SetBody(std::function<void(int)> body) { body_ = std::move(body); }
  /// Starts a process and returns when it, and all that were started beside it, have ended.
  void RunUntilAllEnd();

  /// A call of a port by process `id`: others may run before it returns. False: the process is
  /// dead.
  [[nodiscard]] bool Step(int id);
  /// At a failure point of the running process: counts it, and may kill the process.
  void ReachPoint(int point);
  /// The error of every port of a dead process.
  static Error Death() { return Internal("simulated death"); }
  static bool IsDeath(const Error& error);

  /// Called at every step: things of the world that move by themselves (late replies, other tools).
  void SetNature(std::function<void()> nature) { nature_ = std::move(nature); }

 private:
  struct Process {
    std::thread thread;
    int life_left = 0;
    std::uint64_t rests_until = 0;
    bool dead = false;
    bool ended = false;
  };

  void Start();
  int Choose();
  void HandOver(std::unique_lock<std::mutex>& lock, int to);

  Random random_;
  ManualClock clock_{1'788'256'800'000'000};
  Faults& faults_;
  Chaos chaos_;
  std::function<void(int)> body_;
  std::function<void()> nature_;

  std::mutex mutex_;
  std::condition_variable turn_changed_;
  std::vector<std::unique_ptr<Process>> processes_;
  int turn_ = kNobody;
  std::uint64_t steps_ = 0;

  static constexpr int kNobody = -1;
};

}  // namespace weir::sim
