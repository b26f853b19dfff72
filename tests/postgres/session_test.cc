#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "base/clock.h"
#include "db/postgres_session.h"

namespace weir::db {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr Micros kSecond = kMicrosPerSecond;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

PostgresOptions Options() {
  PostgresOptions options;
  options.url = Variable("WEIR_TEST_POSTGRES");
  options.password = Variable("WEIR_TEST_POSTGRES_PASSWORD");
  return options;
}

class SessionTest : public testing::Test {
 protected:
  SessionTest() : session_(Open(Options())) {
    Do(*session_, "DROP TABLE IF EXISTS shelf");
    Do(*session_, "CREATE TABLE shelf(name VARCHAR(8) PRIMARY KEY, place TEXT)");
  }

  static std::unique_ptr<Session> Open(const PostgresOptions& options) {
    auto opened = PostgresSession::Open(options);
    if (!opened) throw std::runtime_error(opened.error().ToString());
    return *std::move(opened);
  }
  static Session::Answer Do(Session& session, const std::string& sql,
                            const std::vector<std::string>& values = {}) {
    auto answer = session.Run(sql, values);
    if (!answer) throw std::runtime_error(answer.error().ToString());
    return *std::move(answer);
  }
  static std::string Value(Session& session, const std::string& sql) {
    const auto answer = Do(session, sql);
    return answer.rows.empty() ? "(no row)" : answer.rows[0][0].value_or("(null)");
  }
  static Work BeginWork(Session& session) {
    auto work = Work::Begin(session);
    if (!work) throw std::runtime_error(work.error().ToString());
    return *std::move(work);
  }
  std::string Count() { return Value(*session_, "SELECT count(*) FROM shelf"); }
  static std::string ProcessOf(Session& session) {
    return Value(session, "SELECT pg_backend_pid()");
  }
  void End(const std::string& process) {
    Do(*session_, "SELECT pg_terminate_backend($1::int, 5000)", {process});
  }

