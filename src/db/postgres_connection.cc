#include "db/postgres_connection.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include "base/check.h"
#include "base/clock.h"
#include "db/postgres_error.h"

namespace weir::db {
namespace {

// How much longer than the server we wait, so that its own, better answer comes first.
constexpr Micros kPatience = 5 * kMicrosPerSecond;

// Times out as kUnavailable. The clock is the monotonic one.
Status AwaitSocket(int socket, short events, Micros deadline) {
  while (true) {
    const Micros left = deadline - SystemClock().Monotonic();
    if (left <= 0) return Unavailable("no answer in time");
    pollfd wait{.fd = socket, .events = events, .revents = 0};
    const int ready = poll(&wait, 1, static_cast<int>(left / kMicrosPerMilli) + 1);
    if (ready > 0) return Ok();
    if (ready < 0 && errno != EINTR) return Unavailable("cannot wait for the server");
  }
}

std::string Millis(Micros time) { return std::to_string(time / kMicrosPerMilli); }

std::string Seconds(Micros time) {
  return std::to_string(std::max<Micros>(1, time / kMicrosPerSecond));
}

std::string Field(const PGresult* result, int field) {
  const char* text = PQresultErrorField(result, field);
  return text == nullptr ? "" : text;
}

std::string MessageOf(const PGresult* result) {
  std::string message = Field(result, PG_DIAG_MESSAGE_PRIMARY);
  if (const std::string detail = Field(result, PG_DIAG_MESSAGE_DETAIL); !detail.empty()) {
    message += " (" + OneLine(detail) + ")";
  }
  return message.empty() ? OneLine(PQresultErrorMessage(result)) : message;
}

}  // namespace

class PostgresConnection::Reply {
 public:
  explicit Reply(PGresult* result) : result_(result) {}
  ~Reply() { PQclear(result_); }
  Reply(Reply&& other) noexcept : result_(std::exchange(other.result_, nullptr)) {}
  Reply& operator=(Reply&& other) noexcept {
    std::swap(result_, other.result_);
    return *this;
  }

  const PGresult* get() const { return result_; }
  bool failed() const {
    const ExecStatusType status = PQresultStatus(result_);
    return status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK;
  }
  std::string state() const { return Field(result_, PG_DIAG_SQLSTATE); }
  std::string command() const { return PQcmdStatus(result_); }

  Session::Answer Rows() const {
    Session::Answer answer;
    for (int i = 0; i < PQntuples(result_); ++i) {
      Session::Row& row = answer.rows.emplace_back();
      for (int column = 0; column < PQnfields(result_); ++column) {
        if (PQgetisnull(result_, i, column) != 0) {
          row.emplace_back(std::nullopt);
        } else {
          row.emplace_back(std::string(PQgetvalue(result_, i, column),
                                       static_cast<std::size_t>(PQgetlength(result_, i, column))));
        }
      }
    }
    answer.changed = std::strtoll(PQcmdTuples(result_), nullptr, 10);
    return answer;
  }

