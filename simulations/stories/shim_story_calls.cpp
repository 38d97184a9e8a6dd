// A story of `gate-stdio`: what clients do.
#include <algorithm>

#include "protocol/limits.hpp"
#include "protocol/limits/children.hpp"
#include "simulations/stories/shim_story.hpp"

namespace gate::shim_churn {

using namespace sim;
using namespace std::chrono_literals;
using kind = request::kind;

namespace {

/// Deeds behind which there is no session any more.
bool ends_session(std::string_view deed) {
  return deed == "dies" || deed == "closes" || deed == "deaf";
}

}  // namespace

std::string mark_of(std::size_t session, std::uint32_t number) {
  return "mark-" + std::to_string(session) + '-' + std::to_string(number) + '.';
}

std::string client_of(std::size_t session) {
  return "client-" + std::to_string(session) + '.';
}

http_request story::http_request_of(verb method, const std::string& session, std::string body) {
  std::vector<std::string> lines{"Host: localhost", "Accept: application/json, text/event-stream"};
  if (!body.empty()) lines.emplace_back("Content-Type: application/json");
  if (!session.empty()) lines.push_back("Mcp-Session-Id: " + session);
  return make_request(method, "/mcp", lines, std::move(body));
}

/// What takes a session that is there.
void story::ask(const operation& o, session& s) {
  const auto who = index_of(s);
  if (world_.now() - s.last >= limits::child_idle - 5s) doom(who);
  s.last = world_.now();
  const std::chrono::milliseconds takes{o.a / 8 % 4 == 0 ? o.a % 8'000 : o.a % 50};
  switch (o.what) {
    case act::call:
      return call(who, deed_named(o.b), takes);
    case act::burst:
      for (auto n = 3 + o.a % 6; n > 0; --n) call(who, deed_named(o.b + n % 2), takes);
      return;
    case act::ping:
      post(kind::ping, who,
           R"({"jsonrpc":"2.0","id":)" + std::to_string(next_number_) + R"(,"method":"ping"})",
           false);
      return;
    case act::cancel:
      return cancel(s, o.b);
    case act::listen:
      send(kind::listen, who, http_request_of(verb::get, s.id, {}));
      return;
    default:
      s.here = false;
      doom(who);
      send(kind::leave, who, http_request_of(verb::del, s.id, {}));
  }
}

request& story::send(request::kind what, std::size_t visitor, http_request r) {
  request out;
  out.what = what;
  out.number = next_number_++;
  out.visitor = visitor;
  out.sent = world_.now();
  out.at = std::chrono::duration_cast<std::chrono::milliseconds>(out.sent - evidence_.began);
  out.healed = healed_;
  out.receipt = world_.arrive(std::move(r));
  evidence_.requests.push_back(std::move(out));
  open_.push_back(evidence_.requests.size() - 1);
  return evidence_.requests.back();
}

request& story::post(request::kind what, std::size_t visitor, std::string body, bool header_first) {
  auto r = http_request_of(verb::post, sessions_.at(visitor).id, std::move(body));
  r.body_follows = header_first;
  return send(what, visitor, std::move(r));
}

void story::come(bool header_first) {
  sessions_.emplace_back();
  evidence_.sessions.emplace_back();
  auto& s = sessions_.back();
  s.last = world_.now();
  s.opening = evidence_.requests.size();
  post(kind::initialize, sessions_.size() - 1,
       R"({"jsonrpc":"2.0","id":)" + std::to_string(next_number_) +
           R"(,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},)"
           R"("clientInfo":{"name":")" +
           client_of(sessions_.size() - 1) + R"(","version":"1"}}})",
       header_first);
}

void story::call(std::size_t visitor, std::string_view deed, std::chrono::milliseconds takes) {
  const auto number = next_number_;
  const auto id = std::to_string(number);
  auto& r =
      post(kind::call, visitor,
           R"({"jsonrpc":"2.0","id":)" + id +
               R"(,"method":"tools/call","params":{"name":"do","_meta":{"progressToken":)" + id +
               R"(},"arguments":{"do":")" + std::string(deed) + R"(","ms":)" +
               std::to_string(takes.count()) + R"(,"mark":")" + mark_of(visitor, number) + "\"}}}",
           number % 5 == 0);
  r.upstream = deed;
  r.takes = takes;
  sessions_[visitor].calls.push_back(evidence_.requests.size() - 1);
  if (ends_session(deed)) doom(visitor);
}

void story::cancel(session& s, std::uint32_t which) {
  if (s.calls.empty()) return;
  auto& r = evidence_.requests[s.calls[which % s.calls.size()]];
  r.cancelled = true;
  post(kind::cancel, index_of(s),
       R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
           std::to_string(r.number) + "}}",
       false);
}

void story::vanish(std::uint32_t which) {
  if (open_.empty()) return;
  auto& r = evidence_.requests[open_[which % open_.size()]];
  r.vanished = true;
  if (r.what == kind::initialize) doom(r.visitor);
  world_.vanish(r.receipt);
}

/// Whoever had a request there is answered by INGRESS.
void story::crash(std::uint32_t which) {
  const auto all = world_.cast("session");
  if (all.empty()) return;
  const auto& victim = all[which % all.size()];
  note("  session#" + std::to_string(victim->id()) + " crashes");
  for (const auto i : clients_of(victim->id())) {
    doom(i);
    evidence_.sessions[i].crashes.push_back(world_.now());
  }
  world_.crash(victim);
}

/// Whose session an actor is, by what its child has heard. As long as that has heard nothing, it
/// may be any session that is being opened and of which no child has heard.
std::vector<std::size_t> story::clients_of(caf::actor_id session) const {
  std::vector<std::size_t> strangers;
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    const auto who = client_of(i);
    bool known = false;
    for (const auto& c : world_.children()) {
      const bool its = std::ranges::any_of(
          c->heard, [&](const auto& line) { return line.find(who) != line.npos; });
      if (its && c->user == session) return {i};
      known = known || its;
    }
    const bool opening = !evidence_.requests[sessions_[i].opening].receipt->done();
    if (!known && opening) strangers.push_back(i);
  }
  return strangers;
}

void story::doom(std::size_t visitor) {
  auto& s = evidence_.sessions.at(visitor);
  s.doomed = std::min(s.doomed, world_.now());
}

}  // namespace gate::shim_churn
