#include "codec/transcoder.h"

#include <utility>

namespace weir::codec {

bool Refuse(Rejection* rejection, RejectReason reason, std::string message) {
  rejection->reason = reason;
  rejection->message = std::move(message);
  return false;
}

}  // namespace weir::codec
