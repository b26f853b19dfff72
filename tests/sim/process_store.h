#pragma once
// ProcessStore: a shared store as one process of the simulation sees it: every call is a step of
// the world, and a dead process reaches nothing any more.

#include <memory>
#include <string>

#include "io/store.h"
#include "sim/world.h"

namespace weir::sim {

class ProcessStore final : public io::Store {
 public:
  ProcessStore(World& world, int process, io::Store& shared)
      : world_(world), process_(process), shared_(shared) {}

  Result<io::PutOutcome> PutIfAbsent(std::string_view key, std::string_view bytes) override {
    if (!world_.Step(process_)) return World::Death();
    auto put = shared_.PutIfAbsent(key, bytes);
    // Dying between the change and its answer is the interesting moment.
    if (!world_.Step(process_)) return World::Death();
    return put;
  }
  Status Put(std::string_view key, std::string_view bytes) override {
    if (!world_.Step(process_)) return World::Death();
    return shared_.Put(key, bytes);
  }
  Result<std::string> Get(std::string_view key) override {
    if (!world_.Step(process_)) return World::Death();
    return shared_.Get(key);
  }
  Result<io::ObjectInfo> Head(std::string_view key) override {
    if (!world_.Step(process_)) return World::Death();
    return shared_.Head(key);
  }
  Result<std::vector<io::ObjectInfo>> List(std::string_view prefix) override {
    if (!world_.Step(process_)) return World::Death();
    return shared_.List(prefix);
  }
  Status Delete(std::string_view key) override {
    if (!world_.Step(process_)) return World::Death();
    return shared_.Delete(key);
  }
  Result<std::unique_ptr<io::OutputStream>> Create(std::string_view key) override;
  std::string Describe() const override { return shared_.Describe(); }

 private:
  World& world_;
  int process_;
  io::Store& shared_;
};

}  // namespace weir::sim
