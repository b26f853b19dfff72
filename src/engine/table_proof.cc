#include "engine/table_proof.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/applier.h"
#include "parquet/data_file_reader.h"

namespace weir::engine {
namespace {

using config::TableFrom;

bool HoldsOffsets(const config::TableSpec& spec) {
  switch (spec.from) {
    case TableFrom::kSource:
    case TableFrom::kInvalid:
    case TableFrom::kLate:
      return true;
    case TableFrom::kValid:
      return spec.coordinates;
    default:
      return false;
  }
}

Status ReadOffsets(OpenTable& table, const std::string& path, const std::string& topic,
                   OffsetsSeen& offsets, std::int64_t& foreign) {
  auto projection = std::make_shared<Schema>();
  for (const char* name : {"topic", "partition", "offset"})
    if (auto index = table.at_start->schema.IndexOf(name))
      projection->fields.push_back(table.at_start->schema.fields[*index]);
  WEIR_ASSIGN_OR_RETURN(auto reader, parquet::DataFileReader::Open(*table.store, path));
  WEIR_TRY(reader->Select(projection));
  for (;;) {
    WEIR_ASSIGN_OR_RETURN(auto batch, reader->Next());
    if (!batch) return Ok();
    const auto& columns = batch->columns;
    for (std::size_t row = 0; row < batch->rows(); ++row) {
      const bool ours = !columns[0].IsNull(row) && columns[0].String(row) == topic &&
                        !columns[1].IsNull(row) && !columns[2].IsNull(row);
      if (ours)
        offsets[Partition(columns[1].Int(row))].push_back(columns[2].Long(row));
      else
        ++foreign;
    }
  }
}

void Wrong(TableProof& proof, std::string finding) {
  proof.verdict = Verdict::kWrong;
  proof.findings.push_back(std::move(finding));
}

void NotProvable(TableProof& proof, std::string finding) {
  if (proof.verdict == Verdict::kProven) proof.verdict = Verdict::kNotProvable;
  proof.findings.push_back(std::move(finding));
}

void CheckPartition(TableProof& proof, Partition partition, std::vector<std::int64_t>& offsets,
                    std::int64_t rows_expected, std::int64_t next_offset) {
  std::ranges::sort(offsets);
  auto twice = std::ranges::adjacent_find(offsets);
  if (twice != offsets.end())
    Wrong(proof, fmt::format("partition {}: offset {} is there twice", partition.value(), *twice));
  if (!offsets.empty() && offsets.back() >= next_offset)
    Wrong(proof,
          fmt::format("partition {}: offset {} is there, but only those below {} were decided",
                      partition.value(), offsets.back(), next_offset));
  const auto rows = static_cast<std::int64_t>(offsets.size());
  if (rows_expected < 0)
    NotProvable(proof, fmt::format("partition {}: the record that says how many rows are due is "
                                   "collected",
                                   partition.value()));
  else if (rows != rows_expected)
    Wrong(proof, fmt::format("partition {}: {} rows are there, {} are due", partition.value(), rows,
                             rows_expected));
}

void CheckDisjoint(TableProof& proof, const OffsetsSeen& here, const OffsetsSeen& other_kind) {
  for (const auto& [partition, offsets] : here) {
    auto others = other_kind.find(partition);
    if (others == other_kind.end()) continue;
    std::vector<std::int64_t> both;
    std::ranges::set_intersection(others->second, offsets, std::back_inserter(both));
    if (!both.empty())
      Wrong(proof, fmt::format("partition {}: offset {} is both valid and refused",
                               partition.value(), both.front()));
  }
}

void Merge(const OffsetsSeen& here, OffsetsSeen& same_kind) {
  for (const auto& [partition, offsets] : here) {
    std::vector<std::int64_t> all;
    std::ranges::set_union(same_kind[partition], offsets, std::back_inserter(all));
    same_kind[partition] = std::move(all);
  }
}

Status ProveByOffsets(const History& history, OpenTable& table, const TableExpectation& expected,
                      OffsetsSeen& same_kind, const OffsetsSeen& other_kind, TableProof& proof) {
  proof.method = ProofMethod::kOffsets;
  WEIR_ASSIGN_OR_RETURN(auto files, table.table->LiveFiles(*table.at_start));
  OffsetsSeen here;
  std::int64_t foreign = 0;
  for (const auto& file : files)
    WEIR_TRY(ReadOffsets(table, file.path, history.claim.topic, here, foreign));
  for (const auto& [partition, standing] : history.standings) {
    auto rows = expected.rows().find(partition);
    CheckPartition(proof, partition, here[partition],
                   rows == expected.rows().end() ? 0 : rows->second, standing.next_offset.value());
  }
  for (const auto& [partition, offsets] : here) {
    proof.rows_found += static_cast<std::int64_t>(offsets.size());
    if (!history.standings.contains(partition))
      Wrong(proof,
            fmt::format("rows of partition {} are there, which nobody read", partition.value()));
  }
  if (foreign > 0)
    proof.findings.push_back(
        fmt::format("{} rows are not of this topic and were left out", foreign));
  if (table.spec.from != TableFrom::kSource) CheckDisjoint(proof, here, other_kind);
  Merge(here, same_kind);
  return Ok();
}

// Whether a later commit of the pipeline itself took the rows of a file out.
bool IsReplaced(const connect::TableVersion& version, const connect::DataFile& file,
                const std::vector<connect::RowsWhere>& replaced) {
  const auto& fields = version.spec.fields;
  return std::ranges::any_of(replaced, [&](const connect::RowsWhere& rows) {
    return std::ranges::all_of(rows.columns, [&](const auto& wanted) {
      for (std::size_t i = 0; i < fields.size() && i < file.partition.size(); ++i)
        if (fields[i].name == wanted.first) return file.partition[i] == wanted.second;
      return false;
    });
  });
}

// Every file of a retained and applied epoch is live exactly once, with the rows that it was cut
// with, unless a later epoch replaced them.
void CheckRetainedFiles(const History& history, const OpenTable& table,
                        const TableExpectation& expected,
                        const std::map<std::string, std::int64_t>& live, TableProof& proof) {
  std::map<std::string, const connect::DataFile*> due;
  // In the order in which they were decided: what replaces comes behind what it replaces.
  std::map<Position, const state::EpochRecord*> applied;
  for (const RetainedRecord& retained : history.records) {
    const auto& record = retained.record;
    const Partition any = record.partitions.begin()->first;
    if (record.tables.contains(table.name) &&
        record.PositionOf(any) <= expected.ShownAt(record.topic, any))
      applied[record.PositionOf(any)] = &record;
  }
  for (const auto& [position, record] : applied) {
    const auto epoch = record->tables.find(table.name);
    std::erase_if(due, [&](const auto& entry) {
      return IsReplaced(*table.at_start, *entry.second, epoch->second.replaced);
    });
    for (const auto& file : epoch->second.files) due[file.path] = &file;
  }
  std::int64_t gone = 0;
  for (const auto& [path, file] : due) {
    auto found = live.find(path);
    if (found == live.end())
      ++gone;
    else if (found->second != file->record_count)
      Wrong(proof, fmt::format("file {} has {} rows, {} were written", path, found->second,
                               file->record_count));
  }
  if (gone > 0)
    NotProvable(proof,
                fmt::format("{} files of retained epochs are no longer in the table: somebody "
                            "rewrote or deleted them",
                            gone));
}

Status ProveByFiles(const History& history, OpenTable& table, const TableExpectation& expected,
                    TableProof& proof) {
  proof.method = ProofMethod::kFilesAndLedger;
  WEIR_ASSIGN_OR_RETURN(auto files, table.table->LiveFiles(*table.at_start));
  std::map<std::string, std::int64_t> live;
  for (const auto& file : files) {
    proof.rows_found += file.record_count;
    if (!live.emplace(file.path, file.record_count).second)
      Wrong(proof, fmt::format("file {} is in the table twice", file.path));
  }
  CheckRetainedFiles(history, table, expected, live, proof);
  if (proof.rows_expected < 0)
    NotProvable(proof, "the record that says how many rows are due is collected");
  else if (proof.rows_found > proof.rows_expected)
    NotProvable(proof, fmt::format("{} rows are of other writers, or there before",
                                   proof.rows_found - proof.rows_expected));
  else if (proof.rows_found < proof.rows_expected && proof.verdict == Verdict::kProven)
    Wrong(proof,
          fmt::format("{} rows are there, {} are due", proof.rows_found, proof.rows_expected));
  return Ok();
}

}  // namespace

TableExpectation::TableExpectation(const History& history, const std::string& table,
                                   const connect::TableVersion& version) {
  if (version.progress) progress_ = version.progress->partitions;
  for (const auto& [partition, standing] : history.standings) {
    auto due = standing.tables.find(table);
    if (due == standing.tables.end()) continue;
    const Position shown = ShownAt(history.claim.topic, partition);
    if (shown == due->second.position) {
      rows_[partition] = due->second.rows + due->second.open_rows;
      continue;
    }
    rows_[partition] = shown == Position() ? 0 : -1;
    for (const RetainedRecord& retained : history.records) {
      auto part = retained.record.partitions.find(partition);
      if (part == retained.record.partitions.end()) continue;
      auto end = part->second.end.tables.find(table);
      if (end != part->second.end.tables.end() && end->second.position == shown)
        rows_[partition] = end->second.rows + end->second.open_rows;
    }
  }
}

Position TableExpectation::ShownAt(const std::string& topic, Partition partition) const {
  auto found = progress_.find(ProgressKey(topic, partition));
  return found == progress_.end() ? Position() : found->second.position;
}

std::int64_t TableExpectation::total() const {
  std::int64_t total = 0;
  for (const auto& [partition, rows] : rows_) {
    if (rows < 0) return -1;
    total += rows;
  }
  return total;
}

Result<TableProof> ProveTable(const History& history, OpenTable& table,
                              const TableExpectation& expected, OffsetsSeen& same_kind,
                              const OffsetsSeen& other_kind) {
  TableProof proof;
  proof.table = table.name;
  proof.rows_expected = expected.total();
  if (HoldsOffsets(table.spec))
    WEIR_TRY(ProveByOffsets(history, table, expected, same_kind, other_kind, proof));
  else
    WEIR_TRY(ProveByFiles(history, table, expected, proof));
  return proof;
}

}  // namespace weir::engine
