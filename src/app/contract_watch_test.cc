#include "app/contract_watch.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "app/wiring.h"
#include "base/clock.h"
#include "base/scratch_folder.h"
#include "config/load.h"
#include "engine/produced_tables.h"

namespace weir::app {
namespace {

constexpr const char* kPipeline = R"(pipeline: shop
source: {spool: ./log, topic: t}
state: ./state
contract: event.yaml
lake: {warehouse: ./lake}
on_error: fail
tables:
  shop.events: {from: valid}
)";

// A pipeline file, its contract, and a table that fits.
class ContractWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    Write("pipeline.yaml", kPipeline);
    WriteFields("{id: string, count: int}\n");
    auto loaded = config::LoadPipeline(folder_ / "pipeline.yaml", environment_);
    ASSERT_TRUE(loaded.spec) << loaded.diagnostics.ToText(false);
    spec_ = std::move(*loaded.spec);
    catalog_ = OpenCatalog(spec_).value();
    ASSERT_TRUE(catalog_->Create(engine::DefinitionOf(spec_, spec_.tables[0]).value()));
    watch_ = std::make_unique<ContractWatch>(spec_, environment_, clock_, *catalog_);
  }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  void WriteFields(const std::string& text) {
    Write("event.yaml", "name: event\nversion: 1\nfields: " + text);
  }
  bool LookLater() {
    clock_.Advance(3 * kMicrosPerSecond);
    return watch_->Look(false);
  }
  std::size_t TableColumns() {
    auto table = catalog_->Open(connect::ParseTableName("shop.events").value(), "").value();
    return table->Load().value()->schema.fields.size();
  }

  ScratchFolder folder_;
  config::ProcessEnvironment environment_;
  ManualClock clock_{0};
  config::PipelineSpec spec_;
  std::unique_ptr<connect::Catalog> catalog_;
  std::unique_ptr<ContractWatch> watch_;
};

TEST_F(ContractWatchTest, TakesAFieldUpOnceTheFileStandsStill) {
  const std::size_t columns = TableColumns();
  EXPECT_FALSE(LookLater());
  WriteFields("{id: string, count: int, coupon: string}\n");
  EXPECT_FALSE(LookLater());  // it may still be written
  EXPECT_TRUE(LookLater());
  EXPECT_EQ(TableColumns(), columns + 1);
  EXPECT_EQ(watch_->Take().contract.fields.size(), 3U);
  EXPECT_FALSE(LookLater());
}

TEST_F(ContractWatchTest, LooksAtOnceWhenAsked) {
  WriteFields("{id: string, count: long}\n");
  EXPECT_TRUE(watch_->Look(true));
  EXPECT_EQ(watch_->Take().contract.fields[1].field.type, Type::Of(TypeKind::kLong));
}

TEST_F(ContractWatchTest, WhatCannotBeTakenUpChangesNothing) {
  const std::size_t columns = TableColumns();
  for (const char* text :
       {"{id: string}\n", "{id: string, count: string}\n",
        "{id: string, count: int, more: {type: string, required: true}}", "[broken", ""}) {
    WriteFields(text);
    EXPECT_FALSE(watch_->Look(true)) << text;
  }
  std::filesystem::remove(folder_ / "event.yaml");
  EXPECT_FALSE(watch_->Look(true));
  EXPECT_EQ(TableColumns(), columns);
}

TEST_F(ContractWatchTest, OtherSettingsWaitForARestart) {
  WriteFields("{id: string, count: int, coupon: string}\n");
  Write("pipeline.yaml", std::string(kPipeline) + "epoch: {every: 3s}\n");
  EXPECT_FALSE(watch_->Look(true));
}

}  // namespace
}  // namespace weir::app
