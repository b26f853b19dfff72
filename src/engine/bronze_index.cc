#include "engine/bronze_index.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace weir::engine {
namespace {

void Widen(std::map<Partition, BronzeRange>& ranges, Partition partition,
           const BronzeRange& range) {
  auto [entry, fresh] = ranges.try_emplace(partition, range);
  if (fresh) return;
  entry->second.first = std::min(entry->second.first, range.first);
  entry->second.last = std::max(entry->second.last, range.last);
  entry->second.rows += range.rows;
}

// Which files are read together: a forest, each root a group.
class Union {
 public:
  explicit Union(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::size_t Root(std::size_t at) {
    while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
    return at;
  }
  void Join(std::size_t a, std::size_t b) { parent_[Root(b)] = Root(a); }

 private:
  std::vector<std::size_t> parent_;
};

using Groups = std::vector<BronzeGroup>;

Groups GroupsOf(const std::vector<BronzeFile>& files, Union& together) {
  std::map<std::size_t, BronzeGroup> by_root;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].ranges.empty()) continue;
    auto [entry, fresh] = by_root.try_emplace(together.Root(i));
    BronzeGroup& group = entry->second;
    group.oldest = fresh ? files[i].oldest : std::min(group.oldest, files[i].oldest);
    group.files.push_back(i);
    for (const auto& [partition, range] : files[i].ranges) Widen(group.ranges, partition, range);
  }
  Groups groups;
  for (auto& [root, group] : by_root) groups.push_back(std::move(group));
  return groups;
}

using Chains = std::map<Partition, std::vector<std::size_t>>;  // groups by their first offsets

Chains ChainsOf(const Groups& groups) {
  Chains chains;
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const auto& [partition, range] : groups[i].ranges) chains[partition].push_back(i);
  for (auto& [key, chain] : chains) {
    const Partition partition = key;
    std::ranges::sort(chain, {}, [&groups, partition](std::size_t i) {
      return groups[i].ranges.at(partition).first;
    });
  }
  return chains;
}

// Joins groups whose offsets overlap in a partition; whether there were any.
bool JoinOverlaps(const Groups& groups, Union& together) {
  bool joined = false;
  for (const auto& [partition, chain] : ChainsOf(groups)) {
    std::size_t widest = chain.front();
    for (std::size_t i = 1; i < chain.size(); ++i) {
      const Offset reach = groups[widest].ranges.at(partition).last;
      const BronzeRange& next = groups[chain[i]].ranges.at(partition);
      if (next.first <= reach) {
        together.Join(groups[widest].files.front(), groups[chain[i]].files.front());
        joined = true;
      }
      if (next.last > reach) widest = chain[i];
    }
  }
  return joined;
}

// The groups so that every partition's chain is kept; those that no order suits are left over.
Groups InOrder(Groups& groups) {
  const Chains chains = ChainsOf(groups);
  std::map<Partition, std::size_t> heads;
  std::vector<std::size_t> waits(groups.size());  // chains in which something is in front
  for (std::size_t i = 0; i < groups.size(); ++i) waits[i] = groups[i].ranges.size();
  std::set<std::pair<Micros, std::size_t>> ready;
  auto arrive = [&](std::size_t group) {
    if (--waits[group] == 0) ready.insert({groups[group].oldest, group});
  };
  for (const auto& [partition, chain] : chains) arrive(chain.front());
  Groups ordered;
  while (!ready.empty()) {
    const std::size_t next = ready.begin()->second;
    ready.erase(ready.begin());
    for (const auto& [partition, range] : groups[next].ranges) {
      const auto& chain = chains.at(partition);
      if (std::size_t& head = ++heads[partition]; head < chain.size()) arrive(chain[head]);
    }
    ordered.push_back(std::move(groups[next]));
    groups[next].files.clear();
  }
  std::erase_if(groups, [](const BronzeGroup& group) { return group.files.empty(); });
  return ordered;
}

// Of groups none of which can come first: some that would each have to come before another are
// joined. From any of them one before the other leads into such a circle.
void JoinCircle(const Groups& groups, Union& together) {
  std::vector<std::size_t> before(groups.size());
  for (const auto& [partition, chain] : ChainsOf(groups))
    for (std::size_t i = 1; i < chain.size(); ++i) before[chain[i]] = chain[i - 1];
  std::vector<bool> seen(groups.size());
  std::size_t at = 0;
  for (; !seen[at]; at = before[at]) seen[at] = true;
  for (std::size_t next = before[at]; next != at; next = before[next])
    together.Join(groups[at].files.front(), groups[next].files.front());
}

}  // namespace

Result<std::shared_ptr<const Schema>> ColumnsNamed(const Schema& schema,
                                                   const std::vector<std::string>& names) {
  auto columns = std::make_shared<Schema>();
  for (const std::string& name : names) {
    const auto index = schema.IndexOf(name);
    if (!index)
      return InvalidInput("the table of raw records has no column `" + name + "`",
                          ErrorCode::kTableMismatch);
    columns->fields.push_back(schema.fields[*index]);
  }
  return std::shared_ptr<const Schema>(std::move(columns));
}

Result<BronzeFile> ScanBronzeFile(const connect::DataFile& file, const Schema& schema,
                                  const std::string& topic, const BronzeOpener& open) {
  BronzeFile scanned;
  scanned.path = file.path;
  scanned.rows = file.record_count;
  scanned.bytes = file.file_bytes;
  WEIR_ASSIGN_OR_RETURN(auto columns,
                        ColumnsNamed(schema, {"partition", "offset", "ingestion_time", "topic"}));
  WEIR_ASSIGN_OR_RETURN(auto reader, open(file.path));
  WEIR_TRY(reader->Select(columns));
  bool first = true;
  for (;;) {
    WEIR_ASSIGN_OR_RETURN(const auto batch, reader->Next());
    if (!batch) return scanned;
    const auto& read = batch->columns;
    BronzeRange* range = nullptr;
    Partition last;
    for (std::size_t row = 0; row < batch->rows(); ++row) {
      if (read[3].String(row) != topic) continue;
      const Partition partition(read[0].Int(row));
      const Offset offset(read[1].Long(row));
      const Micros time = read[2].Long(row);
      scanned.oldest = first ? time : std::min(scanned.oldest, time);
      first = false;
      if (range == nullptr || partition != last) {
        range =
            &scanned.ranges.try_emplace(partition, BronzeRange{offset, offset, 0}).first->second;
        last = partition;
      }
      if (range->rows > 0 && offset <= range->last) scanned.ascending = false;
      range->first = std::min(range->first, offset);
      range->last = std::max(range->last, offset);
      ++range->rows;
    }
  }
}

std::vector<BronzeGroup> OrderBronze(const std::vector<BronzeFile>& files) {
  Union together(files.size());
  for (;;) {
    Groups groups = GroupsOf(files, together);
    if (JoinOverlaps(groups, together)) continue;
    Groups ordered = InOrder(groups);
    if (groups.empty()) return ordered;
    JoinCircle(groups, together);
  }
}

}  // namespace weir::engine
