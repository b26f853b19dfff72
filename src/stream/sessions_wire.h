#pragma once
// SessionWriter and SessionReader: sessions as bytes. A text is written where it comes first and is
// a number after that. A reader takes any bytes: what cannot be a session makes the WireReader not
// ok(), and memory follows what was really there. Not thread safe.

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
  void WriteText(SharedTexts::Id id);

  const SessionShape& shape_;
  const SharedTexts& texts_;
  WireWriter* out_;
  std::vector<std::uint32_t> numbers_;  // by id; 0 = not written yet
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
  SharedTexts::Id ReadText();
  RowPlace ReadPlace(Micros time);
  void ReadCounts(Session* session);
  void ReadValues(Session* session);
  void ReadSteps(Session* session);

  const SessionShape& shape_;
  SharedTexts* texts_;
  WireReader* in_;
  std::vector<SharedTexts::Id> numbered_;  // each held while reading
  std::vector<Column> scratch_;            // a value that fits in here is one of its type
};

}  // namespace weir::stream
