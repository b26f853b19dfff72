#pragma once
// TimeText: writes times as RFC 3339 text, the text of the day kept between calls. One owner.

#include <cstdint>
#include <string>

#include "base/time.h"
#include "generate/json_text.h"

namespace weir::generate {

class TimeText {
 public:
  /// digits: of the fraction, 3 or 6.
  void Write(Micros time, int digits, JsonText& out);

 private:
  std::int32_t day_ = INT32_MIN;
  std::string day_text_;
};

}  // namespace weir::generate
