#include "spool/log_file.h"

#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/random.h"
#include "db/transaction.h"

namespace weir::spool {
namespace {

constexpr std::int64_t kApplicationId = 0x57454952;  // "WEIR"
constexpr std::int64_t kFormatVersion = 1;

constexpr const char* kTables = R"sql(
CREATE TABLE log(cluster_id TEXT NOT NULL, created_ms INTEGER NOT NULL);
CREATE TABLE topic(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  topic_id TEXT NOT NULL,
  retention_us INTEGER,
  retention_bytes INTEGER,
  created_ms INTEGER NOT NULL);
CREATE TABLE partition(
  topic INTEGER NOT NULL,
  partition INTEGER NOT NULL,
  begin_offset INTEGER NOT NULL,
  end_offset INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY(topic, partition)) WITHOUT ROWID;
CREATE TABLE segment(
  id INTEGER PRIMARY KEY,
  topic INTEGER NOT NULL,
  partition INTEGER NOT NULL,
  first_offset INTEGER NOT NULL,
  records INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  max_timestamp_ms INTEGER NOT NULL,
  appended_ms INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  payload BLOB NOT NULL);
CREATE UNIQUE INDEX segment_place ON segment(topic, partition, first_offset);
)sql";

constexpr const char* kFindTopic =
    "SELECT number, topic_id, retention_us, retention_bytes FROM topic WHERE name = ?";
constexpr const char* kListTopics = "SELECT name FROM topic ORDER BY name";
constexpr const char* kAddTopic =
    "INSERT INTO topic(name, topic_id, retention_us, retention_bytes, created_ms)"
    " VALUES(?, ?, ?, ?, ?)";
constexpr const char* kWriteRetention =
    "UPDATE topic SET retention_us = ?, retention_bytes = ? WHERE number = ?";
constexpr const char* kRemoveSegments = "DELETE FROM segment WHERE topic = ?";
constexpr const char* kRemovePartitions = "DELETE FROM partition WHERE topic = ?";
constexpr const char* kRemoveTopic = "DELETE FROM topic WHERE number = ?";
constexpr const char* kReadPartitions =
    "SELECT partition, begin_offset, end_offset, bytes FROM partition WHERE topic = ?";
constexpr const char* kWritePartition = "INSERT OR REPLACE INTO partition VALUES(?, ?, ?, ?, ?)";
std::string PathIn(const std::string& folder) { return folder + "/weir-log.db"; }

Result<std::int64_t> ReadNumber(db::Connection& connection, std::string_view sql) {
  WEIR_ASSIGN_OR_RETURN(db::Statement statement, connection.Prepare(sql));
  WEIR_ASSIGN_OR_RETURN(const bool row, statement.Step());
  return row ? statement.Int64(0) : 0;
}

std::uint64_t InodeOf(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

}  // namespace

Error AsLogError(Error error, ErrorCode busy) {
  if (error.code != ErrorCode::kNone) return error;
  if (error.kind == ErrorKind::kUnavailable) error.code = busy;
  if (error.kind == ErrorKind::kCorrupt) error.code = ErrorCode::kSourceCorrupt;
  return error;
}

Result<std::unique_ptr<LogFile>> LogFile::Open(const std::string& folder, Missing missing) {
  const std::string path = PathIn(folder);
  auto connection = db::Connection::Open(path, {.create = missing == Missing::kCreate,
                                                .lock_path = {},
                                                .page_bytes = 16 << 10,
                                                .checkpoint_bytes = std::int64_t{32} << 20});
  if (!connection) {
    if (connection.error().kind != ErrorKind::kNotFound) return std::move(connection).error();
    return Unavailable(folder + ": there is no log in this folder", ErrorCode::kSourceUnavailable);
  }
  std::unique_ptr<LogFile> file(new LogFile(std::move(*connection)));
  file->inode_ = InodeOf(path);
  WEIR_TRY(file->Identify());
  return file;
}

// Checks whose file this is, and makes the tables in a new one.
Status LogFile::Identify() {
  WEIR_ASSIGN_OR_RETURN(const std::int64_t id, ReadNumber(*connection_, "PRAGMA application_id"));
  if (id == 0) WEIR_TRY(CreateTables());
  WEIR_ASSIGN_OR_RETURN(const std::int64_t version,
                        ReadNumber(*connection_, "PRAGMA user_version"));
  if (id != 0 && id != kApplicationId) {
    return Corrupt(path() + ": a database of another program", ErrorCode::kSourceCorrupt);
  }
  if (version > kFormatVersion) {
    return Unsupported(fmt::format("{}: format {} of a newer version; this one knows {}", path(),
                                   version, kFormatVersion));
  }
  WEIR_ASSIGN_OR_RETURN(db::Statement select, connection_->Prepare("SELECT cluster_id FROM log"));
  WEIR_ASSIGN_OR_RETURN(const bool row, select.Step());
  if (!row) return Corrupt(path() + ": holds no cluster id", ErrorCode::kSourceCorrupt);
  cluster_id_ = select.Text(0);
  return Ok();
}

Status LogFile::CreateTables() {
  WEIR_ASSIGN_OR_RETURN(auto transaction, db::Transaction::Begin(*connection_));
  WEIR_ASSIGN_OR_RETURN(const std::int64_t id, ReadNumber(*connection_, "PRAGMA application_id"));
  if (id != 0) return Ok();  // somebody else was quicker
  WEIR_TRY(connection_->Execute(kTables));
  WEIR_TRY(connection_->Execute(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}",
                                            kApplicationId, kFormatVersion)));
  WEIR_ASSIGN_OR_RETURN(db::Statement insert, connection_->Prepare("INSERT INTO log VALUES(?, ?)"));
  WEIR_TRY(insert.Run(NewUuid(), SystemClock().Now() / kMicrosPerMilli));
  return transaction.Commit();
}

