#include "generate/shape.h"

#include "generate/events_shape.h"
#include "generate/retail_shape.h"

namespace weir::generate {

std::unique_ptr<Shape> MakeShape(std::string_view name, const Catalogue& catalogue) {
  if (name == "retail") return std::make_unique<RetailShape>(catalogue);
  if (name == "events") return std::make_unique<EventsShape>();
  return nullptr;
}

std::string_view ShapeNames() { return "retail, events"; }

}  // namespace weir::generate