 private:
  PGresult* result_;
};

Result<std::unique_ptr<PostgresConnection>> PostgresConnection::Open(
    const PostgresOptions& options) {
  std::unique_ptr<PostgresConnection> made(new PostgresConnection(options));
  WEIR_TRY(made->Connect());
  WEIR_TRY(made->Prepare());
  return made;
}

PostgresConnection::~PostgresConnection() { Close(); }

void PostgresConnection::Close() {
  PQfinish(connection_);
  connection_ = nullptr;
}

Error PostgresConnection::Lost(const std::string& what) {
  Close();
  return Unavailable(PostgresPlace(options_.url) + ": " + what, ErrorCode::kCatalogUnavailable);
}

Status PostgresConnection::Connect() {
  // What stands before the URL are defaults that it may change; the password goes before its own.
  const std::string alive = Seconds(options_.connect_timeout);
  const std::string unsent = Millis(options_.statement_timeout);
  std::vector<const char*> names = {"application_name",
                                    "client_encoding",
                                    "target_session_attrs",
                                    "keepalives_idle",
                                    "keepalives_interval",
                                    "tcp_user_timeout",
                                    "dbname"};
  std::vector<const char*> values = {
      "weir",        "UTF8",         "read-write",        alive.c_str(),
      alive.c_str(), unsent.c_str(), options_.url.c_str()};
  if (!options_.password.empty()) {
    names.push_back("password");
    values.push_back(options_.password.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  connection_ = PQconnectStartParams(names.data(), values.data(), 1);
  if (connection_ == nullptr) return Unavailable("out of memory");
  if (PQstatus(connection_) == CONNECTION_BAD && PQsocket(connection_) < 0) {
    // Nothing was tried yet: the URL makes no sense, or no address is known for the host.
    return Lost(OneLine(PQerrorMessage(connection_)));
  }
  PQsetErrorVerbosity(connection_, PQERRORS_VERBOSE);  // with the code, which there is no call for
  const Micros deadline = SystemClock().Monotonic() + options_.connect_timeout;
  PostgresPollingStatusType step = PGRES_POLLING_WRITING;
  while (step != PGRES_POLLING_OK) {
    if (step == PGRES_POLLING_FAILED) {
      const std::string message = OneLine(PQerrorMessage(connection_));
      const std::string state = StateInMessage(message);
      Close();
      return PostgresError(state, PostgresPlace(options_.url) + ": " + message);
    }
    const short events = step == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (!AwaitSocket(PQsocket(connection_), events, deadline)) {
      return Lost(fmt::format("no connection within {} s", alive));
    }
    step = PQconnectPoll(connection_);
  }
  PQsetErrorVerbosity(connection_, PQERRORS_DEFAULT);
  return Ok();
}

// Settings of the session by a statement: poolers refuse them among the options of a connection.
Status PostgresConnection::Prepare() {
  auto set = Run(
      "SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false), "
      "set_config('idle_in_transaction_session_timeout', $3, false), "
      "CASE WHEN current_setting('synchronous_commit') = 'off' "
      "THEN set_config('synchronous_commit', 'on', false) END",
      {Millis(options_.statement_timeout), Millis(options_.lock_timeout),
       Millis(options_.idle_timeout)});
  return set ? Ok() : Status(std::move(set).error());
}

Status PostgresConnection::AwaitReply(Micros deadline) {
  while (PQisBusy(connection_) != 0) {
    WEIR_TRY(AwaitSocket(PQsocket(connection_), POLLIN, deadline));
    if (PQconsumeInput(connection_) == 0) {
      return Unavailable(OneLine(PQerrorMessage(connection_)));
    }
  }
  return Ok();
}

Result<PostgresConnection::Reply> PostgresConnection::Ask(const std::string& sql,
                                                          const std::vector<std::string>& values) {
  if (!is_open()) return Lost("the connection was lost");
  std::vector<const char*> texts;
  texts.reserve(values.size());
  for (const std::string& value : values) texts.push_back(value.c_str());
  if (PQsendQueryParams(connection_, sql.c_str(), static_cast<int>(texts.size()), nullptr,
                        texts.data(), nullptr, nullptr, 0) == 0) {
    return Lost(OneLine(PQerrorMessage(connection_)));
  }
  const Micros deadline = SystemClock().Monotonic() + options_.statement_timeout + kPatience;
  Reply reply(nullptr);
  while (true) {
    if (Status there = AwaitReply(deadline); !there) return Lost(there.error().message);
    PGresult* next = PQgetResult(connection_);
    if (next == nullptr) break;
    // An error may be followed by a second one, which says that the connection is gone.
    Reply another(next);
    if (reply.get() == nullptr) reply = std::move(another);
  }
  if (reply.get() == nullptr) return Lost("no answer");
  return reply;
}

Result<Session::Answer> PostgresConnection::Run(const std::string& sql,
                                                const std::vector<std::string>& values) {
  WEIR_ASSIGN_OR_RETURN(const Reply reply, Ask(sql, values));
  if (!reply.failed()) return reply.Rows();
  Error error =
      PostgresError(reply.state(), PostgresPlace(options_.url) + ": " + MessageOf(reply.get()));
  if (PQstatus(connection_) == CONNECTION_BAD) Close();
  return error;
}

Status PostgresConnection::Commit() {
  auto reply = Ask("COMMIT", {});
  if (!reply) {
    Error error = std::move(reply).error();
    error.kind = ErrorKind::kCommitUnknown;
    return error;
  }
  // A transaction that had failed answers COMMIT with a rollback.
  if (!reply->failed() && reply->command() == "COMMIT") return Ok();
  std::string message = PostgresPlace(options_.url) + ": ";
  if (!reply->failed()) return Unavailable(message + "the transaction was rolled back");
  Error error = PostgresError(reply->state(), message + MessageOf(reply->get()));
  if (LeavesCommitOpen(reply->state(), Field(reply->get(), PG_DIAG_SEVERITY_NONLOCALIZED))) {
    error.kind = ErrorKind::kCommitUnknown;
  }
  if (PQstatus(connection_) == CONNECTION_BAD) Close();
  return error;
}

std::string PostgresPlace(const std::string& url) {
  std::string place = url.substr(0, url.find('?'));
  const std::size_t user = place.find("://");
  const std::size_t host = place.rfind('@');
  if (user == std::string::npos || host == std::string::npos) return place;
  const std::size_t colon = place.find(':', user + 3);
  // There is no password in a URL that the configuration let pass; nor is one ever shown.
  if (colon < host) place.erase(colon, host - colon);
  return place;
}

}  // namespace weir::db