bool LogFile::IsReplaced() const { return InodeOf(path()) != inode_; }

Result<db::Statement*> LogFile::Prepared(const char* sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return &found->second;
  WEIR_ASSIGN_OR_RETURN(db::Statement statement, connection_->Prepare(sql));
  return &statements_.emplace(sql, std::move(statement)).first->second;
}

Result<Topic> LogFile::FindTopic(const std::string& name) {
  WEIR_ASSIGN_OR_RETURN(db::Statement * select, Prepared(kFindTopic));
  WEIR_TRY(select->Bind(name));
  WEIR_ASSIGN_OR_RETURN(const bool row, select->Step());
  if (!row) {
    return NotFound(path() + ": there is no topic " + Printable(name), ErrorCode::kTopicMissing);
  }
  Topic topic{.number = select->Int64(0),
              .name = name,
              .topic_id = std::string(select->Text(1)),
              .retention = {}};
  if (!select->IsNull(2)) topic.retention.max_age = select->Int64(2);
  if (!select->IsNull(3)) topic.retention.max_bytes = select->Int64(3);
  select->Reset();
  return topic;
}

Result<std::vector<std::string>> LogFile::ListTopics() {
  WEIR_ASSIGN_OR_RETURN(db::Statement * select, Prepared(kListTopics));
  WEIR_TRY(select->Bind());
  std::vector<std::string> names;
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const bool row, select->Step());
    if (!row) return names;
    names.emplace_back(select->Text(0));
  }
}

Result<connect::TopicInfo> LogFile::Describe(const Topic& topic) {
  WEIR_ASSIGN_OR_RETURN(const PartitionStates states, ReadPartitions(topic));
  connect::TopicInfo info{
      .topic = topic.name, .cluster_id = cluster_id_, .topic_id = topic.topic_id, .partitions = {}};
  for (const auto& [partition, state] : states) {
    info.partitions[partition] = {.begin = state.begin, .end = state.end};
  }
  return info;
}

Status LogFile::AddTopic(const std::string& name, const TopicSettings& settings,
                         std::int64_t now_ms) {
  const Retention& retention = settings.retention;
  WEIR_ASSIGN_OR_RETURN(db::Statement * insert, Prepared(kAddTopic));
  Status added = insert->Run(name, NewUuid(), retention.max_age, retention.max_bytes, now_ms);
  if (!added && added.error().kind == ErrorKind::kConflict) {
    return Conflict(path() + ": topic " + name + " exists already");
  }
  WEIR_TRY(std::move(added));
  WEIR_ASSIGN_OR_RETURN(const Topic topic, FindTopic(name));
  for (std::int32_t i = 0; i < settings.partitions; ++i) {
    WEIR_TRY(WritePartition(topic, Partition(i), {}));
  }
  return Ok();
}

Status LogFile::RemoveTopic(const Topic& topic) {
  for (const char* sql : {kRemoveSegments, kRemovePartitions, kRemoveTopic}) {
    WEIR_ASSIGN_OR_RETURN(db::Statement * remove, Prepared(sql));
    WEIR_TRY(remove->Run(topic.number));
  }
  return Ok();
}

Status LogFile::WriteRetention(const Topic& topic, const Retention& retention) {
  WEIR_ASSIGN_OR_RETURN(db::Statement * update, Prepared(kWriteRetention));
  return update->Run(retention.max_age, retention.max_bytes, topic.number);
}

Result<PartitionStates> LogFile::ReadPartitions(const Topic& topic) {
  WEIR_ASSIGN_OR_RETURN(db::Statement * select, Prepared(kReadPartitions));
  WEIR_TRY(select->Bind(topic.number));
  PartitionStates states;
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const bool row, select->Step());
    if (!row) return states;
    states.emplace(Partition(static_cast<std::int32_t>(select->Int64(0))),
                   PartitionState{.begin = Offset(select->Int64(1)),
                                  .end = Offset(select->Int64(2)),
                                  .bytes = select->Int64(3)});
  }
}

Status LogFile::WritePartition(const Topic& topic, Partition partition,
                               const PartitionState& state) {
  WEIR_ASSIGN_OR_RETURN(db::Statement * write, Prepared(kWritePartition));
  return write->Run(topic.number, partition.value(), state.begin.value(), state.end.value(),
                    state.bytes);
}

}  // namespace weir::spool
