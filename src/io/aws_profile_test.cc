#include "io/aws_profile.h"

#include <gtest/gtest.h>

namespace weir::io {
namespace {

constexpr const char* kText =
    "# comment\n"
    "[default]\r\n"
    "aws_access_key_id = AK = 1\r\n"
    "s3 =\n"
    "  max_concurrent_requests = 20\n"
    "[profile other]\n"
    "region=eu-central-1\n"
    "; more\n"
    "[default]\n"
    "region = us-west-2";

TEST(AwsProfile, IsReadByName) {
  const AwsProfile profile = ReadAwsProfile(kText, "default");
  EXPECT_EQ(profile.at("aws_access_key_id"), "AK = 1");
  EXPECT_EQ(profile.at("region"), "us-west-2");
  EXPECT_FALSE(profile.contains("max_concurrent_requests"));
  EXPECT_EQ(ReadAwsProfile(kText, "other").at("region"), "eu-central-1");
}

TEST(AwsProfile, WhatIsNotThereIsEmpty) {
  EXPECT_TRUE(ReadAwsProfile(kText, "none").empty());
  EXPECT_TRUE(ReadAwsProfile("", "default").empty());
  EXPECT_TRUE(ReadAwsProfile("[default", "other").empty());
}

}  // namespace
}  // namespace weir::io
