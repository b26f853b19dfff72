#include "state/state_object.h"

#include "base/bytes.h"
#include "base/wire.h"

namespace weir::state {
namespace {

constexpr std::string_view kMagic = "WEIRSTAT";
constexpr std::uint8_t kVersion = 1;

Error Damaged() { return Corrupt("a state object is damaged", ErrorCode::kStateCorrupt); }

}  // namespace

std::size_t StateSection::bytes() const {
  std::size_t total = 0;
  for (const auto& [name, part] : parts) total += part.size();
  return total;
}

std::string EncodeState(const std::vector<StateSection>& sections) {
  WireWriter out;
  out.Raw(kMagic);
  out.Byte(kVersion);
  out.Varint(sections.size());
  for (const StateSection& section : sections) {
    out.Zigzag(section.partition ? section.partition->value() : -1);
    out.Byte(section.base ? 1 : 0);
    out.Varint(section.parts.size());
    for (const auto& [name, part] : section.parts) {
      out.Text(name);
      out.Text(part);
    }
  }
  out.Fixed64(Crc32(out.bytes()));
  return out.Take();
}

Result<std::vector<StateSection>> DecodeState(std::string_view bytes) {
  constexpr std::size_t kChecksum = 8;
  if (bytes.size() < kMagic.size() + 1 + kChecksum || !bytes.starts_with(kMagic)) return Damaged();
  WireReader checksum(bytes.substr(bytes.size() - kChecksum));
  bytes.remove_suffix(kChecksum);
  if (checksum.Fixed64() != Crc32(bytes)) return Damaged();
  WireReader in(bytes.substr(kMagic.size()));
  if (in.Byte() > kVersion)
    return Unsupported("a state object of a newer version of Weir", ErrorCode::kStateCorrupt);
  std::vector<StateSection> sections;
  const std::uint64_t count = in.Varint();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    StateSection section;
    const std::int64_t scope = in.Zigzag();
    if (scope < -1 || scope > INT32_MAX) in.Fail();
    if (scope >= 0) section.partition = Partition(static_cast<std::int32_t>(scope));
    section.base = in.Byte() == 1;
    const std::uint64_t parts = in.Varint();
    for (std::uint64_t part = 0; part < parts && in.ok(); ++part) {
      std::string name(in.Text());
      section.parts[std::move(name)] = in.Text();
    }
    sections.push_back(std::move(section));
  }
  if (!in.ok() || !in.at_end()) return Damaged();
  return sections;
}

}  // namespace weir::state
