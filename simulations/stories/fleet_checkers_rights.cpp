// Checkers of what belongs to whom in a fleet: tenants, and credentials.
#include <algorithm>

#include "simulations/stories/fleet.hpp"
#include "simulations/stories/fleet_checkers.hpp"
#include "simulations/world/client.hpp"

namespace gate::fleet_churn {
namespace {

using sim::at;
using sim::sight;
using kind = request::kind;
using std::to_string;

/// Whose call it is that a server sees; null: it is no call.
class callers {
 public:
  explicit callers(const evidence& e) {
    for (const auto& r : e.requests) by_number_[r.number] = &r;
  }
  const request* of(const sight& s) const {
    if (s.method != "tools/call") return nullptr;
    const auto found = by_number_.find(churn::number_in(s.param("name")));
    return found == by_number_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::uint32_t, const request*> by_number_;
};

std::string sent_with(const sight& s) {
  std::string out;
  for (const auto& lines : {s.what->headers, s.what->own_headers})
    if (lines) out += *lines;
  return out;
}

/// What nobody but its owner, and whoever it is meant for, may see.
std::vector<std::string> tokens_of(const evidence& e) {
  std::vector<std::string> out{std::string(credential_begins)};
  for (const auto* who : {"alice", "bob", "carol"}) out.push_back(token_of(who));
  for (const auto& r : e.requests) {
    std::string issued;
    if (r.what == kind::token && json::unquote(at(r.receipt->body, "access_token"), issued))
      out.push_back(std::move(issued));
  }
  return out;
}

void check_shown(const evidence& e, complaints& out) {
  const auto seen = e.seen.find("own");
  if (seen == e.seen.end()) return;
  const callers who(e);
  const std::string prefix = "Bearer " + std::string(credential_begins);
  for (const auto& s : seen->second) {
    const auto shown = s->header("authorization");
    const auto* call = who.of(*s);
    const auto due =
        call == nullptr ? shown : "Bearer " + credential_of(principal_of(call->visitor));
    if (shown == due && shown.starts_with(prefix)) continue;
    out.push_back("credentials: own was shown \"" + shown + "\" with " + s->method +
                  (call == nullptr ? "" : " of " + name_of(*call) + " instead of \"" + due + '"'));
  }
}

}  // namespace

void check_tenants(const evidence& e, complaints& out) {
  const callers who(e);
  if (const auto seen = e.seen.find("own"); seen != e.seen.end())
    for (const auto& s : seen->second)
      if (const auto* call = who.of(*s); call != nullptr && !has_own(call->visitor))
        out.push_back("tenants: own was sent " + name_of(*call) +
                      ", whose tenant does not have it");
  for (const auto& r : e.requests) {
    if (r.what == kind::token) continue;
    const auto answer = r.receipt->last();
    if (r.what == kind::foreign && !at(answer, "result").empty())
      out.push_back("tenants: " + name_of(r) + ", whose tenant does not have own, was told " +
                    answer);
    if (r.what != kind::list) continue;
    const bool shows = answer.find("\"own__") != std::string::npos;
    const bool whole = !at(answer, "result", "tools").empty() &&
                       at(answer, "result", "_meta", "gate/partialFailure").empty();
    if (shows && !has_own(r.visitor))
      out.push_back("tenants: " + name_of(r) + " shows own to another tenant: " + answer);
    if (!shows && has_own(r.visitor) && whole)
      out.push_back("tenants: " + name_of(r) + " does not show own to its tenant: " + answer);
  }
}

void check_credentials(const evidence& e, complaints& out) {
  check_shown(e, out);
  const auto tokens = tokens_of(e);
  const auto look = [&](const std::string& text, const std::string& where) {
    // (Tokens that are signed begin so.)
    if (text.find("eyJ") == text.npos && text.find(credential_begins) == text.npos) return;
    for (const auto& t : tokens)
      if (text.find(t) != text.npos)
        out.push_back(std::string("credentials: ")
                          .append(where)
                          .append(" has ")
                          .append(t)
                          .append(": ")
                          .append(text));
  };
  for (const auto& [host, seen] : e.seen) {
    if (host == "idp") continue;
    for (const auto& s : seen) {
      look(s->body, host + ", which was sent " + s->method);
      if (host != "own") look(sent_with(*s), host + ", which was sent a header with " + s->method);
    }
  }
  for (const auto& line : e.log) look(line, "the log");
  for (const auto& l : e.lives)
    for (const auto& line : l.audit) look(line, "the audit trail");
  for (const auto& r : e.requests)
    if (r.what != kind::token)
      look(r.receipt->headers + r.receipt->body + r.receipt->stream, "the answer of " + name_of(r));
}

}  // namespace gate::fleet_churn
