#include "config/contract_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/contract_file.h"
#include "config/project_files.h"

namespace weir::config {
namespace {

constexpr const char* kText = R"yaml(name: shop
version: 3
event_type: kind
event_time: at
unknown_fields: keep
fields:
  id:
    type: string
    required: true
    not_blank: true
  at:
    type: timestamp
    required: true
    format: epoch_ms
  kind: string
  price: "decimal(10,2)"
  tags: list<string>
  device:
    type: struct
    fields:
      os:
        type: string
        required: true
event_types:
  view: {}
  sale:
    needs: [price]
)yaml";

Contract Read(const std::string& text) {
  auto outcome = ParseContractText(text, "c.yaml", ScriptedEnvironment());
  EXPECT_TRUE(outcome.contract) << outcome.diagnostics.ToText(false);
  return outcome.contract.value_or(Contract());
}

TEST(ContractWriter, WhatItWritesReadsAsTheSameContract) {
  const Contract contract = Read(kText);
  const std::string text = ContractText(contract);
  EXPECT_EQ(ContractHash(Read(text)), ContractHash(contract)) << text;
  EXPECT_THAT(text, testing::HasSubstr("  tags: list<string>\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("unknown_column")));
}

TEST(ContractWriter, TheHashTellsContractsApart) {
  Contract contract = Read(kText);
  const std::string before = ContractHash(contract);
  contract.fields[1].timestamp_format = TimestampFormat::kEpochSeconds;
  EXPECT_NE(ContractHash(contract), before);
}

TEST(ContractFile, TakesAContractFromAPipelineFileToo) {
  const ProcessEnvironment environment;
  const auto alone = LoadContract(ProjectPath("examples/retail/retail_event.yaml"), environment);
  ASSERT_TRUE(alone.contract) << alone.diagnostics.ToText(false);
  EXPECT_FALSE(alone.contract->fields.empty());
  EXPECT_FALSE(ParseContractText("fields: {a: nothing}", "c.yaml", environment).contract);
  EXPECT_FALSE(LoadContract("/nowhere/c.yaml", environment).contract);
}

}  // namespace
}  // namespace weir::config
