#pragma once
// EventsShape: {user_id, event, ts}, the least that counting events in windows needs.

#include "generate/shape.h"
#include "generate/time_text.h"

namespace weir::generate {

class EventsShape final : public Shape {
 public:
  std::string_view name() const override { return "events"; }
  bool holds_event_id() const override { return false; }
  bool holds_amounts() const override { return false; }
  void Write(const ShopEvent& event, JsonText& out) override;
  std::span<const Flaw> flaws() const override;
  std::string Spoil(std::string_view object, std::size_t flaw) const override;

 private:
  TimeText time_text_;
};

}  // namespace weir::generate
