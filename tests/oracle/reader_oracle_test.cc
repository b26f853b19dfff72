// What the generator planted against what decoder and validator say of the same bytes, record by
// record, with the contract of the retail example. The two share no code, so a mistake of one
// shows.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codec/json_decoder.h"
#include "config/environment.h"
#include "config/load.h"
#include "config/retail_example.h"
#include "generate/generator.h"
#include "stream/validator.h"

namespace weir {
namespace {

Contract RetailContract() {
  const std::filesystem::path example =
      std::filesystem::path(__FILE__).parent_path() / "../../examples/retail";
  const config::ProcessEnvironment environment;
  const std::string path = (example / config::kRetailPipelineFile).string();
  config::LoadOutcome outcome = config::LoadPipeline(path, environment);
  EXPECT_TRUE(outcome.spec.has_value());
  return outcome.spec->contract;
}

// Draws records and has all of them read at once, as the engine does.
class Reading {
 public:
  explicit Reading(const Contract& contract) : decoder_(contract), validator_(contract) {}

  void Draw(generate::Generator& generator) {
    generate::GeneratedEvent event;
    while (generator.Next(&event)) {
      values_.push_back(event.value ? std::string(*event.value) : "");
      planted_.push_back(event.planted);
    }
    for (std::size_t i = 0; i < values_.size(); ++i) {
      LogRecord record;
      record.offset = Offset(static_cast<std::int64_t>(i));
      if (planted_[i].fault != generate::Fault::kTombstone) record.value = values_[i];
      records_.push_back(record);
    }
  }

  void Read() {
    Batch batch(decoder_.schema());
    batch.Clear();
    decoder_.Decode(records_, 0, &batch, &rejected_);
    validator_.Validate(batch, &good_rows_, &rejected_);
  }

  const std::vector<generate::Planted>& planted() const { return planted_; }
  const std::vector<Rejection>& rejected() const { return rejected_; }
  const std::string& value(std::size_t record) const { return values_[record]; }
  std::size_t good_rows() const { return good_rows_.size(); }

 private:
  codec::JsonDecoder decoder_;
  stream::Validator validator_;
  std::vector<std::string> values_;
  std::vector<generate::Planted> planted_;
  std::vector<LogRecord> records_;
  std::vector<Rejection> rejected_;
  std::vector<std::uint32_t> good_rows_;
};

TEST(ReaderOracle, EveryPlantedFlawIsRefusedForItsReasonAndNothingElseIs) {
  generate::GeneratorOptions options;
  options.seed = 4;
  options.count = 10'000;
  options.faults = *generate::ParseFaults("late=2%:20m,dup=5%,bad=20%,tombstone=1%");
  const auto generator = std::move(generate::Generator::Make(options, 0)).value();
  Reading reading(RetailContract());
  reading.Draw(*generator);
  reading.Read();

  std::map<std::uint32_t, RejectReason> rejected;
  for (const Rejection& rejection : reading.rejected()) {
    EXPECT_TRUE(rejected.emplace(rejection.record, rejection.reason).second) << rejection.message;
  }
  std::size_t good = 0;
  for (std::uint32_t i = 0; i < reading.planted().size(); ++i) {
    const generate::Planted& planted = reading.planted()[i];
    const auto found = rejected.find(i);
    if (planted.fault == generate::Fault::kBad) {
      ASSERT_TRUE(found != rejected.end()) << planted.flaw->name << ": " << reading.value(i);
      EXPECT_EQ(ToString(found->second), ToString(planted.flaw->reason)) << planted.flaw->name;
    } else {
      EXPECT_TRUE(found == rejected.end()) << reading.value(i);
      good += planted.fault == generate::Fault::kTombstone ? 0 : 1;
    }
  }
  EXPECT_EQ(reading.good_rows(), good);
}

}  // namespace
}  // namespace weir
