#include "engine/state_keeper.h"

#include <algorithm>

namespace weir::engine {
namespace {

constexpr std::size_t kFreeDeltaBytes = 1 << 20;  // deltas up to this ask for no base
constexpr std::size_t kMaxSegments = 8;           // one a restart since the base
constexpr std::int64_t kMaxObjects = 512;         // what a start has to read, however small

using Sections = std::vector<state::StateSection>;

const state::StateSection* SectionOf(const Sections& sections, const StateKeeper::Scope& scope) {
  const auto found = std::ranges::find(sections, scope, &state::StateSection::partition);
  return found == sections.end() ? nullptr : &*found;
}

}  // namespace

Status StateKeeper::Restore(const state::Claim& claim, const ReadParts& read) {
  std::map<Scope, state::StateChain> chains{{Scope(), claim.shared.state}};
  for (const auto& [partition, entry] : claim.partitions) chains[partition] = entry.start.state;
  std::map<std::pair<std::string, std::int64_t>, Sections> objects;  // scopes share them
  for (const auto& [scope, chain] : chains) {
    if (chain.empty()) continue;
    Kept& kept = kept_[scope];
    kept.chain = chain;
    bool first = true;
    for (const state::StateSegment& segment : chain) {
      for (std::int64_t epoch = segment.first; epoch <= segment.last; ++epoch) {
        auto [object, fresh] = objects.try_emplace({segment.writer, epoch});
        if (fresh) {
          auto sections = log_.ReadState(segment.writer, epoch);
          if (!sections && sections.error().kind == ErrorKind::kNotFound)
            return Corrupt("state object " + std::to_string(epoch) + " of writer " +
                               segment.writer + " is not there",
                           ErrorCode::kStateCorrupt);
          if (!sections) return std::move(sections).error();
          object->second = std::move(*sections);
        }
        const state::StateSection* section = SectionOf(object->second, scope);
        if (first && (section == nullptr || !section->base))
          return Corrupt("a chain of state objects does not begin with a base",
                         ErrorCode::kStateCorrupt);
        if (section != nullptr) {
          (first ? kept.base_bytes : kept.delta_bytes) += section->bytes();
          WEIR_TRY(read(scope, section->parts));
        }
        first = false;
      }
    }
  }
  return Ok();
}

Status StateKeeper::Save(std::int64_t epoch, const std::set<Scope>& scopes,
                         const WriteParts& write) {
  Sections sections;
  for (const Scope& scope : scopes) {
    Kept& kept = kept_[scope];
    const bool base = BaseIsDue(kept);
    state::StateSection section{.partition = scope, .base = base, .parts = write(scope, base)};
    const std::size_t bytes = section.bytes();
    if (base) {
      kept.base_bytes = bytes;
      kept.delta_bytes = 0;
    } else {
      kept.delta_bytes += bytes;
    }
    Extend(kept, epoch, base);
    if (base || bytes > 0) sections.push_back(std::move(section));
  }
  WEIR_TRY(log_.PutState(writer_, epoch, state::EncodeState(sections)));
  saved_ = epoch;
  return Ok();
}

bool StateKeeper::BaseIsDue(const Kept& kept) const {
  std::int64_t objects = 0;
  for (const state::StateSegment& segment : kept.chain) objects += segment.last - segment.first + 1;
  return kept.chain.empty() || kept.chain.size() > kMaxSegments || objects >= kMaxObjects ||
         kept.delta_bytes > std::max(kept.base_bytes / 2, kFreeDeltaBytes);
}

void StateKeeper::Extend(Kept& kept, std::int64_t epoch, bool base) {
  if (base) kept.chain.clear();
  if (kept.chain.empty() || kept.chain.back().writer != writer_)
    kept.chain.push_back({writer_, epoch, epoch});
  else
    kept.chain.back().last = epoch;
}

const state::StateChain& StateKeeper::chain(const Scope& scope) const {
  static const state::StateChain kNone;
  const auto found = kept_.find(scope);
  return found == kept_.end() ? kNone : found->second.chain;
}

Status StateKeeper::Collect() {
  std::int64_t needed = saved_;
  for (const auto& [scope, kept] : kept_)
    for (const state::StateSegment& segment : kept.chain)
      if (segment.writer == writer_) needed = std::min(needed, segment.first);
  for (; oldest_own_ < needed; ++oldest_own_) WEIR_TRY(log_.DeleteState(writer_, oldest_own_));
  return Ok();
}

}  // namespace weir::engine
