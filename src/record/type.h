#pragma once
// Types, fields and schemas: the vocabulary that contract, batch, Parquet and tables share.
//
// Values in memory: boolean 1 byte, int and date int32, long and timestamp int64 (timestamp in
// microseconds UTC), float and double IEEE, decimal 128-bit unscaled, uuid 16 bytes big endian,
// string UTF-8, binary raw. Plain values, freely copied; comparisons are structural.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

enum class TypeKind : std::uint8_t {
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kDecimal,
  kDate,
  kTimestamp,
  kString,
  kUuid,
  kBinary,
  kStruct,
  kList,
  kMap,
};

struct Field;

/// A type. Struct: one child a field. List: one child `element`. Map: `key` and `value`.
struct Type {
  TypeKind kind = TypeKind::kString;
  int precision = 0;  // decimal only, 1 to 38
  int scale = 0;      // decimal only, 0 to precision
  bool zoned = true;  // timestamp only: false = a wall-clock value of a foreign table
  std::vector<Field> children;

  bool is_nested() const { return kind >= TypeKind::kStruct; }
  bool operator==(const Type& other) const;

  static Type Of(TypeKind kind);
  static Type Decimal(int precision, int scale);
  static Type Struct(std::vector<Field> fields);
  static Type List(Type element, bool element_required = false);
  static Type Map(Type key, Type value, bool value_required = false);
};

/// A named, typed place in a schema. id: the field id of the table; 0 = none assigned.
struct Field {
  std::string name;
  Type type;
  bool required = false;
  int id = 0;
  std::string doc;

  bool operator==(const Field& other) const = default;
};

struct Schema {
  std::vector<Field> fields;

  /// Index of a top-level field by exact name.
  std::optional<std::size_t> IndexOf(std::string_view name) const;
  bool operator==(const Schema& other) const = default;
};

/// "decimal(10,2)", "list<string>", "struct<a: int, b: string>": the contract's own spelling.
std::string ToString(const Type& type);

/// Gives every field without an id a fresh one: a level first, then its children, as Iceberg does.
/// Returns the highest id in use.
int AssignFieldIds(Schema& schema, int highest_in_use = 0);

__extension__ typedef __int128 Int128;  // `using` takes no __extension__
__extension__ typedef unsigned __int128 UInt128;

/// "12.34" of an unscaled value.
std::string DecimalToString(Int128 unscaled, int scale);

}  // namespace weir
