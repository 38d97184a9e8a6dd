// Connections and statements: parameters as they are, rows, what fails and how it stays.
#include "transport/postgres/libpq.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "protocol/limits/ledger.hpp"
#include "tests/transport/postgres/server.hpp"

namespace gate::postgres {
namespace {

using kind = failure::kind;
using testing::postgres_server;

struct connecting : ::testing::Test {
  static address to(const std::string& url) { return address::parse(url).value(); }
  std::string why() {
    const auto f = db.take_failure();
    return f ? f->what : "";
  }

  const address here = to(postgres_server::get().url("postgres"));
  connection db{here};
};

struct connected : connecting {
  connected() { EXPECT_TRUE(db.connect()) << why(); }
};

TEST_F(connected, parameters_come_back_as_they_are) {
  const std::string bytes("\0\xff'\\\n", 5);
  query q(db, "SELECT ?, ?::TEXT, ?::BYTEA, ?::BIGINT, ?, ?::BIGINT");
  q.with(INT64_MIN).with("\xc3\xa4'; DROP").with_bytes(bytes).with(std::optional<std::int64_t>{});
  q.with(std::optional<std::int64_t>(-7)).with(true);
  ASSERT_TRUE(q.row()) << why();
  EXPECT_EQ(q.number(0), INT64_MIN);
  EXPECT_EQ(q.text(1), "\xc3\xa4'; DROP");
  EXPECT_EQ(q.text(2), bytes);
  EXPECT_TRUE(q.null(3));
  EXPECT_FALSE(q.maybe(3));
  EXPECT_EQ(q.maybe(4), -7);
  EXPECT_EQ(q.number(5), 1);
  EXPECT_FALSE(q.row());
}

TEST_F(connected, arrays_are_rows_in_their_order) {
  const std::vector<std::string_view> texts{"b", "", "a\"{,}"};
  const std::vector<std::string_view> bytes{"", std::string_view("\0\1", 2), "x"};
  query q(db, "SELECT * FROM unnest(?::BIGINT[], ?::TEXT[], ?::BYTEA[], ?::BIGINT[])");
  q.with_all(std::vector<std::int64_t>{3, -1, 2}).with_all(texts).with_all_bytes(bytes);
  q.with_all(std::vector<std::optional<std::int64_t>>{{}, 5, 6});
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(q.row()) << why();
    EXPECT_EQ(q.text(1), texts[i]);
    EXPECT_EQ(q.text(2), bytes[i]);
    EXPECT_EQ(q.null(3), i == 0);
  }
  EXPECT_EQ(q.number(0), 2);
  EXPECT_FALSE(q.row());
  query none(db, "SELECT count(*) FROM unnest(?::BIGINT[])");
  none.with_all(std::vector<std::int64_t>{});
  ASSERT_TRUE(none.row()) << why();
  EXPECT_EQ(none.number(0), 0);
}

TEST_F(connected, numbers_of_all_sizes) {
  query q(db, "SELECT 1::SMALLINT, -2::INTEGER, 3::BIGINT, true, '-4'::SMALLINT");
  ASSERT_TRUE(q.row()) << why();
  EXPECT_EQ(q.number(0), 1);
  EXPECT_EQ(q.number(1), -2);
  EXPECT_EQ(q.number(2), 3);
  EXPECT_EQ(q.number(3), 1);
  EXPECT_EQ(q.number(4), -4);
}

TEST_F(connected, what_is_no_text_is_refused) {
  query bad(db, "SELECT ?::TEXT");
  bad.with("\xff");
  EXPECT_FALSE(bad.row());
  EXPECT_EQ(db.take_failure()->what_kind, kind::invalid);
}

TEST_F(connected, a_failure_stays_until_it_is_taken) {
  query(db, "SELECT nonsense").done();
  ASSERT_TRUE(db.failed());
  EXPECT_NE(db.what_failed()->what.find("nonsense"), std::string::npos);
  query later(db, "SELECT 1");
  EXPECT_FALSE(later.row());
  EXPECT_FALSE(db.run("SELECT 1"));
  EXPECT_EQ(db.take_failure()->what_kind, kind::unavailable);
  query again(db, "SELECT 1");
  EXPECT_TRUE(again.row());
}

TEST_F(connected, what_has_failed_is_not_committed) {
  EXPECT_TRUE(db.run("BEGIN; CREATE TEMP TABLE t (n INT) ON COMMIT DROP"));
  query(db, "SELECT nonsense").done();
  db.take_failure();
  EXPECT_FALSE(db.commit());
  EXPECT_NE(why().find("has undone it"), std::string::npos);
  EXPECT_TRUE(db.run("BEGIN; SELECT 1"));
  EXPECT_TRUE(db.commit());
  EXPECT_TRUE(db.run("BEGIN"));
  query(db, "SELECT more_nonsense").done();
  db.roll_back();
  EXPECT_NE(why().find("more_nonsense"), std::string::npos);
  EXPECT_TRUE(db.run("SELECT 1"));
}

TEST_F(connected, what_takes_too_long_is_cancelled_there) {
  EXPECT_TRUE(db.run("SET statement_timeout TO 20"));
  EXPECT_FALSE(db.run("SELECT pg_sleep(100)"));
  const auto f = db.take_failure();
  EXPECT_EQ(f->what_kind, kind::unavailable);
  EXPECT_NE(f->what.find("took too long"), std::string::npos) << f->what;
  EXPECT_TRUE(db.connected());
}

TEST_F(connected, a_server_that_says_nothing_is_lost) {
  db.be_patient(std::chrono::milliseconds(50));
  EXPECT_FALSE(db.run("SELECT pg_sleep(1)"));
  EXPECT_EQ(db.what_failed()->what_kind, kind::lost);
  EXPECT_FALSE(db.connected());
  EXPECT_TRUE(db.connect());
  EXPECT_TRUE(db.run("SELECT 1"));
}

TEST_F(connected, whoever_is_sent_away_hears_why) {
  std::int64_t pid = 0;
  {
    query q(db, "SELECT pg_backend_pid()");
    ASSERT_TRUE(q.row());
    pid = q.number(0);
  }
  postgres_server::number(postgres_server::get().url("postgres"),
                          "SELECT pg_terminate_backend(" + std::to_string(pid) + ", 10000)::int");
  EXPECT_FALSE(db.run("SELECT 1"));
  EXPECT_EQ(db.what_failed()->what_kind, kind::lost);
  EXPECT_FALSE(db.connected());
  db.roll_back();
  EXPECT_TRUE(db.connect());
}

TEST_F(connected, each_commit_is_durable_whatever_the_default_is) {
  auto& server = postgres_server::get();
  const auto url = server.new_database();
  const auto name = url.substr(url.find("@/") + 2, url.find('?') - url.find("@/") - 2);
  postgres_server::run(url, "ALTER DATABASE " + name + " SET synchronous_commit TO off");
  const auto there = to(url);
  connection careless(there);
  ASSERT_TRUE(careless.connect());
  query q(careless, "SELECT current_setting('synchronous_commit')");
  ASSERT_TRUE(q.row());
  EXPECT_EQ(q.text(0), "on");
}

TEST_F(connecting, without_a_server_it_says_where_it_looked) {
  const testing::temporary_folder empty;
  std::string path;
  for (const char c : empty.path()) path += c == '/' ? "%2F" : std::string(1, c);
  const auto nowhere = to("postgres://gate:secret@/db?host=" + path);
  connection none(nowhere);
  EXPECT_FALSE(none.connect());
  const auto f = none.take_failure();
  EXPECT_EQ(f->what_kind, kind::lost);
  EXPECT_NE(f->what.find(empty.path()), std::string::npos) << f->what;
  EXPECT_EQ(f->what.find("secret"), std::string::npos);
  EXPECT_EQ(f->what.find('\n'), std::string::npos);
  EXPECT_FALSE(none.run("SELECT 1"));
}

TEST_F(connecting, a_wrong_password_is_told_of_and_not_told) {
  postgres_server::run(postgres_server::get().url("postgres"),
                       "DROP ROLE IF EXISTS locked; CREATE ROLE locked LOGIN PASSWORD 'right'");
  auto url = postgres_server::get().url("postgres", "locked:wrong_secret");
  const auto wrong = to(url);
  connection refused(wrong);
  EXPECT_FALSE(refused.connect());
  const auto f = refused.take_failure();
  EXPECT_NE(f->what.find("password authentication failed"), std::string::npos) << f->what;
  EXPECT_EQ(f->what.find("wrong_secret"), std::string::npos);
  const auto right = to(postgres_server::get().url("postgres", "locked:right"));
  connection let_in(right);
  EXPECT_TRUE(let_in.connect());
}

TEST_F(connecting, a_database_of_another_encoding_is_refused) {
  const auto other =
      to(postgres_server::get().new_database("TEMPLATE template0 ENCODING 'LATIN1'"));
  connection latin(other);
  EXPECT_FALSE(latin.connect());
  EXPECT_NE(latin.what_failed()->what.find("is not in UTF8, but in LATIN1"), std::string::npos);
}

TEST_F(connecting, nobody_waits_for_a_connection_at_the_end) {
  // Somebody who listens, and never answers.
  const testing::temporary_folder folder;
  const auto path = folder.file(".s.PGSQL.5432");
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  path.copy(static_cast<char*>(at.sun_path), sizeof(at.sun_path) - 1);
  const int mute = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(mute, reinterpret_cast<sockaddr*>(&at), sizeof(at)), 0);
  ASSERT_EQ(::listen(mute, 1), 0);
  std::string encoded;
  for (const char c : folder.path()) encoded += c == '/' ? "%2F" : std::string(1, c);
  const auto there = to("postgres://u@/db?host=" + encoded);
  const int stop = ::eventfd(1, EFD_CLOEXEC);
  connection waiting(there, stop);
  const auto before = std::chrono::steady_clock::now();
  EXPECT_FALSE(waiting.connect());
  EXPECT_LT(std::chrono::steady_clock::now() - before, limits::ledger_connect / 2);
  EXPECT_EQ(waiting.what_failed()->what_kind, kind::lost);
  ::close(stop);
  ::close(mute);
}

}  // namespace
}  // namespace gate::postgres
