#pragma once
// JsonScanner: the strict reader. Checks that a record is one well-formed JSON object and nothing
// else, and finds the members of that object. It converts nothing.
//
// The first problem by position decides, except that duplicate keys are found where their object
// ends. Depth is bounded before anything is built, nothing recurses, and duplicate keys cost
// O(n log n) at worst. One scanner serves one thread; members() live until the next Scan and as
// long as the record's bytes.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/json_text.h"
#include "codec/json_value.h"
#include "record/rejection.h"

namespace weir::codec {

/// Why a record is no JSON object, in the words of the quarantine table.
struct StructureFault {
  RejectReason reason = RejectReason::kMalformed;
  std::size_t offset = 0;  // of the byte where it was seen
  std::string pointer;     // kDuplicateKey: the member that is there twice
  std::string what;        // "a string without its end"
};

class JsonScanner {
 public:
  explicit JsonScanner(int max_depth);

  /// nullopt: the record is one JSON object whose members are in members().
  std::optional<StructureFault> Scan(std::string_view record);

  const std::vector<JsonMember>& members() const { return members_; }

  /// Checks one value that starts at p as a member of the record's object: the byte behind it, or
  /// nullptr. members() are not touched.
  const char* ReadMember(const char* p, const char* end);

  /// What a key or string means. The view lives until the next Scan.
  std::string_view TextOf(const JsonValue& value);

 private:
  struct Frame {
    bool object = false;
    bool check_keys = false;         // two keys of many fell on one bit of `seen`, or are equal
    std::uint32_t keys_begin = 0;    // into keys_
    std::uint64_t seen[2] = {0, 0};  // a small Bloom filter of the keys
    std::uint32_t items = 0;         // of an array, for the pointer
  };

  const char* ScanValue(const char* p, const char* end);
  const char* ScanBehindValue(const char* p, const char* end);
  const char* ScanMemberStart(const char* p, const char* end);
  const char* ScanScalar(const char* p, const char* end, JsonValue* value);
  bool NamesMember() const;
  const char* Open(const char* p, bool object);
  bool Close(const char* p);
  const char* Fail(RejectReason reason, const char* at, std::string what);
  void NoteKey(Frame& frame, const JsonValue& key);
  const std::string_view* RepeatedKey(const Frame& frame);
  std::string PointerTo(std::string_view key) const;

  const std::size_t max_depth_;
  std::size_t outside_ = 0;             // frames that were open before the value at hand
  std::vector<Frame> frames_;           // the open objects and arrays
  std::vector<std::string_view> keys_;  // of the open objects, meaning not spelling
  std::deque<std::string> unescaped_;
  std::vector<JsonMember> members_;
  const char* top_value_ = nullptr;  // where an open top-level object or array value starts
  StructureFault fault_;
  const char* fault_at_ = nullptr;
};

}  // namespace weir::codec
