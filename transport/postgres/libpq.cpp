#include "transport/postgres/libpq.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "protocol/limits/ledger.hpp"

namespace gate::postgres {
namespace {

using std::chrono::steady_clock;

/// Nobody reads them, and libpq would write them to standard error.
void ignore_notice(void*, const PGresult*) {}

/// What holds for each connection, whatever the server or the user's defaults are. Statements look
/// for what an index has; and a plan that was made once, when tables were empty or without knowing
/// how few rows are wanted, would go on reading all of them, so each run has its own.
std::string settings() {
  const auto most = std::to_string(limits::ledger_statement.count());
  return "SET search_path TO gate_hooks; SET statement_timeout TO " + most +
         "; SET lock_timeout TO " + most + "; SET idle_in_transaction_session_timeout TO " + most +
         "; SET default_transaction_isolation TO 'read committed'; SET jit TO off; "
         "SET enable_seqscan TO off; SET plan_cache_mode TO force_custom_plan; "
         "SELECT set_config('synchronous_commit', 'on', false) "
         "WHERE current_setting('synchronous_commit') = 'off'";
}

std::string numbered(std::string_view sql) {
  std::string out;
  int n = 0;
  for (const char c : sql) {
    if (c == '?')
      out += "$" + std::to_string(++n);
    else
      out += c;
  }
  return out;
}

}  // namespace

bool connection::connect() {
  close();
  failure_.reset();
  patience_ = limits::ledger_answer;
  std::vector<const char*> words, values;
  for (const auto& [word, value] : to_.words()) {
    words.push_back(word.c_str());
    values.push_back(value.c_str());
  }
  // What may be set differently comes first: of a word that is given twice the last holds.
  words.insert(words.begin(), "fallback_application_name");
  values.insert(values.begin(), "gate-hooks");
  const auto silent = std::to_string(limits::ledger_keepalive.count());
  const auto unsaid = std::to_string(limits::ledger_answer.count());
  const std::array<std::pair<const char*, const char*>, 6> ours{
      {{"client_encoding", "UTF8"},
       {"keepalives_idle", silent.c_str()},
       {"keepalives_interval", silent.c_str()},
       {"keepalives_count", "2"},
       {"tcp_user_timeout", unsaid.c_str()},
       {nullptr, nullptr}}};
  for (const auto& [word, value] : ours) {
    words.push_back(word);
    values.push_back(value);
  }
  handle_ = PQconnectStartParams(words.data(), values.data(), 0);
  if (handle_ == nullptr) std::abort();  // no memory
  PQsetNoticeReceiver(handle_, &ignore_notice, nullptr);
  PQsetErrorVerbosity(handle_, PQERRORS_VERBOSE);
  const auto by = steady_clock::now() + limits::ledger_connect;
  auto state = PQstatus(handle_) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
  while (state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING) {
    if (!wait(state == PGRES_POLLING_READING ? POLLIN : POLLOUT, by)) {
      break_off("it did not answer in time");
      return false;
    }
    state = PQconnectPoll(handle_);
  }
  if (state != PGRES_POLLING_OK || PQsetnonblocking(handle_, 1) != 0) {
    fail(not_connected(PQerrorMessage(handle_), name()));
    close();
    return false;
  }
  PQsetErrorVerbosity(handle_, PQERRORS_DEFAULT);
  const auto* encoding = PQparameterStatus(handle_, "server_encoding");
  if (encoding != nullptr && std::string_view(encoding) != "UTF8") {
    fail({failure::kind::unavailable, name() + " is not in UTF8, but in " + encoding +
                                          ": make a database WITH ENCODING 'UTF8'"});
    return false;
  }
  return run(settings().c_str());
}

void connection::close() {
  statements_.clear();
  if (handle_ != nullptr) PQfinish(std::exchange(handle_, nullptr));
}

void connection::fail(failure f) {
  if (!failure_) failure_ = std::move(f);
}

void connection::break_off(std::string_view why) {
  fail(lost(why, name()));
  close();
}

bool connection::wait(short events, time_point by) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(by - steady_clock::now());
    if (left.count() <= 0) return false;
    const bool stops = statements_.empty() && stop_ >= 0 && PQstatus(handle_) != CONNECTION_OK;
    std::array<pollfd, 2> all{{{PQsocket(handle_), events, 0}, {stop_, POLLIN, 0}}};
    const int n = ::poll(all.data(), stops ? 2 : 1, static_cast<int>(left.count()));
    if (n < 0 && errno != EINTR) return false;
    if (stops && all[1].revents != 0) return false;
    if (n > 0 && all[0].revents != 0) return true;
  }
}

