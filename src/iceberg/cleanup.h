#pragma once
// Cleanup: removes files that no metadata leads to any more. Everything is best effort, may run at
// any time by anyone, and is safe to run again.
//
// What goes: manifest lists of expired snapshots; manifests that only they named; data files that a
// later snapshot had deleted, once nothing kept shows them; metadata files that fell out of the
// log, if the table asks for that; and leftovers of our own tries that can never land (attempt.h).
// Files of an expired snapshot stay for a grace after it was succeeded, since a reader may be on
// it. What is due is worked out by comparing the metadata of the last run with today's. After a
// crash the oldest metadata file that is still there and a listing take the place of the last run.

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "iceberg/expiry.h"
#include "iceberg/files.h"
#include "iceberg/manifest.h"
#include "iceberg/metadata.h"
#include "iceberg/pointers.h"

namespace weir::iceberg {

class Cleanup {
 public:
  /// `writer`: who makes metadata files. Those of a catalog's server are not ours to remove, and
  /// tries at its tables are numbered by the sequence number of their snapshot (table.h).
  Cleanup(Files& files, Clock& clock, MetadataWriter writer)
      : files_(files), clock_(clock), of_catalog_(writer == MetadataWriter::kCatalog) {}

  /// Takes note of a version that is now current.
  void Observe(MetadataPtr current);
  /// How long after its succession a snapshot's files stay.
  void set_reader_grace(Micros grace) { grace_ = grace; }
  /// Removes what is due. Does nothing before the first Observe.
  Status Run();

 private:
  struct Waiting {
    ExpiredSnapshot expired;
    std::int64_t due_ms = 0;
  };
  using Locations = std::set<std::string>;    // in the spelling of Canonical()
  using Hashes = std::vector<std::uint64_t>;  // of such locations, sorted

  using ShownFiles = std::unordered_map<std::uint64_t, Hashes>;  // by hash of a manifest's location

  void QueueExpired(const TableMetadata& before);
  void QueueMetadataFiles(const TableMetadata& before);
  Status StartFromDisk();
  Status SweepLeftovers();
  Status RemoveDue();
  Status RemoveExpired(const std::vector<ExpiredSnapshot>& due);
  /// The manifests that a snapshot's list names. Two that share a hash keep each other alive, which
  /// harms nobody.
  Result<const Hashes*> ManifestsOf(const Snapshot& snapshot);
  Result<std::vector<ManifestFile>> ReadList(const Snapshot& snapshot);
  /// Takes out of `locations` the manifests that kept snapshots name.
  Status KeepReachable(Locations& locations);
  std::vector<const Snapshot*> Kept() const;
  Result<Locations> UnreachableManifests(const std::vector<ExpiredSnapshot>& due);
  Result<Locations> UnreachableDataFiles(const std::vector<ExpiredSnapshot>& due);
  Status AddDeletedFiles(const Snapshot& snapshot, Locations& files);
  Status CollectShown(const Snapshot& snapshot, ShownFiles& shown);
  Status KeepLiveFiles(Locations& files);
  Status DeleteAll(const Locations& locations);
  std::int64_t NowMs() const;

  Files& files_;
  Clock& clock_;
  bool of_catalog_;
  MetadataPtr current_;
  Micros grace_ = connect::ExpiryPolicy{}.reader_grace;
  bool started_ = false;
  std::size_t due_ = 0;                   // of waiting_, at its front
  std::deque<Waiting> waiting_;           // oldest first
  std::set<std::string> metadata_files_;  // to be removed
  std::optional<std::int64_t> next_sweep_ms_;
  std::unordered_map<std::string, Hashes> lists_;  // by location of the manifest list
  ShownFiles shown_;  // by manifests of kept snapshots, once a commit replaced rows; 8 bytes a file
};

}  // namespace weir::iceberg
