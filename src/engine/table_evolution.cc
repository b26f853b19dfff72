#include "engine/table_evolution.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/fail_point.h"
#include "base/log.h"
#include "engine/produced_tables.h"
#include "engine/table_binding.h"
#include "record/contract_diff.h"

namespace weir::engine {
namespace {

// Others may commit between a look and our change; each time they do, we look again.
constexpr int kTries = 100;

const Field* Find(const std::vector<Field>& fields, const std::string& name) {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

class Planner {
 public:
  explicit Planner(connect::SchemaChange& change) : change_(change) {}

  // before: nullptr where the old contract had nothing.
  void Compare(const std::vector<Field>* before, const std::vector<Field>& now,
               const std::vector<Field>& table) {
    for (const Field& wanted : now) {
      const Field* old = before == nullptr ? nullptr : Find(*before, wanted.name);
      const Field* there = Find(table, wanted.name);
      if (there == nullptr && old == nullptr && !wanted.required) {
        change_.added.push_back({.parent = path_, .field = wanted});
      }
      if (there == nullptr) continue;
      path_.push_back(wanted.name);
      CompareTypes(old == nullptr ? nullptr : &old->type, wanted.type, there->type);
      path_.pop_back();
    }
  }

 private:
  void CompareTypes(const Type* before, const Type& now, const Type& table) {
    if (now.kind != table.kind || !now.is_nested()) {
      const bool follows = before == nullptr || !(*before == now);
      if (follows && IsWidening(table, now))
        change_.widened.push_back({.path = path_, .type = now});
      return;
    }
    const bool comparable = before != nullptr && before->kind == now.kind;
    if (now.kind == TypeKind::kStruct) {
      Compare(comparable ? &before->children : nullptr, now.children, table.children);
      return;
    }
    for (std::size_t i = 0; i < now.children.size(); ++i) {
      path_.push_back(table.children[i].name);
      CompareTypes(comparable ? &before->children[i].type : nullptr, now.children[i].type,
                   table.children[i].type);
      path_.pop_back();
    }
  }

  connect::SchemaChange& change_;
  std::vector<std::string> path_;
};

// The columns that the pipeline produced for a table by an older contract.
Schema ColumnsBefore(config::PipelineSpec spec, const config::TableSpec& table,
                     const Contract& before) {
  spec.contract = before;
  return ProducedSchema(spec, table);
}

// What operators make has columns of fields that keep their types (CheckOperatorFields); bronze and
// quarantine have fixed ones.
bool HasContractColumns(const config::TableSpec& table) {
  return table.from == config::TableFrom::kValid || table.from == config::TableFrom::kLate;
}

std::set<std::string> OperatorFields(const config::PipelineSpec& spec) {
  std::set<std::string> fields = {spec.contract.event_time_field, spec.contract.event_type_field};
  const auto add = [&](const std::vector<std::string>& names) {
    fields.insert(names.begin(), names.end());
  };
  for (const auto& table : spec.tables) {
    if (table.dedupe) add(table.dedupe->key);
    if (table.windows) {
      add(table.windows->by);
      for (const Aggregate& aggregate : table.windows->aggregates) fields.insert(aggregate.column);
    }
    if (table.sessions) {
      add({table.sessions->by, table.sessions->page, table.sessions->price,
           table.sessions->quantity});
      add(table.sessions->first);
      add(table.sessions->last);
    }
    if (table.active_users) fields.insert(table.active_users->user);
  }
  return fields;
}

Result<connect::SchemaChange> PlanFor(const config::PipelineSpec& spec,
                                      const config::TableSpec& table, const Contract& before,
                                      const connect::TableVersion& version) {
  if (!HasContractColumns(table)) return connect::SchemaChange();
  auto plan =
      PlanEvolution(ColumnsBefore(spec, table, before), ProducedSchema(spec, table), version);
  if (!plan) return WithContext(std::move(plan).error(), "table " + table.name);
  return plan;
}

}  // namespace

Result<connect::SchemaChange> PlanEvolution(const Schema& before, const Schema& now,
                                            const connect::TableVersion& table) {
  connect::SchemaChange change;
  Planner(change).Compare(&before.fields, now.fields, table.schema.fields);
  for (const auto& widened : change.widened) {
    const Field* field = Find(table.schema.fields, widened.path.front());
    const bool partitions =
        widened.path.size() == 1 && std::ranges::any_of(table.spec.fields, [&](const auto& by) {
          return by.source_id == field->id && by.transform != connect::Transform::kVoid;
        });
    if (!partitions) continue;
    return WithRemedy(
        Unsupported(fmt::format("`{}` partitions the table, so its type stays {}",
                                widened.path.front(), ToString(field->type)),
                    ErrorCode::kTableUnsupported),
        "keep the type; or write to a new table that is partitioned by something else");
  }
  return change;
}

Status CheckOperatorFields(const config::PipelineSpec& spec, const Contract& before) {
  for (const std::string& name : OperatorFields(spec)) {
    const auto then = before.IndexOf(name);
    const auto now = spec.contract.IndexOf(name);
    if (!then || !now) continue;
    const Type& old_type = before.fields[*then].field.type;
    const Type& new_type = spec.contract.fields[*now].field.type;
    if (old_type == new_type) continue;
    return WithRemedy(
        Refused(fmt::format("`{}` became {}, but the state of dedupe, windows or sessions holds "
                            "values of {}",
                            name, ToString(new_type), ToString(old_type)),
                ErrorCode::kSpecChanged),
        "set it back, or rebuild the tables from the start under a new pipeline name and state "
        "folder");
  }
  return Ok();
}

Result<std::shared_ptr<const connect::TableVersion>> EvolveTable(
    const config::PipelineSpec& spec, const config::TableSpec& table_spec, const Contract& before,
    connect::Table& table) {
  for (int i = 0; i < kTries; ++i) {
    WEIR_ASSIGN_OR_RETURN(auto version, table.Load());
    WEIR_ASSIGN_OR_RETURN(const auto change, PlanFor(spec, table_spec, before, *version));
    if (change.empty()) return version;
    Reach(FailPoint::kEvolveBefore);
    auto outcome = table.Evolve(*version, change);
    if (!outcome) return std::move(outcome).error();
    Reach(FailPoint::kEvolveAfter);
    if (*outcome == connect::CommitOutcome::kCommitted)
      log::Info("the table follows the contract",
                {{"table", table_spec.name}, {"change", connect::ToString(change)}});
  }
  return Unavailable("other writers commit to " + table_spec.name + " all the time",
                     ErrorCode::kCatalogUnavailable);
}

Status EvolveTables(const config::PipelineSpec& spec, const Contract& before,
                    connect::Catalog& catalog) {
  WEIR_TRY(CheckOperatorFields(spec, before));
  std::vector<std::pair<const config::TableSpec*, std::unique_ptr<connect::Table>>> tables;
  for (const config::TableSpec& table_spec : spec.tables) {
    WEIR_ASSIGN_OR_RETURN(const auto name, connect::ParseTableName(table_spec.name));
    WEIR_ASSIGN_OR_RETURN(auto table, catalog.Open(name, spec.name));
    WEIR_ASSIGN_OR_RETURN(const auto version, table->Load());
    WEIR_ASSIGN_OR_RETURN(const auto change, PlanFor(spec, table_spec, before, *version));
    if (!change.empty()) WEIR_TRY(table->CheckEvolve(*version, change));
    tables.emplace_back(&table_spec, std::move(table));
  }
  for (auto& [table_spec, table] : tables) {
    WEIR_ASSIGN_OR_RETURN(const auto version, EvolveTable(spec, *table_spec, before, *table));
    WEIR_TRY(BindToTable(ProducedSchema(spec, *table_spec), *version, table_spec->name));
  }
  return Ok();
}

}  // namespace weir::engine
