#pragma once
// SessionWriter and SessionReader: sessions as bytes. A text is written where it comes first and is
// a number after that. A reader takes any bytes: what cannot be a session makes the WireReader not
// ok(), and memory follows what was really there. Not thread safe.

#include <optional>
#include <string_view>
#include <vector>

#include "base/wire.h"
#include "record/column.h"
#include "stream/sessions_session.h"

namespace weir::stream {

class SessionWriter {
 public:
  SessionWriter(const SessionShape& shape, const SharedTexts& texts, WireWriter* out);
  void Write(const Session& session);

 private:
  void WriteType(SharedTexts::Id id);
  void WriteValue(std::optional<std::string_view> value);

  const SessionShape& shape_;
  const SharedTexts& texts_;
  WireWriter* out_;
  std::vector<std::uint32_t> numbers_;        // of types by id; 0 = not written yet
  SharedTexts values_;                        // that were written ...
  std::vector<std::uint32_t> value_numbers_;  // ... by id
  std::uint32_t written_ = 0;
};

class SessionReader {
 public:
  /// `types`: of the values, first those of the first row.
  SessionReader(const SessionShape& shape, const std::vector<Type>& types, SharedTexts* texts,
                WireReader* in);
  ~SessionReader();
  SessionReader(const SessionReader&) = delete;
  SessionReader& operator=(const SessionReader&) = delete;

  /// A session of this home partition; its texts are held. Without texts when in->ok() is false.
  Session Read(std::int32_t home);

 private:
  struct Numbered {
    std::string_view text;     // in the bytes that are read
    SharedTexts::Id type = 0;  // held while reading, if it was one
  };
  /// A text that was read; nullptr for null.
  Numbered* ReadText();
  SharedTexts::Id ReadType();
  RowPlace ReadPlace(Micros time);
  void ReadCounts(Session* session);
  void ReadValues(Session* session);
  void ReadSteps(Session* session);

  const SessionShape& shape_;
  SharedTexts* texts_;
  WireReader* in_;
  std::vector<Numbered> numbered_;
  std::vector<Column> scratch_;  // a value that fits in here is one of its type
};

}  // namespace weir::stream
