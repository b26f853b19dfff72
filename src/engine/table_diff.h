#pragma once
// TableDiff: two versions of a table compared row by row, by a key: what is in only one of them and
// what is in both with other values.
//
// Rows are compared by hashes of their values (128 bits for keys). Large tables take several
// passes, so that memory stays bounded. Columns that only one side has are named, not compared.

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "connect/table.h"
#include "engine/bronze_index.h"
#include "record/column.h"

namespace weir::engine {

struct DiffSide {
  Schema schema;
  std::vector<connect::DataFile> files;
  BronzeOpener open;
};

struct DiffRequest {
  std::vector<std::string> key;      // columns of both sides; empty: a row is its own key
  std::set<std::string> ignore;      // columns
  std::map<Partition, Offset> ends;  // rows from there on are left out; empty: none are
  std::size_t samples = 10;          // of each kind
  std::function<std::string(const Column&, std::size_t)> render;
};

enum class DiffKind : std::uint8_t { kOnlyLeft, kOnlyRight, kChanged };

struct DiffSample {
  DiffKind kind = DiffKind::kChanged;
  std::string key;
  std::string left;  // the row, or of a changed one the values that differ
  std::string right;
};

struct TableDiff {
  std::int64_t left_rows = 0;
  std::int64_t right_rows = 0;
  std::int64_t only_left = 0;
  std::int64_t only_right = 0;
  std::int64_t changed = 0;
  std::vector<std::string> columns_only_left;
  std::vector<std::string> columns_only_right;
  std::vector<DiffSample> samples;

  bool equal() const { return only_left == 0 && only_right == 0 && changed == 0; }
};

Result<TableDiff> CompareTables(const DiffSide& left, const DiffSide& right,
                                const DiffRequest& request);

}  // namespace weir::engine
