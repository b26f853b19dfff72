#pragma once
// SchemaRegistry: where the schemas of framed values are, as a port; and the framing itself: one
// zero byte, the schema's id as four bytes, big endian, then the value.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::codec {

enum class SchemaType { kAvro, kProtobuf, kJson };

/// A schema that others import, by the name that they import it by.
struct SchemaReference {
  std::string name;
  std::string text;
};

struct RegisteredSchema {
  SchemaType type = SchemaType::kAvro;
  std::string text;
  std::vector<SchemaReference> references;  // all that are needed, those that others need first
};

class SchemaRegistry {
 public:
  virtual ~SchemaRegistry() = default;
  /// kNotFound: no such id. kUnavailable: ask again. kRefused: it wants other credentials.
  virtual Result<RegisteredSchema> ById(std::uint32_t id) = 0;
};

struct Framed {
  std::uint32_t schema_id = 0;
  std::string_view payload;
};
/// nullopt: no such frame.
std::optional<Framed> Unframe(std::string_view value);

}  // namespace weir::codec
