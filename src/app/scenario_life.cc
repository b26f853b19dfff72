#include "app/scenario_life.h"

namespace weir::app {
namespace {

class MortalStream final : public io::OutputStream {
 public:
  MortalStream(ScenarioLife& life, std::unique_ptr<io::OutputStream> stream)
      : life_(life), stream_(std::move(stream)) {}

  Status Append(std::string_view bytes) override { return stream_->Append(bytes); }
  std::int64_t size() const override { return stream_->size(); }
  Status Finish() override {
    if (!life_.Step()) return ScenarioLife::Death();
    return stream_->Finish();
  }

 private:
  ScenarioLife& life_;
  std::unique_ptr<io::OutputStream> stream_;
};

class MortalStore final : public io::Store {
 public:
  MortalStore(ScenarioLife& life, io::Store& shared, std::string folder)
      : life_(life), shared_(shared), folder_(std::move(folder)) {
    if (!folder_.empty()) folder_ += '/';
  }

  Result<io::PutOutcome> PutIfAbsent(std::string_view key, std::string_view bytes) override {
    if (!life_.Step()) return ScenarioLife::Death();
    auto put = shared_.PutIfAbsent(Full(key), bytes);
    // Dying between the change and its answer is the interesting moment.
    if (!life_.Step()) return ScenarioLife::Death();
    return put;
  }
  Status Put(std::string_view key, std::string_view bytes) override {
    if (!life_.Step()) return ScenarioLife::Death();
    return shared_.Put(Full(key), bytes);
  }
  Result<std::string> Get(std::string_view key) override {
    if (!life_.Step()) return ScenarioLife::Death();
    return shared_.Get(Full(key));
  }
  Result<io::ObjectInfo> Head(std::string_view key) override {
    if (!life_.Step()) return ScenarioLife::Death();
    auto info = shared_.Head(Full(key));
    if (info) info->key = std::string(key);
    return info;
  }
  Result<std::vector<io::ObjectInfo>> List(std::string_view prefix) override {
    if (!life_.Step()) return ScenarioLife::Death();
    auto objects = shared_.List(Full(prefix));
    if (objects)
      for (io::ObjectInfo& object : *objects) object.key.erase(0, folder_.size());
    return objects;
  }
  Status Delete(std::string_view key) override {
    if (!life_.Step()) return ScenarioLife::Death();
    return shared_.Delete(Full(key));
  }
  Result<std::unique_ptr<io::OutputStream>> Create(std::string_view key) override {
    if (!life_.Step()) return ScenarioLife::Death();
    auto stream = shared_.Create(Full(key));
    if (!stream) return stream;
    return std::unique_ptr<io::OutputStream>(
        std::make_unique<MortalStream>(life_, std::move(*stream)));
  }
  std::string Describe() const override { return shared_.Describe() + folder_; }

 private:
  std::string Full(std::string_view key) const { return folder_ + std::string(key); }

  ScenarioLife& life_;
  io::Store& shared_;
  std::string folder_;
};

}  // namespace

std::unique_ptr<io::Store> StoreOf(ScenarioLife& life, io::Store& shared, std::string folder) {
  return std::make_unique<MortalStore>(life, shared, std::move(folder));
}

}  // namespace weir::app
