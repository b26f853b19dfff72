#include "sim/process_store.h"

namespace weir::sim {
namespace {

class ProcessStream final : public io::OutputStream {
 public:
  ProcessStream(World& world, int process, std::unique_ptr<io::OutputStream> stream)
      : world_(world), process_(process), stream_(std::move(stream)) {}

  Status Append(std::string_view bytes) override { return stream_->Append(bytes); }
  std::int64_t size() const override { return stream_->size(); }
  Status Finish() override {
    if (!world_.Step(process_)) return World::Death();
    return stream_->Finish();
  }

 private:
  World& world_;
  int process_;
  std::unique_ptr<io::OutputStream> stream_;
};

}  // namespace

Result<std::unique_ptr<io::OutputStream>> ProcessStore::Create(std::string_view key) {
  if (!world_.Step(process_)) return World::Death();
  auto stream = shared_.Create(key);
  if (!stream) return stream;
  return std::unique_ptr<io::OutputStream>(
      std::make_unique<ProcessStream>(world_, process_, std::move(*stream)));
}

}  // namespace weir::sim
