// Addresses of databases: the forms that are taken, and that no sentence has the password in it.
#include "transport/postgres/address.hpp"

#include <gtest/gtest.h>

#include <map>

#include "protocol/limits/ledger.hpp"

namespace gate::postgres {
namespace {

std::map<std::string, std::string> words(const std::string& url) {
  const auto a = address::parse(url);
  EXPECT_TRUE(a) << url << ": " << a.error().what;
  if (!a) return {};
  return {a->words().begin(), a->words().end()};
}

TEST(address, both_schemes_and_all_their_parts) {
  for (const std::string scheme : {"postgres", "postgresql"}) {
    const auto w = words(scheme + "://us%40er:p%2Fw@db.example:5433/ho%6Fks?sslmode=verify-full");
    EXPECT_EQ(w.at("user"), "us@er");
    EXPECT_EQ(w.at("password"), "p/w");
    EXPECT_EQ(w.at("host"), "db.example");
    EXPECT_EQ(w.at("port"), "5433");
    EXPECT_EQ(w.at("dbname"), "hooks");
    EXPECT_EQ(w.at("sslmode"), "verify-full");
    EXPECT_EQ(w.size(), 6U);
  }
}

TEST(address, local_sockets_addresses_and_several_hosts) {
  EXPECT_EQ(words("postgres://u@/db?host=%2Frun%2Fpostgresql").at("host"), "/run/postgresql");
  EXPECT_EQ(words("postgres://u@%2Frun%2Fpostgresql/db").at("host"), "/run/postgresql");
  EXPECT_EQ(words("postgres://u@[::1]:5432/db").at("host"), "::1");
  const auto w = words("postgres://u@a:1,b:2/db?target_session_attrs=read-write");
  EXPECT_EQ(w.at("host"), "a,b");
  EXPECT_EQ(w.at("port"), "1,2");
  EXPECT_EQ(w.at("target_session_attrs"), "read-write");
  EXPECT_TRUE(words("postgres://").empty());
}

TEST(address, its_name_has_neither_user_nor_password) {
  const auto a = address::parse("postgres://user:secret@db.example:5433/hooks?sslpassword=secret");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->name(), "PostgreSQL at db.example:5433/hooks");
  EXPECT_EQ(address::parse("postgres://")->name(), "PostgreSQL");
  EXPECT_EQ(address::parse("postgres:///hooks?hostaddr=10.0.0.1")->name(),
            "PostgreSQL at 10.0.0.1/hooks");
}

TEST(address, what_is_none_is_refused_and_not_quoted) {
  const std::string long_one(limits::ledger_address, 'x');
  for (const std::string& url : std::vector<std::string>{
           "",
           "secret",
           "mysql://u:secret@host/db",
           "POSTGRES://u:secret@host/db",
           "postgres:/u:secret@host/db",
           "host=a password=secret",
           "postgres://u:secret%zz@host/db",
           "postgres://u:secret%00@host/db",
           "postgres://u:secret@[::1/db",
           "postgres://u:secret@host:port/db",
           "postgres://u:sec@secret@host/db",
           "postgres://u:1/secret@host/db",
           "postgres://u:secret/more@host/db",
           "postgres://u:secret@host/db?secret",
           "postgres://u:secret@host/db?secret=1",
           "postgres://u@host/db?a=b=secret",
           "postgres://u:secret\n@host/db",
           "postgres://u:secret@host/db%0Amore",
           "postgres://u:secret@host/db?options=-c%20fsync%3Doff",
           "postgres://u:secret@host/db?replication=database",
           "postgres://u:secret@host/db?service=other",
           "postgres://u:secret@host/db?client_encoding=LATIN1",
           "postgres://u:secret@host/db?connect_timeout=100000",
           std::string("postgres://u:secret\0@host/db", 28),
           "postgres://u:secret@host/" + long_one,
       }) {
    const auto a = address::parse(url);
    ASSERT_FALSE(a) << url;
    EXPECT_EQ(a.error().what.find("secret"), std::string::npos) << a.error().what;
    EXPECT_NE(a.error().what.find("postgres://user:password@"), std::string::npos);
  }
}

}  // namespace
}  // namespace gate::postgres
