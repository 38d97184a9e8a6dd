#include "protocol/resp/handshake.hpp"

#include <array>
#include <utility>

#include "protocol/resp/writer.hpp"

namespace gate::resp {
namespace {

constexpr std::string_view no_store =
    "what answers there is no Redis server: check the host and the port";

struct refusal {
  std::string_view word, why;
};
/// By the first word: the rest differs between servers.
constexpr std::array refusals{
    refusal{"WRONGPASS", "it refuses the user name or the password: check those of the URL"},
    refusal{"NOAUTH", "it wants a password: give it in REDIS_URL, as redis://:password@host"},
    refusal{"NOPERM", "its access rules do not let us in: see the ACL line in docs/fleet.md"},
    refusal{"DENIED", "it runs in protected mode: give it a password, or bind it to this network"},
};

/// The value of a key in the answer to HELLO: a map.
std::string_view text_of(const value& map, std::string_view key) {
  if (map.size() == 0) return {};
  auto k = map.first();
  for (std::size_t i = 0; i + 1 < map.size(); i += 2) {
    const auto v = k.next();
    if (k.text() == key) return v.text();
    if (i + 2 < map.size()) k = v.next();
  }
  return {};
}

}  // namespace

handshake::handshake(const store_url& to, dialect most) : to_(to), speaks_(most) {
  if (most == dialect::resp3)
    hello();
  else
    auth();
}

std::string handshake::take_output() {
  return std::exchange(output_, {});
}

void handshake::hello() {
  state_ = state::hello;
  if (!to_.credentials) return add_command(output_, {"HELLO", "3"});
  const std::string_view user = to_.user.empty() ? std::string_view("default") : to_.user;
  add_command(output_, {"HELLO", "3", "AUTH", user, to_.password});
}

void handshake::auth() {
  speaks_ = dialect::resp2;
  state_ = state::auth;
  if (!to_.credentials) return select();
  if (to_.user.empty())
    add_command(output_, {"AUTH", to_.password});
  else
    add_command(output_, {"AUTH", to_.user, to_.password});
}

void handshake::select() {
  state_ = state::select;
  if (to_.database == 0) return ping();
  add_command(output_, {"SELECT", std::to_string(to_.database)});
}

void handshake::ping() {
  state_ = state::ping;
  add_command(output_, {"PING"});
}

void handshake::heard(const value& v) {
  switch (state_) {
    case state::hello:
      return on_hello(v);
    case state::auth:
      if (v.is_text("OK")) return select();
      if (v.is_error() && v.word() == "ERR")
        return fail("it refuses the user name or the password: check those of the URL");
      return refused(v);
    case state::select:
      if (v.is_text("OK")) return ping();
      if (v.is_error() && v.word() == "ERR")
        return fail("it has no such database: check the number at the end of the URL");
      return refused(v);
    case state::ping:
      if (v.is_text("PONG")) {
        state_ = state::ready;
        return;
      }
      return refused(v);
    default:
      return;
  }
}

void handshake::on_hello(const value& v) {
  if (v.kind() == kind::map) {
    // One that is being written to by another would refuse whatever we keep there.
    const auto role = text_of(v, "role");
    if (role == "replica" || role == "slave")
      return fail("it is a replica, which takes no writes: name the primary");
    return select();
  }
  if (v.is_error() && (v.word() == "ERR" || v.word() == "NOPROTO" || v.word() == "NOPERM"))
    return auth();
  refused(v);
}

void handshake::refused(const value& v) {
  if (!v.is_error()) return fail(no_store);
  if (v.word() == "LOADING") {
    state_ = state::loading;
    why_ = "it is still loading its data: wait until it has";
    return;
  }
  for (const auto& r : refusals)
    if (v.word() == r.word) return fail(r.why);
  fail("it refuses to begin: look into its log");
}

void handshake::fail(std::string_view why) {
  state_ = state::failed;
  why_ = why;
}

}  // namespace gate::resp
