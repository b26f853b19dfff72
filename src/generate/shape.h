#pragma once
// Shape: how an event of the shop is written as bytes. One file a shape; a new shape is a class
// here and a line in MakeShape. Not thread safe: a shape may keep texts between calls.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "generate/catalogue.h"
#include "generate/flaw.h"
#include "generate/json_text.h"
#include "generate/shop_event.h"

namespace weir::generate {

class Shape {
 public:
  virtual ~Shape() = default;
  virtual std::string_view name() const = 0;
  /// Whether the text holds these facts of an event; the answer key counts only what it holds.
  virtual bool holds_event_id() const = 0;
  virtual bool holds_amounts() const = 0;  // quantity and price

  /// Appends the event as a valid JSON object.
  virtual void Write(const ShopEvent& event, JsonText& out) = 0;

  /// The ways in which this shape can be spoilt, never none.
  virtual std::span<const Flaw> flaws() const = 0;
  /// `object`, as Write made it, spoilt by flaws()[flaw].
  virtual std::string Spoil(std::string_view object, std::size_t flaw) const = 0;
};

/// "retail" or "events"; nullptr for any other name. The catalogue must outlive the shape.
std::unique_ptr<Shape> MakeShape(std::string_view name, const Catalogue& catalogue);
/// For messages: "retail, events".
std::string_view ShapeNames();

}  // namespace weir::generate
