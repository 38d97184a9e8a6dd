#include "transport/postgres/address.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <memory>

#include "protocol/limits/ledger.hpp"

namespace gate::postgres {
namespace {

/// Where the server is, who asks and how the way is kept safe. What else libpq knows is ours to
/// decide (time limits, encoding), or would have the connection be another one than is meant.
constexpr std::array<std::string_view, 22> known{"host",
                                                 "hostaddr",
                                                 "port",
                                                 "user",
                                                 "password",
                                                 "dbname",
                                                 "sslmode",
                                                 "sslrootcert",
                                                 "sslcert",
                                                 "sslkey",
                                                 "sslpassword",
                                                 "sslcrl",
                                                 "sslcrldir",
                                                 "sslsni",
                                                 "ssl_min_protocol_version",
                                                 "gssencmode",
                                                 "channel_binding",
                                                 "ssl_max_protocol_version",
                                                 "require_auth",
                                                 "passfile",
                                                 "target_session_attrs",
                                                 "application_name"};

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// What may be shown in a sentence.
std::string shown(const std::string& text) {
  std::string out = text;
  std::ranges::replace_if(out, is_control, '?');
  return out;
}

struct parsed {
  std::string host, port, database;
};

std::string name_of(const parsed& p) {
  std::string out = "PostgreSQL";
  if (!p.host.empty()) out += " at " + shown(p.host);
  if (!p.port.empty()) out += ":" + shown(p.port);
  if (!p.database.empty()) out += "/" + shown(p.database);
  return out;
}

/// A password with an `@` or a `/` in it that is not encoded ends up there, and is not to be shown.
bool is_split_elsewhere(const parsed& p) {
  return p.host.find('@') != std::string::npos || p.database.find('@') != std::string::npos ||
         p.port.find_first_not_of("0123456789,") != std::string::npos;
}

problem is_none(std::string why) {
  return problem{"the address of the database " + std::move(why) +
                 "; write postgres://user:password@host:port/database, with what is special in it "
                 "percent-encoded"};
}

}  // namespace

result<address> address::parse(std::string_view url) {
  if (!url.starts_with("postgres://") && !url.starts_with("postgresql://"))
    return is_none("begins with another scheme than postgres: or postgresql:");
  if (url.size() > limits::ledger_address) return is_none("is too long");
  if (std::ranges::any_of(url, is_control)) return is_none("has control characters in it");
  const std::string text(url);
  // What libpq says of an error quotes what it has read, and so perhaps the password.
  char* said = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> all(
      PQconninfoParse(text.c_str(), &said), &PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> unread(said, &PQfreemem);
  if (!all) return is_none("is not well-formed");
  address out;
  parsed p;
  for (const auto* o = all.get(); o->keyword != nullptr; ++o) {
    if (o->val == nullptr) continue;
    const std::string_view word = o->keyword;
    const std::string value = o->val;
    if (std::ranges::find(known, word) == known.end())
      return is_none("has " + std::string(word) + " in it, which is not to be set");
    if (std::ranges::any_of(value, is_control)) return is_none("has control characters in it");
    if (word == "host") p.host = value;
    if (word == "hostaddr" && p.host.empty()) p.host = value;
    if (word == "port") p.port = value;
    if (word == "dbname") p.database = value;
    out.words_.emplace_back(word, value);
  }
  if (is_split_elsewhere(p)) return is_none("has no host and port where they belong");
  out.name_ = name_of(p);
  return out;
}

}  // namespace gate::postgres
