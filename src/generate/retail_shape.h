#pragma once
// RetailShape: the 18 fields of the retail contract (examples/retail), as the shop's site and its
// app send them.

#include "generate/shape.h"
#include "generate/time_text.h"

namespace weir::generate {

class RetailShape final : public Shape {
 public:
  explicit RetailShape(const Catalogue& catalogue) : catalogue_(catalogue) {}
  std::string_view name() const override { return "retail"; }
  bool holds_event_id() const override { return true; }
  bool holds_amounts() const override { return true; }
  void Write(const ShopEvent& event, JsonText& out) override;
  std::span<const Flaw> flaws() const override;
  std::string Spoil(std::string_view object, std::size_t flaw) const override;

 private:
  void WritePage(const Page& page, JsonText& out) const;
  void WriteOptional(const ShopEvent& event, JsonText& out) const;

  const Catalogue& catalogue_;  // pages name products by number
  TimeText time_text_;
};

}  // namespace weir::generate
