// What the store does with lost replies and odd answers; the contract of all stores is in
// store_test.cc.
#include "io/s3_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/s3_credentials.h"
#include "io/scripted_transport.h"

namespace weir::io {
namespace {

using testing::HasSubstr;

constexpr const char* kDate = "Fri, 24 May 2013 00:00:00 GMT";

class S3StoreTest : public testing::Test {
 protected:
  S3StoreTest() {
    options_.endpoint = "http://store";
    options_.path_style = true;
    options_.region = "us-east-1";
    options_.clock = &clock_;
    options_.transport = transport_;
    options_.attempts = 6;
    options_.credentials = FixedCredentials({.access_key = "ak", .secret_key = "sk"});
    store_ = *OpenS3("b", "p", options_);
  }
  std::string Header(std::size_t index, std::string_view name) const {
    const std::string* value = http::FindHeader(transport_->sent.at(index).headers, name);
    return value == nullptr ? "" : *value;
  }
  // Answers the next HEAD with the mark of the put before it.
  void OnHeadShowOurs() {
    transport_->on_head = [this]() -> Result<http::Response> {
      return Answer(200, {{"x-amz-meta-weir-put", Header(0, "x-amz-meta-weir-put")},
                          {"Content-Length", "1"},
                          {"Last-Modified", kDate}});
    };
  }
  void OnHead(int status) {
    transport_->on_head = [status] { return Answer(status); };
  }

