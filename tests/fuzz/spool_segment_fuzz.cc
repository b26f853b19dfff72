// Any bytes as the payload of a segment of the embedded log: read to its end or found damaged,
// never read beyond it. The first byte says how many records the segment claims to hold.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "spool/segment.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  auto segment = std::make_shared<weir::spool::Segment>();
  segment->first = weir::Offset(7);
  segment->content.records = data[0];
  segment->content.payload.assign(reinterpret_cast<const char*>(data) + 1, size - 1);

  weir::spool::SegmentCursor cursor(weir::Partition(0), segment);
  weir::spool::HeaderArena headers;
  std::uint64_t sum = 0;
  weir::Offset expected = segment->first;
  while (!cursor.done()) {
    WEIR_CHECK(cursor.next() == expected);
    weir::LogRecord record;
    if (!cursor.Read(record, headers)) return 0;
    for (const char c : record.value.value_or("")) sum += static_cast<unsigned char>(c);
    for (const char c : record.key.value_or("")) sum += static_cast<unsigned char>(c);
    for (const auto& header : record.headers) sum += header.name.size();
    expected = weir::Offset(expected.value() + 1);
  }
  return sum == 1 ? 1 : 0;
}
