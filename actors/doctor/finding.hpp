#pragma once
/// FINDING: one line of what `gate doctor` has to say: what was looked at, where it stands in the
/// document, what was seen, and what to do about it. Pure.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gate::doctor {

class discretion;

enum class severity : std::uint8_t { ok, warning, error };

constexpr std::string_view to_string(severity s) noexcept {
  return s == severity::ok ? "ok" : s == severity::warning ? "warning" : "error";
}

enum class check : std::uint8_t {
  document,
  secrets,
  listening,
  allowlist,
  descriptors,
  connection,
  certificate,
  handshake,
  tools,
  names,
  resources,
  keys,
  clock,
  issuer,
  token_endpoint,
  audit,
  store,
  discovery,
  collector,
};

struct check_row {
  check what;
  std::string_view name;
  std::string_view looks;    ///< at what
  std::string_view warns;    ///< of what; empty: of nothing
  std::string_view refuses;  ///< what is an error
};

/// One row a check; docs/doctor.md has them as a table.
inline constexpr std::array checks{
    // clang-format off
    check_row{check::document,       "document",       "the document, as `--validate` does, and what its fields mean together", "fields that do nothing beside others, a policy that allows nobody anything, credentials or clients' tokens in clear text", "each problem that would fail the start"},
    check_row{check::secrets,        "secrets",        "every environment variable that the document names, and `REDIS_URL`", "", "one that is not set, is too short, or is no key, token or URL"},
    check_row{check::listening,      "listening",      "`--host` and `--port`, by binding and closing", "the port is a running gate's, or it can not be seen who has it; everybody in the network can call, without a token", "the address can not be bound; another program has the port"},
    check_row{check::allowlist,      "allowlist",      "`server.allowedHosts` against `server.publicUrl`, `auth.resource` and `--host`", "`*`; an address that clients can reach and the list does not name", "clients that use `publicUrl` or `resource` would get 403"},
    check_row{check::descriptors,    "descriptors",    "the limit of open files against `--threads`, upstreams and sessions", "room for few clients", ""},
    check_row{check::connection,     "connection",     "each address of another: its name, its port", "", "the name has no address, nobody listens, no answer in time"},
    check_row{check::certificate,    "certificate",    "the certificate of each https address", "it ends within two weeks", "it is for other names, is not trusted, has ended; the server does not speak TLS"},
    check_row{check::handshake,      "handshake",      "`server/discover`, `initialize`, as `protocol` says, with the upstream's credential if the document has one", "", "the credential is refused, the server speaks another generation, its answer is none"},
    check_row{check::tools,          "tools",          "`tools/list`, all pages", "it takes long; tools that can not be shown; pages without end", "the list is refused, is none, or does not come"},
    check_row{check::names,          "names",          "the names of tools as clients see them", "longer than 64 characters, or with characters that APIs of models refuse; one name twice", ""},
    check_row{check::resources,      "resources",      "`resources/list`, all pages, of all upstreams", "one URI at two upstreams: reads go to the first; the list is refused, is none or does not come", ""},
    check_row{check::keys,           "keys",           "the key set of each issuer, from where the gateway takes it", "", "it can not be had, or has no key that is of use: no token is accepted"},
    check_row{check::clock,          "clock",          "the clocks of issuers and of the store against ours", "off by more than 5 s", "off by more than the leeway of tokens"},
    check_row{check::issuer,         "issuer",         "the metadata of each issuer, which clients need to sign in", "it can not be had, or names another key set", "it names another issuer: clients' tokens would be refused"},
    check_row{check::token_endpoint, "token endpoint", "the token endpoints of upstreams' credentials; they are not asked for a token", "", "it can not be reached"},
    check_row{check::audit,          "audit",          "files and receivers of audit events; none is sent", "", "the file can not be written, the receiver can not be reached"},
    check_row{check::store,          "store",          "the shared store: whether it lets us in, its version, what it drops when it is full", "it may drop keys that have no end; it does not say what it is", "it can not be reached, or refuses us; it is older than 6.2"},
    check_row{check::discovery,      "discovery",      "the discovery document, with its bearer, judged as the gateway would; its upstreams are visited then", "", "it can not be had, or is refused"},
    check_row{check::collector,      "collector",      "the collector, by an export of no span", "it refuses the export", "it can not be reached"},
    // clang-format on
};

constexpr const check_row& row(check c) noexcept {
  return checks[static_cast<std::size_t>(c)];
}

namespace detail {
consteval bool checks_in_order() {
  for (std::size_t i = 0; i < checks.size(); ++i)
    if (static_cast<std::size_t>(checks[i].what) != i) return false;
  return true;
}
}  // namespace detail
static_assert(detail::checks_in_order());

struct finding {
  severity level = severity::ok;
  check what = check::document;
  std::string pointer;  ///< into the document; empty: it is about no place in it
  std::string subject;  ///< whom it is about, for people: an id, a host
  std::string seen;     ///< a sentence without its full stop
  std::string advice;   ///< what to do; empty: nothing
  bool operator==(const finding&) const = default;
};
using findings = std::vector<finding>;

/// Where findings of one place go.
class notes {
 public:
  notes(std::string pointer, std::string subject)
      : pointer_(std::move(pointer)), subject_(std::move(subject)) {}

  void ok(check what, std::string seen) { add(severity::ok, what, std::move(seen), {}); }
  void warn(check what, std::string seen, std::string advice) {
    add(severity::warning, what, std::move(seen), std::move(advice));
  }
  void error(check what, std::string seen, std::string advice) {
    add(severity::error, what, std::move(seen), std::move(advice));
  }
  /// Secrets that `clean` takes out; they outlive this. Before: none.
  void hide(const discretion& secrets) { secrets_ = &secrets; }
  /// What somebody else said, as a whole and without quotation of its own: before any of it is cut,
  /// since a part of a secret is not recognised, and after it was judged.
  std::string clean(std::string_view said) const;

  const findings& all() const { return all_; }
  const std::string& pointer() const { return pointer_; }
  const std::string& subject() const { return subject_; }

 private:
  void add(severity level, check what, std::string seen, std::string advice) {
    all_.push_back({level, what, pointer_, subject_, std::move(seen), std::move(advice)});
  }

  std::string pointer_, subject_;
  const discretion* secrets_ = nullptr;
  findings all_;
};

}  // namespace gate::doctor