PGresult* connection::next_result(time_point by) {
  int unsent = 0;
  while ((unsent = PQflush(handle_)) > 0) {
    if (!wait(POLLIN | POLLOUT, by)) return nullptr;
    if (PQconsumeInput(handle_) == 0) return nullptr;
  }
  if (unsent < 0) return nullptr;
  while (PQisBusy(handle_) != 0) {
    if (!wait(POLLIN, by)) return nullptr;
    if (PQconsumeInput(handle_) == 0) return nullptr;
  }
  return PQgetResult(handle_);
}

/// The last result of what was sent, or that which failed.
rows_of connection::answer() {
  const auto by = steady_clock::now() + patience_;
  rows_of out(nullptr, &PQclear);
  while (true) {
    auto* r = next_result(by);
    if (r == nullptr) break;
    const bool bad = out != nullptr && PQresultStatus(out.get()) == PGRES_FATAL_ERROR;
    if (bad)
      PQclear(r);
    else
      out.reset(r);
  }
  if (steady_clock::now() >= by) {
    break_off("there was no answer in time");
    out.reset();
  } else if (PQstatus(handle_) != CONNECTION_OK) {
    // The server may have said why before it closed.
    check(out.get());
    break_off(PQerrorMessage(handle_));
    out.reset();
  } else {
    check(out.get());
  }
  return out;
}

void connection::check(const PGresult* r) {
  const auto status = r == nullptr ? PGRES_FATAL_ERROR : PQresultStatus(r);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY)
    return;
  const auto* state = r == nullptr ? nullptr : PQresultErrorField(r, PG_DIAG_SQLSTATE);
  const auto* primary = r == nullptr ? nullptr : PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
  if (state == nullptr) {
    fail(lost(PQerrorMessage(handle_), name()));
    return;
  }
  fail(failure_of(state, primary == nullptr ? "" : primary, name()));
}

bool connection::run(const char* sql) {
  if (failed()) return false;
  if (!connected() || PQsendQuery(handle_, sql) == 0) {
    break_off(handle_ == nullptr ? "it is not connected" : PQerrorMessage(handle_));
    return false;
  }
  answer();
  return !failed();
}

bool connection::commit() {
  if (failed()) return false;
  if (PQsendQuery(handle_, "COMMIT") == 0) {
    break_off(PQerrorMessage(handle_));
    return false;
  }
  const auto r = answer();
  if (failed()) return false;
  // Of a transaction that has failed it says so.
  if (std::string_view(PQcmdStatus(r.get())) == "COMMIT") return true;
  fail({failure::kind::unavailable, name() + " has undone it"});
  return false;
}

void connection::roll_back() {
  if (!connected() || PQtransactionStatus(handle_) == PQTRANS_IDLE) return;
  auto before = take_failure();
  run("ROLLBACK");
  if (before) {
    const bool gone = failed() && failure_->what_kind == failure::kind::lost;
    if (!gone) failure_ = std::move(before);
  }
}

std::string connection::prepared(std::string_view sql, const parameters& with) {
  if (const auto found = statements_.find(sql); found != statements_.end()) return found->second;
  auto name = "s" + std::to_string(statements_.size());
  const auto text = numbered(sql);
  if (!connected() ||
      PQsendPrepare(handle_, name.c_str(), text.c_str(), with.size(), with.types()) == 0) {
    break_off(handle_ == nullptr ? "it is not connected" : PQerrorMessage(handle_));
    return {};
  }
  answer();
  if (failed()) return {};
  statements_.emplace(sql, name);
  return name;
}

void query::ask() {
  if (std::exchange(asked_, true) || on_.failed()) return;
  const auto name = on_.prepared(sql_, given_);
  if (name.empty()) return;
  if (PQsendQueryPrepared(on_.handle_, name.c_str(), given_.size(), given_.values(),
                          given_.lengths(), given_.formats(), 1) == 0) {
    on_.break_off(PQerrorMessage(on_.handle_));
    return;
  }
  rows_ = on_.answer();
  if (on_.failed()) rows_.reset();
}

bool query::row() {
  ask();
  if (on_.failed() || !rows_) return false;
  return ++row_ < PQntuples(rows_.get());
}

bool query::done() {
  ask();
  return !on_.failed();
}

std::int64_t query::changed() {
  ask();
  if (!rows_) return 0;
  return std::strtoll(PQcmdTuples(rows_.get()), nullptr, 10);
}

std::string_view query::bytes(int column) const {
  return {PQgetvalue(rows_.get(), row_, column),
          static_cast<std::size_t>(PQgetlength(rows_.get(), row_, column))};
}

}  // namespace gate::postgres
