#include "db/postgres_error.h"

#include <algorithm>
#include <array>

namespace weir::db {
namespace {

constexpr std::size_t kStateLength = 5;

bool IsState(std::string_view text) {
  return text.size() == kStateLength && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
         });
}

Error Refusal(std::string message, std::string remedy) {
  return WithRemedy(Refused(std::move(message), ErrorCode::kStorageDenied), std::move(remedy));
}

}  // namespace

Error PostgresError(std::string_view state, std::string message) {
  const std::string_view kind = state.substr(0, 2);
  if (kind == "23") return Conflict(std::move(message));
  if (kind == "28") {
    return Refusal(std::move(message),
                   "check user and password, and the server's pg_hba.conf for this address");
  }
  if (state == "42501") {
    return Refusal(std::move(message), "give the user the right to read and change the tables");
  }
  if (kind == "3D" || kind == "3F") {
    return Refusal(std::move(message), "make the database, or mend its name");
  }
  if (kind == "22") return InvalidInput(std::move(message));
  if (kind == "42") return Internal(std::move(message));
  // Away, restarting, overloaded, a standby, a lock that is held: all of it passes.
  return Unavailable(std::move(message), ErrorCode::kCatalogUnavailable);
}

bool LeavesCommitOpen(std::string_view state, std::string_view severity) {
  if (severity != "ERROR") return true;  // the session ended over it
  constexpr std::array<std::string_view, 3> kOpen = {"08", "57", "XX"};
  const std::string_view kind = state.substr(0, 2);
  return state.empty() || state == "40003" || std::ranges::find(kOpen, kind) != kOpen.end();
}

std::string StateInMessage(std::string_view message) {
  for (std::size_t at = message.find(":  "); at != std::string_view::npos;
       at = message.find(":  ", at + 1)) {
    const std::string_view state = message.substr(at + 3, kStateLength);
    if (IsState(state) && message.substr(at + 3 + kStateLength).starts_with(": ")) {
      return std::string(state);
    }
  }
  return {};
}

std::string OneLine(std::string_view message) {
  std::string line;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    std::string_view part = message.substr(0, end);
    message.remove_prefix(std::min(end + 1, message.size()));
    while (!part.empty() && (part.front() == ' ' || part.front() == '\t')) part.remove_prefix(1);
    if (part.empty() || part.starts_with("LOCATION:")) continue;
    if (!line.empty()) line += "; ";
    line += part;
  }
  return line;
}

}  // namespace weir::db
