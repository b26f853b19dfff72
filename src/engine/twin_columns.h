#pragma once
// TwinColumns: the columns of one table as its two formats have them, paired by name. Pure.
//
// A column that only one side has is left out where it may be null: it is one that a change of the
// contract has not brought to the other side yet, or that somebody added. Everything else must be
// the same, since both sides read the same files.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "connect/schema_change.h"
#include "record/type.h"

namespace weir::engine {

struct TwinColumns {
  Schema common;                       // with the ids of the leading side
  std::map<int, int> ids;              // leading -> following
  std::vector<std::string> one_side;   // columns that only one side has
  std::optional<std::string> differs;  // the first one that makes two tables of them
};

TwinColumns PairColumns(const Schema& leading, const Schema& following);

/// What a table of these columns lacks of the change.
connect::SchemaChange Lacking(const connect::SchemaChange& change, const Schema& columns);

}  // namespace weir::engine
