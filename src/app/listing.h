#pragma once
// Listing: rows that a command prints, in the format that was asked for: an aligned table for
// people, JSON, NDJSON or CSV for programs. A cell keeps its value for programs and may be shown
// differently to people ("12.3 MiB").
//
// JSON is always valid: bytes that are no UTF-8 are replaced. CSV follows RFC 4180 with line feeds;
// a text that a spreadsheet would take for a formula gets a leading apostrophe.

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/session.h"

namespace weir::app {

struct Cell {
  std::variant<std::monostate, std::string, std::int64_t, bool> value;  // monostate: null
  std::string shown;  // for people; empty: made from the value

  Cell() = default;
  Cell(std::string text) : value(std::move(text)) {}          // NOLINT: implicit by design
  Cell(std::string_view text) : value(std::string(text)) {}   // NOLINT
  Cell(const char* text) : value(std::string(text)) {}        // NOLINT
  Cell(std::int64_t number) : value(number) {}                // NOLINT
  Cell(std::int32_t number) : value(std::int64_t{number}) {}  // NOLINT
  Cell(bool truth) : value(truth) {}                          // NOLINT
  Cell(std::int64_t number, std::string text) : value(number), shown(std::move(text)) {}
  Cell(std::string data, std::string text) : value(std::move(data)), shown(std::move(text)) {}
};

struct Listing {
  std::vector<std::string> columns;  // snake_case; people see "SNAKE CASE"
  std::vector<std::vector<Cell>> rows;

  void Add(std::vector<Cell> cells);
};

/// width: of a terminal that long texts are cut for; 0: nothing is cut.
void WriteListing(const Listing& listing, OutputFormat format, int width, std::ostream& out);
void WriteListing(const Listing& listing, Session& session);

/// Properties of one thing: two columns for people, one object for programs.
void WriteProperties(const std::vector<std::pair<std::string, Cell>>& properties, Session& session);

/// For listings that have no end: the rows written so far stay where they are.
class ListingStream {
 public:
  ListingStream(std::vector<std::string> columns, OutputFormat format, std::ostream& out);
  void Add(const std::vector<Cell>& cells);
  /// Ends what needs an end: the array of JSON.
  void Finish();

 private:
  std::vector<std::string> columns_;
  OutputFormat format_;
  std::ostream& out_;
  bool first_ = true;
};

/// "1 epoch", "2 epochs".
std::string CountOf(std::int64_t number, std::string_view noun);
/// "12.3 MiB".
std::string ShowBytes(std::int64_t bytes);

}  // namespace weir::app
