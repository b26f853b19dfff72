#include "engine/table_diff.h"

#include <algorithm>
#include <memory>

#include "stream/row_key.h"

namespace weir::engine {
namespace {

constexpr std::int64_t kRowsAPass = 4'000'000;

// The bytes of a value: equal for equal values only.
void AppendValue(const Column& column, std::size_t row, std::string* out) {
  if (!column.type().is_nested()) return stream::AppendKeyPart(column, row, out);
  out->push_back(column.IsNull(row) ? '\0' : '\1');
  if (column.IsNull(row)) return;
  if (column.type().kind == TypeKind::kStruct) {
    for (const Column& child : column.children()) AppendValue(child, row, out);
    return;
  }
  const auto begin = static_cast<std::size_t>(column.item_begin(row));
  const auto end = static_cast<std::size_t>(column.item_begin(row + 1));
  out->append(std::to_string(end - begin)).push_back('.');
  for (std::size_t item = begin; item < end; ++item)
    for (const Column& child : column.children()) AppendValue(child, item, out);
}

struct Print {
  std::uint64_t key_a = 0;
  std::uint64_t key_b = 0;
  std::uint64_t row = 0;
  auto Key() const { return std::pair(key_a, key_b); }
  auto operator<=>(const Print&) const = default;
};
using KeyPrint = std::pair<std::uint64_t, std::uint64_t>;

// The columns of both sides, in one order.
struct Columns {
  std::vector<std::string> names;
  std::vector<std::size_t> key;
};

class Scanner {
 public:
  Scanner(const DiffSide& side, const Columns& columns, const DiffRequest& request)
      : side_(side), columns_(columns), request_(request) {}

  // Visits (batch, row, print) of every row that counts.
  template <typename Visit>
  Status Scan(const Visit& visit) {
    std::vector<std::string> names = columns_.names;
    const bool bounded = !request_.ends.empty() && side_.schema.IndexOf("partition") &&
                         side_.schema.IndexOf("offset");
    if (bounded) names.insert(names.end(), {"partition", "offset"});
    WEIR_ASSIGN_OR_RETURN(const auto schema, ColumnsNamed(side_.schema, names));
    for (const connect::DataFile& file : side_.files) {
      WEIR_ASSIGN_OR_RETURN(auto reader, side_.open(file.path));
      WEIR_TRY(reader->Select(schema));
      for (;;) {
        WEIR_ASSIGN_OR_RETURN(const auto batch, reader->Next());
        if (!batch) break;
        for (std::size_t row = 0; row < batch->rows(); ++row)
          if (!bounded || IsInside(*batch, row)) visit(*batch, row, PrintOf(*batch, row));
      }
    }
    return Ok();
  }

 private:
  bool IsInside(const Batch& batch, std::size_t row) const {
    const std::size_t partition = columns_.names.size();
    const auto end = request_.ends.find(Partition(batch.columns[partition].Int(row)));
    return end == request_.ends.end() ||
           Offset(batch.columns[partition + 1].Long(row)) < end->second;
  }

  Print PrintOf(const Batch& batch, std::size_t row) {
    const std::hash<std::string_view> hash;
    Print print;
    key_.clear();
    for (const std::size_t column : columns_.key) AppendValue(batch.columns[column], row, &key_);
    print.key_a = hash(key_);
    key_.push_back('#');
    print.key_b = hash(key_);
    row_.clear();
    for (std::size_t i = 0; i < columns_.names.size(); ++i)
      AppendValue(batch.columns[i], row, &row_);
    print.row = hash(row_);
    return print;
  }

  const DiffSide& side_;
  const Columns& columns_;
  const DiffRequest& request_;
  std::string key_;
  std::string row_;
};

// Keys that differ, up to the number of samples of each kind.
struct Wanted {
  std::map<KeyPrint, DiffKind> keys;
  std::map<DiffKind, std::size_t> taken;

