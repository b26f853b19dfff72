// Explicit-state model of the epoch protocol: claims, writer logs, seals, two tables, foreign
// actors, collection. Breadth-first over all interleavings within the bounds; visited states are
// kept as 128-bit hashes. A process may pause for ever between any two steps (zombie) or die; a put
// may be applied and its answer lost; a timed-out put may land at any later moment ("ghost").
// Switches (-b name) take one rule away and must fail.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transition.h"
#include "world_steps.h"
#include "writer_steps.h"

static long most_states = 60000000;

static bool ReadOptions(int argc, char** argv) {
  const std::map<std::string, int*> bounds{
      {"-p", &NP},        {"-r", &NR},        {"-f", &F},       {"-g", &G},       {"-o", &FO},
      {"-d", &DEPTH},     {"-idle", &IDLE},   {"-gc", &GC},     {"-roll", &ROLL}, {"-rel", &REL},
      {"-power", &POWER}, {"-sweep", &SWEEP}, {"-part", &PART}, {"-sql", &SQL}};
  if (argc % 2 == 0) return false;
  for (int i = 1; i < argc; i += 2) {
    const std::string k = argv[i], v = argv[i + 1];
    if (auto bound = bounds.find(k); bound != bounds.end()) {
      *bound->second = atoi(v.c_str());
    } else if (k == "-limit") {
      most_states = atol(v.c_str());
    } else {
      auto rule = std::find(kBug, kBug + NBUGS, v);
      if (k != "-b" || rule == kBug + NBUGS) return false;
      bug[rule - kBug] = true;
    }
  }
  return true;
}

static St FirstState() {
  St s;
  memset(&s, 0, sizeof s);
  s.f = F;
  s.g = G;
  s.fo = FO;
  s.nw = 1;
  s.has[0] = 1;
  s.w[0].pc = LIST;
  s.w[0].e = 1;
  for (int p = 0; p < NP; p++) s.c[0].p[p].owner = NONE;
  return s;
}

// All states that are reached, how each was reached first, and who leads to whom.
class Search {
 public:
  Search() : first_(FirstState()) {
    seen_.reserve(1 << 22);
    seen_[HashOf(first_)] = 0;
    parent_.push_back(0);
    goal_.push_back(Goal(first_));
  }

  // Explores all; 0, or the exit code that says why not.
  int Explore() {
    std::vector<St> layer{first_}, next;
    std::vector<uint32_t> ids{0}, next_ids;
    for (; !layer.empty(); depth_++) {
      next.clear();
      next_ids.clear();
      for (size_t q = 0; q < layer.size(); q++) {
        const St state = layer[q];
        if (!StepsHold(state, ids[q])) return 1;
        for (auto& o : out) Reach(o, ids[q], next, next_ids);
        if ((long)parent_.size() > most_states) {
          printf("LIMIT reached: %zu states, depth %zu, no violation so far (not exhaustive)\n",
                 parent_.size(), depth_);
          return 3;
        }
      }
      layer.swap(next);
      ids.swap(next_ids);
    }
    return 0;
  }

  // From each state, may the pipeline still complete without another fault? Walks back from the
  // complete states.
  int JudgeProgress() {
    std::vector<bool> live(goal_);
    std::vector<uint32_t> todo;
    for (size_t i = 0; i < goal_.size(); i++)
      if (goal_[i]) todo.push_back(i);
    const size_t goals = todo.size();
    std::sort(edges_.begin(), edges_.end());
    while (!todo.empty()) {
      const uint32_t v = todo.back();
      todo.pop_back();
      for (auto it = std::lower_bound(edges_.begin(), edges_.end(), std::make_pair(v, 0u));
           it != edges_.end() && it->first == v; ++it)
        if (!live[it->second]) {
          live[it->second] = true;
          todo.push_back(it->second);
        }
    }
    const size_t stuck = std::count(live.begin(), live.end(), false);
    printf(
        "states %zu, transitions %zu, depth %zu, complete states %zu, states from which the "
        "pipeline cannot complete: %zu\n",
        parent_.size(), steps_, depth_, goals, stuck);
    if (stuck) {
      puts("NO PROGRESS, shortest:");
      Trace(std::find(live.begin(), live.end(), false) - live.begin(), nullptr);
      return 1;
    }
    puts("OK");
    return 0;
  }

 private:
  // Takes all steps of a state into `out`; false when one broke an invariant, which is told.
  bool StepsHold(const St& s, uint32_t id) {
    out.clear();
    for (int w = 0; w < MW && !fail; w++) {
      StepMain(s, w);
      if (!fail) StepApply(s, w);
    }
    if (!fail) Environment(s);
    if (!fail) return true;
    printf("VIOLATION: %s (depth %zu, %zu states)\n", fail, depth_, parent_.size());
    Trace(id, fail_at < out.size() ? out[fail_at].what : "?");
    return false;
  }

  void Reach(const Next& o, uint32_t from, std::vector<St>& next, std::vector<uint32_t>& next_ids) {
    steps_++;
    auto [it, fresh] = seen_.try_emplace(HashOf(o.s), (uint32_t)parent_.size());
    if (fresh) {
      parent_.push_back(from);
      goal_.push_back(Goal(o.s));
      next.push_back(o.s);
      next_ids.push_back(it->second);
    }
    if (!o.fault) edges_.emplace_back(it->second, from);
  }

  // Of the steps in `out`, prints the one that leads to a state, and goes there.
  bool Follow(uint32_t id, const char* who, St& s) {
    for (const Next& o : out)
      if (auto it = seen_.find(HashOf(o.s)); it != seen_.end() && it->second == id) {
        printf("  %s: %s\n", who, o.what);
        s = o.s;
        return true;
      }
    return false;
  }

  void Step(uint32_t id, St& s) {
    const St from = s;
    for (int w = 0; w < MW; w++) {
      out.clear();
      StepMain(from, w);
      StepApply(from, w);
      if (Follow(id, ("writer " + std::to_string(w)).c_str(), s)) return;
    }
    out.clear();
    Environment(from);
    Follow(id, "world", s);
  }

  // Prints how a state was reached first, and the step that broke it.
  void Trace(uint32_t id, const char* last) {
    std::vector<uint32_t> path;
    for (; id; id = parent_[id]) path.push_back(id);
    St s = first_;
    for (size_t k = path.size(); k-- > 0;) Step(path[k], s);
    if (last) printf("  then: %s\n", last);
  }

  St first_;
  std::unordered_map<H, uint32_t, HH> seen_;
  std::vector<uint32_t> parent_;
  std::vector<bool> goal_;
  std::vector<std::pair<uint32_t, uint32_t>> edges_;  // (to, from), faults left out
  size_t steps_ = 0, depth_ = 0;
};

int main(int argc, char** argv) {
  if (!ReadOptions(argc, argv)) return puts("no such switch"), 2;
  Search search;
  if (int code = search.Explore()) return code;
  return search.JudgeProgress();
}
