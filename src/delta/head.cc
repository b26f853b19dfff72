#include "delta/head.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"

namespace weir::delta {
namespace {

std::optional<std::string> CompareFields(const std::vector<Field>& before,
                                         const std::vector<Field>& now, const std::string& path);

std::optional<std::string> CompareTypes(const Type& before, const Type& now,
                                        const std::string& path) {
  const bool same = before.kind == now.kind && before.precision == now.precision &&
                    before.scale == now.scale && before.zoned == now.zoned;
  if (!same) {
    return fmt::format("column {} was {} and is {}", path, ToString(before), ToString(now));
  }
  return CompareFields(before.children, now.children, path + ".");
}

std::optional<std::string> CompareFields(const std::vector<Field>& before,
                                         const std::vector<Field>& now, const std::string& path) {
  for (const Field& field : before) {
    const auto found = std::ranges::find(now, field.name, &Field::name);
    if (found == now.end()) return fmt::format("column {}{} is gone", path, field.name);
    if (found->required && !field.required) {
      return fmt::format("column {}{} must not be null any more", path, field.name);
    }
    if (auto problem = CompareTypes(field.type, found->type, path + field.name)) return problem;
  }
  for (const Field& field : now) {
    const bool is_new = std::ranges::find(before, field.name, &Field::name) == before.end();
    if (is_new && field.required) {
      return fmt::format("column {}{} is new and must not be null", path, field.name);
    }
  }
  return std::nullopt;
}

}  // namespace

const Head& HeadOf(const connect::TableVersion& version) {
  WEIR_CHECK(version.metadata != nullptr);
  return *static_cast<const Head*>(version.metadata.get());
}

std::optional<std::string> WhyNotFitting(const Layout& before, const Layout& now) {
  if (&before == &now) return std::nullopt;
  if (before.spec.spec_id != now.spec.spec_id) return "it is partitioned in another way";
  return CompareFields(before.schema.fields, now.schema.fields, "");
}

}  // namespace weir::delta