  void Note(DiffKind kind, KeyPrint key, std::size_t limit) {
    if (taken[kind] >= limit || !keys.try_emplace(key, kind).second) return;
    ++taken[kind];
  }
};

using Prints = std::vector<Print>;

// One group of equal keys: what is the same on both sides goes away, what is left changed or is
// alone.
void CompareGroup(std::span<const Print> left, std::span<const Print> right,
                  const DiffRequest& request, TableDiff& diff, Wanted& wanted) {
  std::size_t same = 0;
  for (std::size_t l = 0, r = 0; l < left.size() && r < right.size();) {
    if (left[l].row == right[r].row)
      ++same, ++l, ++r;
    else if (left[l].row < right[r].row)
      ++l;
    else
      ++r;
  }
  const auto changed = static_cast<std::int64_t>(std::min(left.size(), right.size()) - same);
  const auto key = left.empty() ? right.front().Key() : left.front().Key();
  diff.changed += changed;
  if (changed > 0) wanted.Note(DiffKind::kChanged, key, request.samples);
  if (left.size() > right.size()) {
    diff.only_left += static_cast<std::int64_t>(left.size() - right.size());
    wanted.Note(DiffKind::kOnlyLeft, key, request.samples);
  }
  if (right.size() > left.size()) {
    diff.only_right += static_cast<std::int64_t>(right.size() - left.size());
    wanted.Note(DiffKind::kOnlyRight, key, request.samples);
  }
}

void ComparePass(Prints& left, Prints& right, const DiffRequest& request, TableDiff& diff,
                 Wanted& wanted) {
  std::ranges::sort(left);
  std::ranges::sort(right);
  auto group = [](const Prints& prints, std::size_t from, KeyPrint key) {
    std::size_t to = from;
    while (to < prints.size() && prints[to].Key() == key) ++to;
    return std::span(prints).subspan(from, to - from);
  };
  for (std::size_t l = 0, r = 0; l < left.size() || r < right.size();) {
    KeyPrint key = l < left.size() ? left[l].Key() : right[r].Key();
    if (r < right.size()) key = std::min(key, right[r].Key());
    const auto here = group(left, l, key);
    const auto there = group(right, r, key);
    CompareGroup(here, there, request, diff, wanted);
    l += here.size();
    r += there.size();
  }
}

using Values = std::vector<std::string>;

Status ReadSamples(Scanner& scanner, const Wanted& wanted, const Columns& columns,
                   const DiffRequest& request, std::map<KeyPrint, Values>* rows) {
  return scanner.Scan([&](const Batch& batch, std::size_t row, const Print& print) {
    if (!wanted.keys.contains(print.Key()) || rows->contains(print.Key())) return;
    Values values;
    for (std::size_t i = 0; i < columns.names.size(); ++i)
      values.push_back(request.render(batch.columns[i], row));
    (*rows)[print.Key()] = std::move(values);
  });
}

std::string Join(const Columns& columns, const Values& values, auto&& keep) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (keep(i)) text += (text.empty() ? "" : ", ") + columns.names[i] + "=" + values[i];
  return text;
}

DiffSample SampleOf(DiffKind kind, const Columns& columns, const Values* left,
                    const Values* right) {
  DiffSample sample{.kind = kind, .key = {}, .left = {}, .right = {}};
  auto is_key = [&](std::size_t i) {
    return std::ranges::find(columns.key, i) != columns.key.end();
  };
  auto is_shown = [&](std::size_t i) {
    return !is_key(i) && (left == nullptr || right == nullptr || (*left)[i] != (*right)[i]);
  };
  const bool by_key = columns.key.size() < columns.names.size();
  sample.key = Join(columns, left != nullptr ? *left : *right, is_key);
  if (!by_key) return sample;
  if (left != nullptr) sample.left = Join(columns, *left, is_shown);
  if (right != nullptr) sample.right = Join(columns, *right, is_shown);
  return sample;
}

Columns ColumnsOf(const DiffSide& left, const DiffSide& right, const DiffRequest& request,
                  TableDiff& diff) {
  Columns columns;
  for (const Field& field : left.schema.fields) {
    if (request.ignore.contains(field.name)) continue;
    const auto there = right.schema.IndexOf(field.name);
    if (there && right.schema.fields[*there].type.kind == field.type.kind)
      columns.names.push_back(field.name);
    else
      diff.columns_only_left.push_back(field.name);
  }
  for (const Field& field : right.schema.fields)
    if (!request.ignore.contains(field.name) &&
        std::ranges::find(columns.names, field.name) == columns.names.end())
      diff.columns_only_right.push_back(field.name);
  for (const std::string& name : request.key) {
    const auto at = std::ranges::find(columns.names, name);
    if (at != columns.names.end())
      columns.key.push_back(static_cast<std::size_t>(at - columns.names.begin()));
  }
  if (columns.key.size() == request.key.size() && !columns.key.empty()) return columns;
  columns.key.clear();
  for (std::size_t i = 0; i < columns.names.size(); ++i) columns.key.push_back(i);
  return columns;
}

std::int64_t RowsOf(const DiffSide& side) {
  std::int64_t rows = 0;
  for (const auto& file : side.files) rows += file.record_count;
  return rows;
}

}  // namespace

Result<TableDiff> CompareTables(const DiffSide& left, const DiffSide& right,
                                const DiffRequest& request) {
  TableDiff diff;
  const Columns columns = ColumnsOf(left, right, request, diff);
  Scanner left_scanner(left, columns, request);
  Scanner right_scanner(right, columns, request);
  const auto passes =
      static_cast<std::uint64_t>(1 + std::max(RowsOf(left), RowsOf(right)) / kRowsAPass);
  Wanted wanted;
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    Prints sides[2];
    auto collect = [&](Scanner& scanner, Prints& prints) {
      return scanner.Scan([&](const Batch&, std::size_t, const Print& print) {
        if (print.key_a % passes == pass) prints.push_back(print);
      });
    };
    WEIR_TRY(collect(left_scanner, sides[0]));
    WEIR_TRY(collect(right_scanner, sides[1]));
    diff.left_rows += static_cast<std::int64_t>(sides[0].size());
    diff.right_rows += static_cast<std::int64_t>(sides[1].size());
    ComparePass(sides[0], sides[1], request, diff, wanted);
  }
  if (wanted.keys.empty()) return diff;
  std::map<KeyPrint, Values> rows[2];
  WEIR_TRY(ReadSamples(left_scanner, wanted, columns, request, &rows[0]));
  WEIR_TRY(ReadSamples(right_scanner, wanted, columns, request, &rows[1]));
  for (const auto& [key, kind] : wanted.keys) {
    const auto l = rows[0].find(key);
    const auto r = rows[1].find(key);
    diff.samples.push_back(SampleOf(kind, columns, l == rows[0].end() ? nullptr : &l->second,
                                    r == rows[1].end() ? nullptr : &r->second));
  }
  std::ranges::stable_sort(diff.samples, {}, &DiffSample::kind);
  return diff;
}

}  // namespace weir::engine
