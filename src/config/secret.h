#pragma once
// Which settings hold secrets, and how they are kept out of what is printed.
//
// A value is a secret by its name (password, sasl.password, ssl.key.password, ...) or because it
// came from ${file:...}. Pure functions.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::config {

/// What is shown instead of a secret.
inline constexpr std::string_view kMask = "***";

/// Whether values of a setting of this name are secrets. Wide on purpose, also for names that are
/// nearly one ("passwrd"): a hidden harmless value costs nothing.
bool IsSecretName(std::string_view name);

/// Bytes [first, second) of a line.
using LineRange = std::pair<std::size_t, std::size_t>;

/// Passwords in URLs: of a user, and of a parameter `password=`.
std::vector<LineRange> UrlPasswords(std::string_view line);

/// Ranges of a line that hold a secret as far as its text alone tells: what follows `password:`,
/// and the password in a URL. For lines of files that could not be parsed.
std::vector<LineRange> SecretRanges(std::string_view line);

}  // namespace weir::config
