#include "record/contract_words.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(ContractWords, AWordGivesItsValueBack) {
  for (const auto format : {TimestampFormat::kIso, TimestampFormat::kEpochSeconds,
                            TimestampFormat::kEpochMillis, TimestampFormat::kEpochMicros}) {
    EXPECT_EQ(TimestampFormatOf(ToString(format)), format);
  }
  for (const auto unknown :
       {UnknownFields::kIgnore, UnknownFields::kKeep, UnknownFields::kReject}) {
    EXPECT_EQ(UnknownFieldsOf(ToString(unknown)), unknown);
  }
}

TEST(ContractWords, OtherWordsAreNone) {
  EXPECT_EQ(TimestampFormatOf("epoch"), std::nullopt);
  EXPECT_EQ(TimestampFormatOf(""), std::nullopt);
  EXPECT_EQ(UnknownFieldsOf("Keep"), std::nullopt);
}

}  // namespace
}  // namespace weir
