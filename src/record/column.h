#pragma once
// Column: the values of one field for many rows, in buffers laid out as Arrow lays them out.
//
// Why our own and not Arrow arrays: the parser appends straight into these buffers and reuses them
// batch after batch, dictionaries outlive batches, and no header of ours pulls Arrow in. The
// Parquet folder encodes pages straight from these buffers.
//
// Not thread safe. Append calls must match the type (DCHECKed). A column holds less than 2 GiB of
// string bytes or items (CHECKed): owners cut row groups long before.
// Under a null struct row the children hold a null, or a zero value where the child is required.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "record/buffer.h"
#include "record/dictionary.h"
#include "record/type.h"

namespace weir {

class Column {
 public:
  explicit Column(Type type);
  Column(Column&&) noexcept;
  Column& operator=(Column&&) noexcept;
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
  ~Column();

  const Type& type() const { return type_; }
  std::size_t size() const { return size_; }
  std::size_t null_count() const { return null_count_; }
  std::size_t memory_bytes() const;

  // --- writing -----------------------------------------------------------------------------------
  void AppendNull();
  void AppendBoolean(bool value);
  void AppendInt(std::int32_t value);   // int and date
  void AppendLong(std::int64_t value);  // long and timestamp
  void AppendFloat(float value);
  void AppendDouble(double value);
  void AppendDecimal(Int128 unscaled);
  void AppendString(std::string_view value);  // string and binary
  void AppendUuid(std::span<const std::uint8_t, 16> value);
  /// A struct row: its children must have got one value each. A list or map row: `items` values
  /// were appended to each child since the last row.
  void AppendStruct();
  void AppendList(std::size_t items);

  /// Up to 64 rows at once. Bit i of `valid` says whether row i has a value; the bits behind n are
  /// clear. T has the width of the type; what stands in null rows is not looked at, but zero is
  /// kept.
  template <typename T>
  void AppendBlock(const T* values, std::uint64_t valid, std::size_t n);
  void AppendTextBlock(const std::string_view* values, std::uint64_t valid, std::size_t n);

  /// Drops the rows behind the first `rows`, and what was appended to children for a row that never
  /// came, for a record that turns out bad half-way.
  void Truncate(std::size_t rows);
  /// Appends rows of another column of the same type, in the order given. Codes are copied when
  /// both hold the same Dictionary object. With another dictionary strings are interned, into a
  /// private copy when ours was given by UseDictionary. A plain source makes a dictionary column
  /// plain: who decoded it found too many distinct values.
  void AppendRows(const Column& source, std::span<const std::uint32_t> rows);
  /// Appends all rows of another column of the same type.
  void AppendAll(const Column& source);
  /// Drops all rows and keeps the memory and the string mode.
  void Clear();

  /// From here on strings are interned into a dictionary, which other columns may share (nullptr:
  /// stored plain). Only while empty.
  void UseDictionary(std::shared_ptr<Dictionary> dictionary);
  /// Strings are stored plain from here on, and so are those of the rows that are there.
  void DropDictionary() {
    if (dictionary_) Materialize();
  }

  // --- reading -----------------------------------------------------------------------------------
  bool IsNull(std::size_t row) const {
    return null_count_ != 0 && ((validity_[row >> 6] >> (row & 63)) & 1U) == 0;
  }
  bool Boolean(std::size_t row) const { return fixed<std::uint8_t>()[row] != 0; }
  std::int32_t Int(std::size_t row) const { return fixed<std::int32_t>()[row]; }
  std::int64_t Long(std::size_t row) const { return fixed<std::int64_t>()[row]; }
  float Float(std::size_t row) const { return fixed<float>()[row]; }
  double Double(std::size_t row) const { return fixed<double>()[row]; }
  Int128 Decimal(std::size_t row) const { return fixed<Int128>()[row]; }
  std::string_view String(std::size_t row) const {
    if (dictionary_) return dictionary_->At(fixed<std::int32_t>()[row]);
    return {bytes_.data() + offsets_[row],
            static_cast<std::size_t>(offsets_[row + 1] - offsets_[row])};
  }
  std::span<const std::uint8_t, 16> Uuid(std::size_t row) const {
    return std::span<const std::uint8_t, 16>(fixed_.data() + 16 * row, 16);
  }
  /// First item of a list or map row; item_begin(row + 1) is its end.
  std::int32_t item_begin(std::size_t row) const { return offsets_[row]; }
  const std::vector<Column>& children() const { return children_; }
  std::vector<Column>& children() { return children_; }

  // --- raw buffers, for the Parquet folder and the dictionary-aware operators
  // -----------------------
  const std::shared_ptr<Dictionary>& dictionary() const { return dictionary_; }
  /// Fixed-width values or, with a dictionary, int32 codes (0 in null rows).
  template <typename T>
  const T* fixed() const {
    return reinterpret_cast<const T*>(fixed_.data());
  }
  /// Bit i set = row i has a value; nullptr when no row is null. Little-endian words.
  const std::uint64_t* validity() const { return null_count_ == 0 ? nullptr : validity_.data(); }
  const Buffer<std::int32_t>& offsets() const { return offsets_; }  // plain strings, lists, maps
  const Buffer<char>& bytes() const { return bytes_; }              // plain strings

 private:
  template <typename T>
  void AppendFixed(T value);
  void AppendBytes(std::string_view value);
  void AppendValid();
  void AppendInvalid();
  void AppendValidBlock(std::uint64_t valid, std::size_t n);
  void FillValidity();
  void AppendPlaceholder();  // under a null struct row
  void AppendZero();         // a row of zero bytes in the value buffers
  bool is_text() const {
    return type_.kind == TypeKind::kString || type_.kind == TypeKind::kBinary;
  }
  void AppendFixedRows(const Column& source, std::span<const std::uint32_t> rows, bool run);
  void AppendValidRows(const Column& source, std::span<const std::uint32_t> rows, bool run);
  void AppendTextRows(const Column& source, std::span<const std::uint32_t> rows, bool run);
  void AppendPlainRows(const Column& source, std::span<const std::uint32_t> rows, bool run);
  void AppendListRows(const Column& source, std::span<const std::uint32_t> rows);
  void Materialize();    // dictionary -> plain
  void OwnDictionary();  // a shared dictionary -> a copy of our own

  Type type_;
  std::size_t width_;  // bytes a row in fixed_; 0 = none
  std::size_t size_ = 0;
  std::size_t null_count_ = 0;
  Buffer<std::uint64_t> validity_;  // empty until the first null
  Buffer<std::uint8_t> fixed_;      // aligned to 16 bytes, enough for Int128
  Buffer<std::int32_t> offsets_;
  Buffer<char> bytes_;
  std::shared_ptr<Dictionary> dictionary_;
  bool owns_dictionary_ = false;
  std::vector<Column> children_;
};

}  // namespace weir
