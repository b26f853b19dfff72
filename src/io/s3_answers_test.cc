#include "io/s3_answers.h"

#include <gtest/gtest.h>

namespace weir::io {
namespace {

TEST(S3Answers, AListing) {
  const auto page = ReadListPage(
      "<ListBucketResult><Name>b</Name><IsTruncated>true</IsTruncated>"
      "<NextContinuationToken>1/a+b=</NextContinuationToken>"
      "<Contents><Key>a b&amp;c+%20é</Key><LastModified>2026-11-30T10:00:00.250Z</LastModified>"
      "<ETag>\"x\"</ETag><Size>12</Size></Contents>"
      "<Contents><Key>b</Key><LastModified>2026-11-30T10:00:00Z</LastModified><Size>0</Size>"
      "</Contents></ListBucketResult>");
  ASSERT_TRUE(page) << page.error().ToString();
  EXPECT_EQ(page->next, "1/a+b=");
  ASSERT_EQ(page->objects.size(), 2U);
  EXPECT_EQ(page->objects[0].key, "a b&c+%20é");
  EXPECT_EQ(page->objects[0].size, 12);
  EXPECT_EQ(page->objects[1].modified_ms - page->objects[0].modified_ms, -250);
}

TEST(S3Answers, AListingThatLacksSomethingIsRefused) {
  for (const char* xml :
       {"<Other/>", "<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key><Size>-1</Size>"
        "<LastModified>2026-11-30T10:00:00Z</LastModified></Contents></ListBucketResult>"}) {
    const auto page = ReadListPage(xml);
    ASSERT_FALSE(page) << xml;
    EXPECT_EQ(page.error().kind, ErrorKind::kCorrupt);
  }
}

TEST(S3Answers, AFault) {
  const S3Fault fault =
      ReadFault("<Error><Code>SlowDown</Code><Message>a\nb</Message><Region>eu</Region></Error>");
  EXPECT_EQ(fault.code, "SlowDown");
  EXPECT_EQ(fault.message, "a\\x0ab");
  EXPECT_EQ(fault.region, "eu");
  EXPECT_EQ(ReadFault("<html>busy</html>").code, "");
  EXPECT_EQ(ReadFault("busy").code, "");
}

TEST(S3Answers, ACompletionMayFailInItsBody) {
  EXPECT_FALSE(
      FaultInside("<CompleteMultipartUploadResult><ETag>x</ETag>"
                  "</CompleteMultipartUploadResult>"));
  EXPECT_EQ(FaultInside("<Error><Code>InternalError</Code></Error>")->code, "InternalError");
  EXPECT_TRUE(FaultInside(""));
}

TEST(S3Answers, Uploads) {
  EXPECT_EQ(*ReadUploadId("<InitiateMultipartUploadResult><UploadId>u1</UploadId>"
                          "</InitiateMultipartUploadResult>"),
            "u1");
  EXPECT_FALSE(ReadUploadId("<InitiateMultipartUploadResult/>"));
  const auto uploads = ReadUploads(
      "<ListMultipartUploadsResult><Upload><Key>k</Key><UploadId>u</UploadId></Upload>"
      "</ListMultipartUploadsResult>");
  ASSERT_TRUE(uploads);
  EXPECT_EQ((*uploads)[0].key, "k");
  EXPECT_EQ((*uploads)[0].id, "u");
}

TEST(S3Answers, WhatCouldNotBeDeleted) {
  EXPECT_FALSE(*FirstDeleteFault("<DeleteResult/>"));
  EXPECT_FALSE(*FirstDeleteFault(
      "<DeleteResult><Error><Key>k</Key><Code>NoSuchKey</Code></Error></DeleteResult>"));
  EXPECT_EQ((*FirstDeleteFault("<DeleteResult><Error><Key>k</Key><Code>AccessDenied</Code></Error>"
                               "</DeleteResult>"))
                ->code,
            "AccessDenied");
}

TEST(S3Answers, Times) {
  EXPECT_EQ(ReadIsoTime("2013-05-24T00:00:00Z"), 1'369'353'600 * kMicrosPerSecond);
  EXPECT_EQ(ReadIsoTime("2013-05-24T00:00:00.25Z"),
            1'369'353'600 * kMicrosPerSecond + 250 * kMicrosPerMilli);
  for (const char* text : {"", "2013-05-24", "2013-13-24T00:00:00Z", "2013-05-24T00:00:00+01:00"}) {
    EXPECT_FALSE(ReadIsoTime(text)) << text;
  }
}

TEST(S3Answers, RequestsAreEscaped) {
  EXPECT_NE(
      DeleteXml({"a&b", "c\n"}).find("<Object><Key>a&amp;b</Key></Object><Object><Key>c&#10;"),
      std::string::npos);
  EXPECT_NE(CompleteUploadXml({{.number = 1, .etag = "\"e\"", .sha256 = ""}})
                .find("<Part><PartNumber>1</PartNumber><ETag>\"e\"</ETag></Part>"),
            std::string::npos);
}

}  // namespace
}  // namespace weir::io
