#pragma once
// What an S3 server says in XML, read into plain values. Pure. Errors: kCorrupt.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "io/store.h"

namespace weir::io {

struct S3ListPage {
  std::vector<ObjectInfo> objects;  // by their whole keys
  std::string next;                 // token of the next page; empty: this was the last
};
Result<S3ListPage> ReadListPage(std::string_view xml);

struct S3Fault {
  std::string code;     // "SlowDown"; empty where the body says nothing
  std::string message;  // printable
  std::string region;   // where the bucket is, if that is the trouble
};
/// Never fails: what cannot be read is an empty fault.
S3Fault ReadFault(std::string_view xml);

/// The id of a multipart upload that was begun.
Result<std::string> ReadUploadId(std::string_view xml);

struct S3Upload {
  std::string key;
  std::string id;
};
/// A page of unfinished multipart uploads.
Result<std::vector<S3Upload>> ReadUploads(std::string_view xml);

/// Completing may answer 200 and say in its body that it failed.
std::optional<S3Fault> FaultInside(std::string_view xml);

/// The first object that a multi-delete could not delete.
Result<std::optional<S3Fault>> FirstDeleteFault(std::string_view xml);

/// "2026-11-30T10:00:00.000Z" as Unix microseconds; nullopt for anything else.
std::optional<Micros> ReadIsoTime(std::string_view text);

struct S3Part {
  int number = 0;
  std::string etag;
  std::string sha256;  // base64
};
std::string CompleteUploadXml(const std::vector<S3Part>& parts);
std::string DeleteXml(const std::vector<std::string>& keys);

}  // namespace weir::io
