#include "codec/json_walker.h"

#include "base/check.h"
#include "codec/json_text.h"

namespace weir::codec {

JsonWalker::JsonWalker(const JsonValue& container)
    : p_(container.text.data() + 1), end_(container.text.data() + container.text.size() - 1) {
  WEIR_DCHECK(container.kind == JsonKind::kObject || container.kind == JsonKind::kArray);
}

// Stands on the next member or item, if there is one.
bool JsonWalker::AtNext() {
  p_ = SkipSpace(p_, end_);
  if (p_ != end_ && *p_ == ',') p_ = SkipSpace(p_ + 1, end_);
  return p_ != end_;
}

bool JsonWalker::NextMember(JsonMember* member) {
  if (!AtNext()) return false;
  p_ = SkipCheckedValue(p_, end_, &member->key);
  p_ = SkipSpace(p_, end_);
  p_ = SkipSpace(p_ + 1, end_);  // the colon
  p_ = SkipCheckedValue(p_, end_, &member->value);
  return true;
}

bool JsonWalker::NextItem(JsonValue* item) {
  if (!AtNext()) return false;
  p_ = SkipCheckedValue(p_, end_, item);
  return true;
}

}  // namespace weir::codec
