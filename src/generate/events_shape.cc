#include "generate/events_shape.h"

#include <array>

namespace weir::generate {
namespace {

enum EventsFlaw : std::size_t { kTruncated, kEventMissing, kTimeText, kUserObject, kFlawCount };

constexpr std::array<Flaw, kFlawCount> kFlaws = {{
    {"truncated", RejectReason::kMalformed},
    {"event_missing", RejectReason::kMissing},
    {"time_text", RejectReason::kBadTimestamp},
    {"user_object", RejectReason::kWrongType},
}};

}  // namespace

void EventsShape::Write(const ShopEvent& event, JsonText& out) {
  out.Literal(R"({"user_id":"user_)");
  out.Padded(event.user, 6);
  out.Literal(R"(","event":")");
  out.Text(ToString(event.type));
  out.Literal(R"(","ts":")");
  time_text_.Write(event.time, IsFromApp(event) ? 6 : 3, out);
  out.Literal(R"("})");
}

std::span<const Flaw> EventsShape::flaws() const { return kFlaws; }

std::string EventsShape::Spoil(std::string_view object, std::size_t flaw) const {
  std::string spoilt(object);
  switch (flaw) {
    case kEventMissing:
      RemoveMember(spoilt, "event");
      break;
    case kTimeText:
      SetMember(spoilt, "ts", R"("yesterday at ten")");
      break;
    case kUserObject:
      SetMember(spoilt, "user_id", R"({"name":"ann"})");
      break;
    default:
      return Truncated(object);
  }
  return spoilt;
}

}  // namespace weir::generate