  std::unique_ptr<Session> session_;
};

TEST_F(SessionTest, ValuesGoInAndOutAsText) {
  const std::string odd = "it's \"odd\"\n\xc3\xa9";
  EXPECT_EQ(Do(*session_, "INSERT INTO shelf VALUES ($1, $2), ('b', NULL)", {"a", odd}).changed, 2);
  const auto answer = Do(*session_, "SELECT name, place FROM shelf ORDER BY name");
  EXPECT_THAT(answer.rows, ElementsAre(Session::Row{"a", odd}, Session::Row{"b", std::nullopt}));
  EXPECT_EQ(Do(*session_, "UPDATE shelf SET place = $1 WHERE name = $2", {"x", "none"}).changed, 0);
  auto columns = session_->ColumnsOf("shelf");
  ASSERT_TRUE(columns);
  EXPECT_THAT(*columns, ElementsAre("name", "place"));
  columns = session_->ColumnsOf("nothing");
  ASSERT_TRUE(columns);
  EXPECT_TRUE(columns->empty());
}

TEST_F(SessionTest, ErrorsSayWhatTheCallerCanDo) {
  Do(*session_, "INSERT INTO shelf VALUES ('a')");
  EXPECT_EQ(session_->Run("INSERT INTO shelf VALUES ('a')", {}).error().kind, ErrorKind::kConflict);
  EXPECT_EQ(session_->Run("INSERT INTO shelf VALUES ('longer than that')", {}).error().kind,
            ErrorKind::kInvalidInput);
  EXPECT_EQ(session_->Run("SELECT FROM WHERE", {}).error().kind, ErrorKind::kInternal);
  EXPECT_EQ(Count(), "1");
}

TEST_F(SessionTest, WorkIsAllOrNothing) {
  {
    Work work = BeginWork(*session_);
    Do(*session_, "INSERT INTO shelf VALUES ('a')");
  }
  EXPECT_EQ(Count(), "0");
  {
    Work work = BeginWork(*session_);
    Do(*session_, "INSERT INTO shelf VALUES ('a')");
    EXPECT_FALSE(session_->Run("INSERT INTO shelf VALUES ('a')", {}));
    const Status committed = work.Commit();
    ASSERT_FALSE(committed.ok());
    EXPECT_EQ(committed.error().kind, ErrorKind::kUnavailable) << "it is known to have failed";
  }
  EXPECT_EQ(Count(), "0");
  Work work = BeginWork(*session_);
  Do(*session_, "INSERT INTO shelf VALUES ('a')");
  ASSERT_TRUE(work.Commit().ok());
  EXPECT_EQ(Count(), "1");
}

TEST_F(SessionTest, ASessionThatTheServerEndedIsMadeAgain) {
  const auto other = Open(Options());
  const std::string process = ProcessOf(*other);
  End(process);
  EXPECT_NE(ProcessOf(*other), process);
  auto again = other->Ensure();
  ASSERT_TRUE(again);
  EXPECT_TRUE(*again) << "another database may be there now";
  End(ProcessOf(*other));
  EXPECT_TRUE(BeginWork(*other).Commit().ok());
}

TEST_F(SessionTest, AConnectionLostInATransactionEndsIt) {
  const auto other = Open(Options());
  Work work = BeginWork(*other);
  Do(*other, "INSERT INTO shelf VALUES ('a')");
  End(ProcessOf(*other));
  const auto answer = other->Run("INSERT INTO shelf VALUES ('b')", {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(Count(), "0");
}

TEST_F(SessionTest, ACommitWithoutAnAnswerIsUnknown) {
  const auto other = Open(Options());
  Work work = BeginWork(*other);
  Do(*other, "INSERT INTO shelf VALUES ('a')");
  End(ProcessOf(*other));
  const Status committed = work.Commit();
  ASSERT_FALSE(committed.ok());
  EXPECT_EQ(committed.error().kind, ErrorKind::kCommitUnknown);
}

TEST_F(SessionTest, AFrozenServerIsNotWaitedForForever) {
  PostgresOptions options = Options();
  options.statement_timeout = kSecond / 10;
  const auto other = Open(options);
  const int process = std::stoi(ProcessOf(*other));
  ASSERT_EQ(kill(process, SIGSTOP), 0);
  const auto answer = other->Run("SELECT pg_backend_pid()", {});
  kill(process, SIGCONT);
  // The read was tried again on a new connection, which another process of the server takes.
  EXPECT_TRUE(answer);
}

TEST_F(SessionTest, ALockThatAnotherHoldsEndsTheWait) {
  Do(*session_, "INSERT INTO shelf VALUES ('a')");
  Work holder = BeginWork(*session_);
  Do(*session_, "UPDATE shelf SET place = 'x'");
  PostgresOptions options = Options();
  options.lock_timeout = kSecond / 5;
  const auto other = Open(options);
  Work work = BeginWork(*other);
  const auto answer = other->Run("UPDATE shelf SET place = 'y'", {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::kUnavailable);
}

// What the catalog's swap rests on: who waited for a row looks again at what it holds.
TEST_F(SessionTest, OfTwoUpdatesFromOneValueOneWins) {
  Do(*session_, "INSERT INTO shelf VALUES ('a', 'old')");
  Work first = BeginWork(*session_);
  Do(*session_, "UPDATE shelf SET place = 'first' WHERE place = 'old'");
  std::int64_t changed = -1;
  std::thread second([&] {
    const auto other = Open(Options());
    Work work = BeginWork(*other);
    changed = Do(*other, "UPDATE shelf SET place = 'second' WHERE place = 'old'").changed;
  });
  const auto watcher = Open(Options());
  while (Value(*watcher, "SELECT count(*) FROM pg_locks WHERE NOT granted") == "0") {
    SystemClock().Sleep(kSecond / 100);
  }
  EXPECT_TRUE(first.Commit().ok());
  second.join();
  EXPECT_EQ(changed, 0);
}

TEST_F(SessionTest, CommitsAreDurableWhateverTheServerPrefers) {
  EXPECT_EQ(Value(*session_, "SHOW synchronous_commit"), "on") << "the server's own is off";
  EXPECT_EQ(Value(*session_, "SHOW idle_in_transaction_session_timeout"), "1min");
}

TEST(SessionOpenTest, RefusalsAreToldFromAbsence) {
  PostgresOptions options = Options();
  options.password = "wrong-password-123";
  auto opened = PostgresSession::Open(options);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kStorageDenied) << opened.error().message;
  EXPECT_THAT(opened.error().message, HasSubstr("password authentication failed"));
  EXPECT_THAT(opened.error().message, Not(HasSubstr(options.password)));

  options = Options();
  options.url = options.url.substr(0, options.url.rfind('/')) + "/nothing";
  opened = PostgresSession::Open(options);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kStorageDenied) << opened.error().message;

  options.url = "postgresql://weir@127.0.0.1:1/weir";
  opened = PostgresSession::Open(options);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::kUnavailable) << opened.error().message;
}

TEST(PostgresPlaceTest, ShowsNoSecret) {
  EXPECT_EQ(PostgresPlace("postgresql://u:secret@h:5432/d?sslmode=require"),
            "postgresql://u@h:5432/d");
  EXPECT_EQ(PostgresPlace("postgresql://h/d?password=secret"), "postgresql://h/d");
  EXPECT_EQ(PostgresPlace("postgresql://u@h/d"), "postgresql://u@h/d");
}

}  // namespace
}  // namespace weir::db
