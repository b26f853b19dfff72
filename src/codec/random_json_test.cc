#include "codec/random_json.h"

#include <algorithm>

#include "codec/decode_outcome.h"

// Escapes are the matter of many cases, so they are spelled as they are.
// NOLINTBEGIN(modernize-raw-string-literal)
namespace weir::codec {

Contract RandomJson::Fields() {
  const Type text = Type::Of(TypeKind::kString);
  return ContractOf({
      FieldOf("event_id", Type::Of(TypeKind::kUuid)),
      FieldOf("event_time", Type::Of(TypeKind::kTimestamp)),
      FieldOf("user_id", text),
      FieldOf("page_url", text),
      FieldOf("referrer_url", text),
      FieldOf("quantity", Type::Of(TypeKind::kInt)),
      FieldOf("visits", Type::Of(TypeKind::kLong)),
      FieldOf("price", Type::Decimal(10, 2)),
      FieldOf("score", Type::Of(TypeKind::kDouble)),
      FieldOf("ratio", Type::Of(TypeKind::kFloat)),
      FieldOf("member", Type::Of(TypeKind::kBoolean)),
      FieldOf("birthday", Type::Of(TypeKind::kDate)),
      FieldOf("props",
              Type::Struct({FieldOf("color", text), FieldOf("size", Type::Of(TypeKind::kInt))})),
      FieldOf("tags", Type::List(text)),
      FieldOf("labels", Type::Map(text, Type::Of(TypeKind::kLong))),
      FieldOf("device", text),
  });
}

std::string RandomJson::Text() {
  static const char* const kOdd[] = {
      "\\n",    "\\u00e9", "\\ud83d\\ude00", "é",    "€", "😀", "\\\"",
      "\\\\",   "\\/",     "\\u0000",        "\x7f", " ", "'", "{",
      "}],\":", "\\ud800", "\xff",           "\xc3", "\n"};
  std::string text;
  const std::uint32_t size = Below(10) == 0 ? Below(200) : Below(40);
  while (text.size() < size) text += static_cast<char>('a' + Below(26));
  while (Below(12) == 0) {
    // Byte faults are rarer than odd but good characters.
    const std::uint32_t count = Below(8) == 0 ? std::size(kOdd) : std::size(kOdd) - 4;
    text.insert(Below(static_cast<std::uint32_t>(text.size()) + 1), kOdd[Below(count)]);
  }
  return "\"" + text + "\"";
}

std::string RandomJson::Number() {
  static const char* const kOdd[] = {"0",
                                     "-0",
                                     "1e3",
                                     "7.0",
                                     "1E+2",
                                     "2147483648",
                                     "-1",
                                     "1.5",
                                     "1e9",
                                     "0.000",
                                     "12345.678",
                                     "1e-2",
                                     "99999999.99",
                                     "1e400",
                                     "01",
                                     ".5",
                                     "9223372036854775808",
                                     "1e",
                                     "-",
                                     "1.7976931348623159e308"};
  if (Below(6) == 0) return kOdd[Below(std::size(kOdd))];
  std::string number = std::to_string(Below(1000));
  if (Below(2) == 0) number += "." + std::to_string(Below(10)) + std::to_string(Below(10));
  return number;
}

std::string RandomJson::Time() {
  static const char* const kOdd[] = {"2026-02-29T00:00:00Z",
                                     "2024-02-29T23:59:60Z",
                                     "2026-01-01T00:00:00",
                                     "2026-01-01 00:00:00.123456789+05:30",
                                     "0001-01-01T00:00:00Z",
                                     "9999-12-31T23:59:59.999999Z",
                                     "2026-01-01T00:00Z",
                                     "2026-13-01T00:00:00Z",
                                     "2026-01-01T24:00:00Z",
                                     "2026-01-01T00:00:00.5z",
                                     "x"};
  if (Below(6) == 0) return "\"" + std::string(kOdd[Below(std::size(kOdd))]) + "\"";
  char text[64];
  std::snprintf(text, sizeof(text), "\"20%02u-%02u-%02uT%02u:%02u:%02u.%03uZ\"", Below(100),
                1 + Below(12), 1 + Below(28), Below(24), Below(60), Below(60), Below(1000));
  return text;
}

std::string RandomJson::Nested(int depth) {
  if (depth > 3 || Below(3) == 0) return Below(2) == 0 ? Text() : Number();
  std::string text;
  const std::uint32_t items = Below(4);
  const bool object = Below(2) == 0;
  for (std::uint32_t i = 0; i < items; ++i) {
    if (i != 0) text += Rarely() ? " , " : ",";
    if (object) text += "\"k" + std::to_string(Rarely() ? 0 : i) + "\":";
    text += Nested(depth + 1);
  }
  return object ? "{" + text + "}" : "[" + text + "]";
}

std::string RandomJson::ValueOf(const Type& type) {
  if (Below(6) == 0) return "null";
  if (Below(60) == 0) return Nested(0);
  switch (type.kind) {
    case TypeKind::kString:
      return Text();
    case TypeKind::kTimestamp:
      return Time();
    case TypeKind::kBoolean:
      return Below(2) == 0 ? "true" : "false";
    case TypeKind::kDate:
      return "\"2026-0" + std::to_string(1 + Below(9)) + "-1" + std::to_string(Below(10)) + "\"";
    case TypeKind::kUuid: {
      char text[48];
      std::snprintf(text, sizeof(text), "\"%08x-%04x-%04x-%04x-%08x%04x\"",
                    static_cast<unsigned>(random_()), Below(65536), Below(65536), Below(65536),
                    static_cast<unsigned>(random_()), Below(65536));
      return text;
    }
    case TypeKind::kStruct:
      return "{\"color\":" + Text() + ",\"size\":" + std::to_string(Below(50)) + "}";
    case TypeKind::kList:
      return Below(2) == 0 ? "[]" : "[" + Text() + "," + Text() + "]";
    case TypeKind::kMap:
      return "{\"a\":" + std::to_string(Below(9)) + ",\"b\":null}";
    default:
      return Number();
  }
}

std::string RandomJson::Event() {
  static const Contract kContract = Fields();
  std::vector<std::string> members;
  for (const ContractField& field : kContract.fields) {
    if (Rarely()) continue;
    std::string key = field.field.name;
    if (Below(200) == 0) key = "\\u00" + std::string("65") + key.substr(1);  // \u0065 is e
    members.push_back("\"" + key + "\":" + (Below(50) == 0 ? " " : "") + ValueOf(field.field.type));
  }
  if (Below(4) == 0) members.push_back("\"extra\":" + Nested(0));
  if (Below(20) == 0) members.push_back("\"x" + std::to_string(Below(300)) + "\":" + Text());
  if (Below(80) == 0 && !members.empty())
    members.push_back(members[Below(static_cast<std::uint32_t>(members.size()))]);
  if (Below(10) == 0) std::shuffle(members.begin(), members.end(), random_);
  std::string text = Rarely() ? "\xEF\xBB\xBF {" : "{";
  const std::string comma = Rarely() ? " ,\n " : ",";
  for (std::size_t i = 0; i < members.size(); ++i) text += (i == 0 ? "" : comma) + members[i];
  return text + (Rarely() ? "} \n" : "}");
}

std::string RandomJson::Mutated(std::string text) {
  static const char kBytes[] = "\"\\{}[],:0 -e.tn\x80\xff\x01";
  for (std::uint32_t times = 1 + Below(3); times > 0 && !text.empty(); --times) {
    const std::size_t at = Below(static_cast<std::uint32_t>(text.size()));
    switch (Below(6)) {
      case 0:
        text[at] = kBytes[Below(sizeof(kBytes))];
        break;
      case 1:
        text.erase(at, 1 + Below(3));
        break;
      case 2:
        text.insert(at, 1, kBytes[Below(sizeof(kBytes))]);
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text[at] = static_cast<char>(Below(256));
        break;
      default:
        text.insert(at, text.substr(at, Below(30)));
        break;
    }
  }
  return text;
}

std::vector<std::string> RandomJson::Events(int count) {
  std::vector<std::string> events;
  for (int i = 0; i < count; ++i) {
    events.push_back(Event());
    if (Below(10) == 0) events.back() = Mutated(events.back());
  }
  return events;
}

}  // namespace weir::codec
// NOLINTEND(modernize-raw-string-literal)
