#pragma once
// RandomRecords: the values of a random log, one after another. Times are drawn around what the
// rules of a pipeline compare with: the watermark, the gap, the border of a window, the latest time
// allowed.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/time.h"

namespace weir::oracle {

inline constexpr Micros kMinute = 60 * kMicrosPerSecond;
inline constexpr Micros kHour = 60 * kMinute;

/// Of event time in one stream.
struct StreamShape {
  Micros base = 0;  // where it begins
  Micros unit = 0;  // of a usual step forwards
  Micros delay = 0;
  Micros horizon = 0;
  Micros gap = 0;
  Micros size = 0;  // of windows
  std::optional<Micros> latest;
  bool late_table = false;
};

StreamShape PickShape(Random& random);

class RandomRecords {
 public:
  RandomRecords(Random& random, const StreamShape& shape) : random_(random), shape_(shape) {}

  /// The value of the next record of a partition; nullopt: a tombstone.
  std::optional<std::string> Next(int partition);

 private:
  Micros NextTime(int partition);
  std::string BadValue(const std::string& time);
  std::string Value(const std::string& id, const std::string& time);
  std::string Field(const char* name, double chance, std::vector<std::string> values);
  Micros Within(Micros span);

  Random& random_;
  StreamShape shape_;
  std::map<int, Micros> newest_;   // event time by partition
  std::vector<std::string> sent_;  // values, to be sent again
  int ids_ = 0;
};

}  // namespace weir::oracle