  ManualClock clock_{1'796'000'000 * kMicrosPerSecond};
  std::shared_ptr<ScriptedTransport> transport_ = std::make_shared<ScriptedTransport>();
  S3Options options_;
  std::unique_ptr<Store> store_;
};

TEST_F(S3StoreTest, APutIfAbsentSaysSoToTheServer) {
  transport_->answers = {Answer(200), Answer(412)};
  EXPECT_EQ(*store_->PutIfAbsent("a b/c", "x"), PutOutcome::kStored);
  EXPECT_EQ(Header(0, "If-None-Match"), "*");
  EXPECT_EQ(transport_->sent[0].url, "http://store/b/p/a%20b/c");
  EXPECT_EQ(Header(0, "x-amz-checksum-sha256"), "LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE=");
  OnHead(200);
  EXPECT_EQ(*store_->PutIfAbsent("a b/c", "x"), PutOutcome::kExists);
}

TEST_F(S3StoreTest, ALostReplyIsFoundToBeOurs) {
  OnHeadShowOurs();
  transport_->answers = {CommitUnknown("reset"), Answer(412)};
  EXPECT_EQ(*store_->PutIfAbsent("k", "x"), PutOutcome::kStored);
  EXPECT_EQ(Header(0, "x-amz-meta-weir-put"), Header(1, "x-amz-meta-weir-put"));
}

TEST_F(S3StoreTest, TheTransportMayHaveSentItTwice) {
  OnHeadShowOurs();
  transport_->answers = {Answer(412)};
  EXPECT_EQ(*store_->PutIfAbsent("k", "x"), PutOutcome::kStored);
}

TEST_F(S3StoreTest, ALostReplyIsFoundToBeAnothers) {
  transport_->answers = {CommitUnknown("reset"), Answer(412)};
  transport_->on_head = [] { return Answer(200, {{"x-amz-meta-weir-put", "another"}}); };
  EXPECT_EQ(*store_->PutIfAbsent("k", "x"), PutOutcome::kExists);
}

TEST_F(S3StoreTest, WhatCannotBeKnownIsUnknown) {
  for (int i = 0; i < 6; ++i) transport_->answers.emplace_back(CommitUnknown("reset"));
  OnHead(404);
  const auto put = store_->PutIfAbsent("k", "x");
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, ErrorKind::kCommitUnknown);
}

TEST_F(S3StoreTest, AfterTheLastTryALookDecides) {
  for (int i = 0; i < 6; ++i) transport_->answers.emplace_back(CommitUnknown("reset"));
  OnHeadShowOurs();
  EXPECT_EQ(*store_->PutIfAbsent("k", "x"), PutOutcome::kStored);
}

TEST_F(S3StoreTest, APutForAHintNeverLeavesDoubt) {
  for (int i = 0; i < 6; ++i) transport_->answers.emplace_back(CommitUnknown("reset"));
  EXPECT_EQ(store_->Put("k", "x").error().kind, ErrorKind::kUnavailable);
}

TEST_F(S3StoreTest, AMissingBucketIsNoMissingObject) {
  transport_->answers = {Fault(404, "NoSuchBucket"), Fault(404, "NoSuchKey")};
  EXPECT_EQ(store_->Get("k").error().kind, ErrorKind::kRefused);
  EXPECT_EQ(store_->Get("k").error().kind, ErrorKind::kNotFound);
}

TEST_F(S3StoreTest, AFullStoreIsSaidToBeFull) {
  transport_->answers = {Fault(507, "InsufficientStorage"), Fault(400, "QuotaExceeded")};
  EXPECT_EQ(store_->Put("k", "x").error().code, ErrorCode::kStorageFull);
  EXPECT_EQ(store_->PutIfAbsent("k", "x").error().code, ErrorCode::kStorageFull);
}

TEST_F(S3StoreTest, ABodyThatBreaksOffComesInPieces) {
  for (int i = 0; i < 6; ++i) transport_->answers.emplace_back(CommitUnknown("cut"));
  transport_->on_head = [] { return Answer(200, {{"Content-Length", "3"}, {"ETag", "\"e\""}}); };
  transport_->answers.push_back(Answer(206, {}, "abc"));
  EXPECT_EQ(*store_->Get("k"), "abc");
  EXPECT_EQ(Header(7, "Range"), "bytes=0-2");
  EXPECT_EQ(Header(7, "If-Match"), "\"e\"");
}

TEST_F(S3StoreTest, WrongBytesAreFoundByTheirChecksum) {
  transport_->answers = {Answer(200, {{"x-amz-checksum-sha256", "AAAA"}}, "x")};
  EXPECT_EQ(store_->Get("k").error().kind, ErrorKind::kUnavailable);
  // Of an upload in parts the checksum is one of checksums.
  transport_->answers = {Answer(200, {{"x-amz-checksum-sha256", "AAAA-2"}}, "x")};
  EXPECT_EQ(*store_->Get("k"), "x");
}

TEST_F(S3StoreTest, RangesEndWhereTheObjectEnds) {
  transport_->answers = {Answer(206, {}, "bc"), Answer(416), Answer(200, {}, "abc")};
  EXPECT_EQ(*store_->GetRange("k", 1, 10), "bc");
  EXPECT_EQ(Header(0, "Range"), "bytes=1-10");
  EXPECT_EQ(*store_->GetRange("k", 9, 10), "");
  EXPECT_EQ(*store_->GetRange("k", 1, 1), "b");
}

TEST_F(S3StoreTest, ListsPageByPage) {
  const auto page = [](const std::string& key, const std::string& next) {
    return Answer(200, {},
                  "<ListBucketResult><Contents><Key>" + key +
                      "</Key><Size>1</Size><LastModified>2026-11-30T10:00:00Z</LastModified>"
                      "</Contents><IsTruncated>" +
                      (next.empty() ? "false" : "true") + "</IsTruncated><NextContinuationToken>" +
                      next + "</NextContinuationToken></ListBucketResult>");
  };
  transport_->answers = {page("p/b", "t 1"), page("p/folder/", "t2"), page("p/a", "")};
  const auto listed = store_->List("");
  ASSERT_TRUE(listed) << listed.error().ToString();
  ASSERT_EQ(listed->size(), 2U);
  EXPECT_EQ((*listed)[0].key, "a");
  EXPECT_EQ((*listed)[1].key, "b");
  EXPECT_THAT(transport_->sent[0].url, HasSubstr("?list-type=2&prefix=p%2F"));
  EXPECT_THAT(transport_->sent[1].url, HasSubstr("continuation-token=t%201"));
}

TEST_F(S3StoreTest, DeletesManyByOneCall) {
  std::vector<std::string> keys;
  keys.reserve(1'001);
  for (int i = 0; i < 1'001; ++i) keys.push_back("k" + std::to_string(i));
  transport_->answers = {
      Answer(200, {}, "<DeleteResult/>"),
      Answer(200, {},
             "<DeleteResult><Error><Key>x</Key><Code>InternalError</Code></Error>"
             "</DeleteResult>")};
  const Status deleted = store_->DeleteAll(keys);
  EXPECT_EQ(deleted.error().kind, ErrorKind::kUnavailable);
  ASSERT_EQ(transport_->sent.size(), 2U);
  EXPECT_EQ(transport_->sent[0].url, "http://store/b/?delete=");
  EXPECT_THAT(transport_->sent[0].body, HasSubstr("<Key>p/k999</Key>"));
  EXPECT_FALSE(Header(0, "Content-MD5").empty());
}

TEST_F(S3StoreTest, WhatADeadWriterLeftIsAborted) {
  transport_->answers = {
      Answer(204),
      Answer(
          200, {},
          "<ListMultipartUploadsResult><Upload><Key>p/k</Key><UploadId>u1</UploadId></Upload>"
          "<Upload><Key>p/k2</Key><UploadId>u2</UploadId></Upload></ListMultipartUploadsResult>"),
      Answer(204)};
  ASSERT_TRUE(store_->Discard("k"));
  ASSERT_EQ(transport_->sent.size(), 3U);
  EXPECT_EQ(transport_->sent[2].url, "http://store/b/p/k?uploadId=u1");
}

TEST_F(S3StoreTest, OptionsThatCannotWorkAreRefused) {
  options_.part_bytes = 1'000;
  EXPECT_EQ(OpenS3("b", "", options_).error().kind, ErrorKind::kInvalidInput);
  options_ = {};
  options_.endpoint = "store:9000";
  EXPECT_EQ(OpenS3("b", "", options_).error().kind, ErrorKind::kInvalidInput);
}

class S3StreamTest : public S3StoreTest {
 protected:
  S3StreamTest() : part_(5 << 20, 'x') {
    options_.part_bytes = 5 << 20;
    store_ = *OpenS3("b", "p", options_);
    transport_->answers = {Answer(200, {},
                                  "<InitiateMultipartUploadResult><UploadId>u</UploadId>"
                                  "</InitiateMultipartUploadResult>"),
                           Answer(200, {{"ETag", "\"1\""}})};
  }
  // An upload whose first part is sent.
  std::unique_ptr<OutputStream> Begun() {
    auto stream = *store_->Create("k");
    EXPECT_TRUE(stream->Append(part_));
    EXPECT_TRUE(stream->Append("tail"));
    return stream;
  }
  void OnPartThen(std::vector<Result<http::Response>> answers) {
    transport_->answers.push_back(Answer(200, {{"ETag", "\"2\""}}));
    for (auto& answer : answers) transport_->answers.push_back(std::move(answer));
  }

  const std::string part_;
};

TEST_F(S3StreamTest, ALongObjectIsUploadedInParts) {
  OnPartThen({Answer(200, {}, "<CompleteMultipartUploadResult/>")});
  auto stream = Begun();
  ASSERT_TRUE(stream->Finish());
  EXPECT_EQ(stream->size(), (5 << 20) + 4);
  stream.reset();
  ASSERT_EQ(transport_->sent.size(), 4U);
  EXPECT_EQ(transport_->sent[0].url, "http://store/b/p/k?uploads=");
  EXPECT_EQ(transport_->sent[3].url, "http://store/b/p/k?uploadId=u");
  EXPECT_EQ(Header(3, "If-None-Match"), "*");
  EXPECT_EQ(Header(3, "x-amz-checksum-sha256"), "");
  EXPECT_THAT(transport_->sent[3].body, HasSubstr("<PartNumber>2</PartNumber>"));
}

TEST_F(S3StreamTest, ACompletionThatFailsInItsBodyIsTriedAgain) {
  OnPartThen({Fault(200, "InternalError"), Answer(200, {}, "<CompleteMultipartUploadResult/>")});
  EXPECT_TRUE(Begun()->Finish());
}

TEST_F(S3StreamTest, ACompletionWhoseReplyWasLostIsFoundToBeOurs) {
  OnPartThen({CommitUnknown("reset"), Fault(404, "NoSuchUpload")});
  OnHeadShowOurs();
  EXPECT_TRUE(Begun()->Finish());
}

TEST_F(S3StreamTest, AnObjectThatIsThereIsAConflictAndThePartsGo) {
  OnPartThen({Answer(412), Answer(204)});
  OnHead(200);
  EXPECT_EQ(Begun()->Finish().error().kind, ErrorKind::kConflict);
  EXPECT_EQ(transport_->sent.back().method, http::Method::kDelete);
}

TEST_F(S3StreamTest, AStreamThatIsDroppedAbortsItsUpload) {
  transport_->answers.push_back(Answer(204));
  Begun().reset();
  EXPECT_EQ(transport_->sent.back().method, http::Method::kDelete);
  EXPECT_EQ(transport_->sent.back().url, "http://store/b/p/k?uploadId=u");
}

TEST_F(S3StreamTest, APartWithoutATagFailsTheStream) {
  transport_->answers.back() = Answer(200);
  OnPartThen({Answer(204)});
  EXPECT_EQ(Begun()->Finish().error().kind, ErrorKind::kUnavailable);
}

}  // namespace
}  // namespace weir::io
