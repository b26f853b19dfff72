// Any bytes as the state of an event-time operator. The first byte chooses the operator; the rest
// is taken once as it is, and once as payloads of frames with right checksums (a length of two
// bytes before each), since no mutation finds those. What is accepted must survive being written
// again.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/wire.h"
#include "record/contract.h"
#include "record/operator_rules.h"
#include "stream/dedupe.h"
#include "stream/state_frame.h"
#include "stream/windows.h"

namespace {

using weir::AggregateKind;
using weir::Partition;
using weir::TypeKind;

std::string Framed(std::string_view bytes) {
  weir::WireWriter out;
  while (bytes.size() >= 2) {
    const std::size_t size = std::min<std::size_t>(
        bytes.size() - 2, static_cast<std::uint8_t>(bytes[0]) * std::size_t{256} +
                              static_cast<std::uint8_t>(bytes[1]));
    weir::stream::WriteFrame(bytes.substr(2, size), out);
    bytes.remove_prefix(2 + size);
  }
  return out.Take();
}

weir::Contract EventContract() {
  weir::Contract contract;
  const auto add = [&](const char* name, weir::Type type) {
    contract.fields.emplace_back();
    contract.fields.back().field.name = name;
    contract.fields.back().field.type = std::move(type);
  };
  add("id", weir::Type::Of(TypeKind::kString));
  add("user", weir::Type::Of(TypeKind::kLong));
  add("price", weir::Type::Decimal(10, 2));
  add("weight", weir::Type::Of(TypeKind::kDouble));
  return contract;
}

void ReadDedupe(bool compact, std::string_view bytes) {
  weir::DedupeRules rules;
  rules.key = {"id"};
  rules.horizon = weir::kMicrosPerDay;
  rules.compact = compact;
  const weir::Schema schema = weir::TableSchema(EventContract());
  weir::stream::Dedupe dedupe(schema, rules);
  weir::WireReader in(bytes);
  if (!dedupe.Read(Partition(0), in).ok()) return;
  weir::WireWriter out;
  dedupe.WriteBase(Partition(0), out);
  weir::stream::Dedupe again(schema, rules);
  weir::WireReader back(out.bytes());
  WEIR_CHECK(again.Read(Partition(0), back).ok());
  WEIR_CHECK(again.keys() == dedupe.keys());
}

void ReadWindows(std::string_view bytes) {
  weir::WindowRules rules;
  rules.size = 60 * weir::kMicrosPerSecond;
  rules.by = {"id", "user"};
  rules.aggregates = {
      {AggregateKind::kCount, "", "n"},          {AggregateKind::kCountDistinct, "id", "ids"},
      {AggregateKind::kSum, "weight", "sum"},    {AggregateKind::kAvg, "price", "avg"},
      {AggregateKind::kAvg, "user", "user_avg"}, {AggregateKind::kMin, "id", "least"},
      {AggregateKind::kMax, "price", "most"}};
  const weir::Contract contract = EventContract();
  const weir::Schema schema = weir::TableSchema(contract);
  auto columns = std::make_shared<weir::Schema>(weir::WindowColumns(contract, rules).value());
  weir::stream::Windows windows(schema, rules, *columns);
  weir::WireReader in(bytes);
  if (!windows.Read(in).ok()) return;
  weir::WireWriter out;
  windows.WriteBase(out);
  weir::stream::Windows again(schema, rules, *columns);
  weir::WireReader back(out.bytes());
  WEIR_CHECK(again.Read(back).ok());
  weir::Batch rows(columns);
  windows.Close(INT64_MAX, &rows);
  weir::Batch same(columns);
  again.Close(INT64_MAX, &same);
  WEIR_CHECK(rows.rows() == same.rows());
}

void Read(int which, std::string_view bytes) {
  switch (which) {
    case 0:
    case 1:
      return ReadDedupe(which == 1, bytes);
    default:
      return ReadWindows(bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Read(data[0] % 3, bytes);
  Read(data[0] % 3, Framed(bytes));
  return 0;
}
