#include "db/session.h"

#include <utility>

#include "base/check.h"

namespace weir::db {

Result<Work> Work::Begin(Session& session) {
  WEIR_TRY(session.Begin());
  return Work(session);
}

Work::Work(Work&& other) noexcept : session_(std::exchange(other.session_, nullptr)) {}

Work::~Work() {
  if (session_ != nullptr) session_->Rollback();
}

Status Work::Commit() {
  WEIR_CHECK(session_ != nullptr);
  return std::exchange(session_, nullptr)->Commit();
}

}  // namespace weir::db
