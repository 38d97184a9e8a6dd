#include "tests/transport/postgres/server.hpp"

#include <fcntl.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace gate::testing {
namespace {

std::string program(const std::string& name) {
  const auto* folder = std::getenv("GATE_POSTGRES_PROGRAMS");
  return std::string(folder == nullptr ? "/usr/lib/postgresql/15/bin" : folder) + "/" + name;
}

/// It refuses to run as root.
const passwd* somebody() {
  if (::geteuid() != 0) return nullptr;
  const auto* out = ::getpwnam("postgres");
  return out != nullptr ? out : ::getpwnam("nobody");
}

std::string encoded(const std::string& path) {
  std::string out;
  for (const char c : path) out += c == '/' ? "%2F" : std::string(1, c);
  return out;
}

PGresult* ask(PGconn* on, const std::string& sql) {
  auto* out = PQexec(on, sql.c_str());
  const auto status = PQresultStatus(out);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw std::runtime_error(sql + ": " + PQerrorMessage(on));
  return out;
}

}  // namespace

postgres_server& postgres_server::get() {
  static postgres_server only;
  return only;
}

postgres_server::postgres_server() {
  if (const auto* who = somebody())
    if (::chown(folder_.path().c_str(), who->pw_uid, who->pw_gid) != 0)
      throw std::runtime_error("the folder can not be given away");
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const auto made = spawn({program("initdb"), "-D", folder_.file("data"), "-E", "UTF8",
                           "--locale=C", "--no-sync", "-A", "trust", "-U", "gate"},
                          nowhere);
  ::close(nowhere);
  int status = 0;
  ::waitpid(made, &status, 0);
  if (status != 0) throw std::runtime_error("initdb has failed");
  std::ofstream(folder_.file("data/pg_hba.conf"))
      << "local all locked scram-sha-256\nlocal all all trust\n";
  start();
}

pid_t postgres_server::spawn(const std::vector<std::string>& words, int log) const {
  std::vector<char*> arguments;
  for (const auto& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
  arguments.push_back(nullptr);
  const auto* who = somebody();
  const auto pid = ::fork();
  if (pid != 0) return pid;
  // It ends with us, however we end.
  const bool lowered = who == nullptr || (::setgid(who->pw_gid) == 0 && ::setuid(who->pw_uid) == 0);
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  if (lowered && ::chdir("/") == 0) ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

void postgres_server::start() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  is_ready_ = ended_ = false;
  pid_ = spawn({program("postgres"), "-D", folder_.file("data"), "-k", folder_.path(), "-c",
                "listen_addresses=", "-c", "max_connections=60", "-c", "shared_buffers=32MB"},
               ends[1]);
  ::close(ends[1]);
  reader_ = std::thread([this, from = ends[0]] { read_log(from); });
  std::unique_lock lock(mutex_);
  ready_.wait(lock, [this] { return is_ready_ || ended_; });
  if (!is_ready_) throw std::runtime_error("PostgreSQL does not start: " + log_);
}

void postgres_server::read_log(int from) {
  std::array<char, 4096> some{};
  std::string all;
  while (true) {
    const auto n = ::read(from, some.data(), some.size());
    std::lock_guard lock(mutex_);
    if (n <= 0) break;
    all.append(some.data(), static_cast<std::size_t>(n));
    if (all.find("ready to accept connections") != std::string::npos) is_ready_ = true;
    log_ = all.substr(all.size() > 4096 ? all.size() - 4096 : 0);
    ready_.notify_all();
  }
  ::close(from);
  std::lock_guard lock(mutex_);
  ended_ = true;
  ready_.notify_all();
}

void postgres_server::stop(bool at_once) {
  if (pid_ <= 0) return;
  ::kill(pid_, at_once ? SIGQUIT : SIGINT);
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
  reader_.join();
}

std::string postgres_server::url(const std::string& database, const std::string& user) const {
  return "postgres://" + user + "@/" + database + "?host=" + encoded(folder_.path());
}

std::string postgres_server::new_database(const std::string& options) {
  const auto name = "t" + std::to_string(++databases_);
  run(url("postgres"), "CREATE DATABASE " + name + " " + options);
  return url(name);
}

void postgres_server::run(const std::string& url, const std::string& sql) {
  auto* on = PQconnectdb((url + "&options=-cclient_min_messages%3Derror").c_str());
  PQclear(ask(on, sql));
  PQfinish(on);
}

std::int64_t postgres_server::number(const std::string& url, const std::string& sql) {
  auto* on = PQconnectdb(url.c_str());
  auto* rows = ask(on, sql);
  const auto out = PQntuples(rows) == 0 ? -1 : std::strtoll(PQgetvalue(rows, 0, 0), nullptr, 10);
  PQclear(rows);
  PQfinish(on);
  return out;
}

}  // namespace gate::testing
