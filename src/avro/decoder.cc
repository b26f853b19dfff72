#include "avro/decoder.h"

#include <bit>
#include <limits>

namespace weir::avro {
namespace {

constexpr int kMaxDepth = 128;

template <typename T>
T LittleEndian(std::string_view bytes) {
  T bits = 0;
  for (std::size_t i = 0; i < sizeof(T) && i < bytes.size(); ++i) {
    bits |= static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes[i])) << (8 * i));
  }
  return bits;
}

const Node& NullNode() {
  static const Node kNull;
  return kNull;
}

}  // namespace

bool Decoder::Boolean() {
  const std::string_view byte = Fixed(1);
  if (!byte.empty() && byte[0] != '\0' && byte[0] != '\1') Fail();
  return !failed_ && byte[0] == '\1';
}

std::int64_t Decoder::Long() {
  std::uint64_t value = 0;
  int shift = 0;
  for (std::size_t i = 0; i < rest_.size() && shift < 64; ++i, shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_[i]);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if ((byte & 0x80U) == 0) {
      rest_.remove_prefix(i + 1);
      return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
    }
  }
  Fail();
  return 0;
}

float Decoder::Float() { return std::bit_cast<float>(LittleEndian<std::uint32_t>(Fixed(4))); }

double Decoder::Double() { return std::bit_cast<double>(LittleEndian<std::uint64_t>(Fixed(8))); }

std::string_view Decoder::Bytes() {
  const std::int64_t size = Long();
  if (size < 0) Fail();
  return failed_ ? std::string_view() : Fixed(static_cast<std::size_t>(size));
}

std::string_view Decoder::Fixed(std::size_t size) {
  if (size > rest_.size()) Fail();
  if (failed_) return {};
  const std::string_view value = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return value;
}

std::optional<bool> Decoder::BooleanOf(const Node& type) {
  const Node& node = Resolve(type);
  if (node.kind == Kind::kNull) return std::nullopt;
  if (node.kind != Kind::kBoolean) Fail();
  return Boolean();
}

std::optional<std::int64_t> Decoder::LongOf(const Node& type) {
  const Node& node = Resolve(type);
  if (node.kind == Kind::kNull) return std::nullopt;
  if (node.kind != Kind::kInt && node.kind != Kind::kLong) Fail();
  return Long();
}

std::optional<std::int32_t> Decoder::IntOf(const Node& type) {
  const std::optional<std::int64_t> number = LongOf(type);
  if (!number) return std::nullopt;
  if (*number < std::numeric_limits<std::int32_t>::min() ||
      *number > std::numeric_limits<std::int32_t>::max()) {
    Fail();
  }
  return static_cast<std::int32_t>(*number);
}

std::optional<std::string> Decoder::BytesOf(const Node& type) {
  const Node& node = Resolve(type);
  if (node.kind == Kind::kNull) return std::nullopt;
  if (node.kind == Kind::kFixed) return std::string(Fixed(node.size));
  if (node.kind != Kind::kString && node.kind != Kind::kBytes) Fail();
  return std::string(Bytes());
}

const Node& Decoder::Resolve(const Node& type) {
  if (type.kind != Kind::kUnion) return type;
  const std::int64_t index = Long();
  if (index < 0 || static_cast<std::size_t>(index) >= type.branches.size()) Fail();
  return failed_ ? NullNode() : *type.branches[static_cast<std::size_t>(index)];
}

// The items of the next block; 0 at the end. Writers may put a negative count and the block's size
// in bytes, for readers who want to jump. An item takes at least one byte in every schema that
// means something, so no more items than bytes can follow.
std::int64_t Decoder::BlockCount() {
  std::int64_t count = Long();
  if (count < 0) {
    if (count == std::numeric_limits<std::int64_t>::min()) Fail();
    count = failed_ ? 0 : -count;
    if (Long() < 0) Fail();
  }
  if (static_cast<std::uint64_t>(count) > rest_.size()) Fail();
  return failed_ ? 0 : count;
}

void Decoder::Skip(const Node& type, int depth) {
  if (!Work()) return;
  if (depth > kMaxDepth) return Fail();
  switch (type.kind) {
    case Kind::kNull:
      return;
    case Kind::kBoolean:
      Boolean();
      return;
    case Kind::kInt:
    case Kind::kLong:
    case Kind::kEnum:
      Long();
      return;
    case Kind::kFloat:
      Fixed(4);
      return;
    case Kind::kDouble:
      Fixed(8);
      return;
    case Kind::kBytes:
    case Kind::kString:
      Bytes();
      return;
    case Kind::kFixed:
      Fixed(type.size);
      return;
    case Kind::kUnion:
      return Skip(Resolve(type), depth + 1);
    case Kind::kRecord:
      for (const Member& member : type.members) {
        if (failed_) return;
        Skip(*member.type, depth + 1);
      }
      return;
    case Kind::kArray:
      return ForEachItem([&] { Skip(type.item(), depth + 1); });
    case Kind::kMap:
      return ForEachItem([&] {
        Bytes();
        Skip(type.item(), depth + 1);
      });
  }
}

}  // namespace weir::avro
