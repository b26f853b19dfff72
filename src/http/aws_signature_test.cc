#include "http/aws_signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"

namespace weir::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

// The keys, times and signatures of the examples that AWS publishes for S3.
constexpr Micros kThen = 1'369'353'600 * kMicrosPerSecond;  // 2013-05-24T00:00:00Z
const AwsKeys kKeys{.access_key = "AKIAIOSFODNN7EXAMPLE",
                    .secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                    .session_token = ""};
const AwsScope kScope{.region = "us-east-1", .service = "s3"};

std::string SignatureOf(Request request) {
  EXPECT_TRUE(SignForAws(request, kKeys, kScope, Sha256Hex(request.body), kThen));
  const std::string* authorization = FindHeader(request.headers, "Authorization");
  EXPECT_NE(authorization, nullptr);
  return authorization->substr(authorization->rfind('=') + 1);
}

TEST(AwsSignature, OfAGetWithARange) {
  EXPECT_EQ(SignatureOf({.url = "https://examplebucket.s3.amazonaws.com/test.txt",
                         .headers = {{"Range", "bytes=0-9"}}}),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(AwsSignature, OfAPut) {
  EXPECT_EQ(SignatureOf({.method = Method::kPut,
                         .url = "https://examplebucket.s3.amazonaws.com/test%24file.text",
                         .headers = {{"Date", "Fri, 24 May 2013 00:00:00 GMT"},
                                     {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                         .body = "Welcome to Amazon S3."}),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST(AwsSignature, OfAParameterWithoutAValue) {
  EXPECT_EQ(SignatureOf({.url = "https://examplebucket.s3.amazonaws.com/?lifecycle"}),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
}

TEST(AwsSignature, OfAListing) {
  const std::string expected = "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7";
  const std::string url = "https://examplebucket.s3.amazonaws.com/";
  EXPECT_EQ(SignatureOf({.url = url + "?max-keys=2&prefix=J"}), expected);
  EXPECT_EQ(SignatureOf({.url = url + "?prefix=J&max-keys=2"}), expected);
}

TEST(AwsSignature, NamesWhatItSigned) {
  Request request{.url = "http://h:9000/b/k", .headers = {{"X-Amz-Meta-A", "1"}}};
  AwsKeys keys = kKeys;
  keys.session_token = "token";
  ASSERT_TRUE(SignForAws(request, keys, kScope, kUnsignedPayload, kThen));
  EXPECT_EQ(*FindHeader(request.headers, "x-amz-date"), "20130524T000000Z");
  EXPECT_EQ(*FindHeader(request.headers, "x-amz-security-token"), "token");
  EXPECT_EQ(*FindHeader(request.headers, "x-amz-content-sha256"), "UNSIGNED-PAYLOAD");
  EXPECT_THAT(*FindHeader(request.headers, "Authorization"),
              HasSubstr("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                        "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-meta-a;"
                        "x-amz-security-token, Signature="));
}

TEST(AwsSignature, OddKeysAreSignedAsTheyAreSent) {
  const auto canonical = CanonicalAwsRequest(
      {.url = "http://h:9000/b/a%20b%2Bc%3Dd%2520e/%C3%BC~x?prefix=a%20b%2F%2B&delimiter=%2F"},
      kScope, "hash");
  ASSERT_TRUE(canonical);
  EXPECT_EQ(*canonical,
            "GET\n/b/a%20b%2Bc%3Dd%2520e/%C3%BC~x\ndelimiter=%2F&prefix=a%20b%2F%2B\n"
            "host:h:9000\n\nhost\nhash");
}

TEST(AwsSignature, OtherServicesEncodeThePathOnceMore) {
  const auto canonical = CanonicalAwsRequest({.url = "https://h/v1/a%1Fb"},
                                             {.region = "r", .service = "glue"}, "hash");
  ASSERT_TRUE(canonical);
  EXPECT_THAT(*canonical, HasSubstr("GET\n/v1/a%251Fb\n"));
}

TEST(AwsSignature, BlanksInHeadersCountOnce) {
  const auto canonical = CanonicalAwsRequest(
      {.url = "https://h/", .headers = {{"X-A", "  a   b "}, {"x-a", "c"}}}, kScope, "hash");
  ASSERT_TRUE(canonical);
  EXPECT_THAT(*canonical, HasSubstr("host:h\nx-a:a b,c\n"));
  EXPECT_THAT(*canonical, EndsWith("\nhash"));
}

TEST(AwsSignature, NeedsAUrl) {
  Request request{.url = "s3://b/k"};
  EXPECT_EQ(SignForAws(request, kKeys, kScope, "hash", kThen).error().kind,
            ErrorKind::kInvalidInput);
}

}  // namespace
}  // namespace weir::http
