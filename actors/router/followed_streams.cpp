#include "actors/router/followed_streams.hpp"

#include <algorithm>
#include <vector>

#include "protocol/limits.hpp"
#include "protocol/mcp/http_rules.hpp"
#include "protocol/sse/writer.hpp"

namespace gate::routing {

using namespace pipeline;
using kind = fleet::session_word::kind;
using piece = fleet::stream_piece::what;

// --- who has it ----------------------------------------------------------------------------------

followed_streams::search followed_streams::seek(fact<stage::guard>& c) {
  const std::string id(c->request().header("last-event-id"));
  const auto place = sse::replay::read(id);
  if (!c->session->shared || !place || place->stream == sse::replay::own_stream)
    return search::vain;
  if (!line_.ready() || winding_down_) return search::busy;
  auto& s = *c->session;
  const auto number = unit_.calls.put_aside(
      std::move(c), {partner::instance, 0, unit_.now() + limits::handed_call_taken});
  words_.find_holders(s, [this, number, id](sessions::client_session& known, bool is) {
    is ? ask(known, number, id) : refuse(number, stream_end::unsaid);
  });
  return search::waits;
}

void followed_streams::ask(sessions::client_session& s, std::uint64_t number,
                           const std::string& event_id) {
  if (!unit_.calls.find(number)) return;
  if (winding_down_) return refuse(number, stream_end::unsaid);
  const auto others = s.shared->others;
  if (others.empty()) return refuse(number, stream_end::unknown);
  asked_.emplace(number, others);
  const auto text = fleet::encode(fleet::resumption{number, event_id});
  for (const auto& other : others)
    line_.say(other, {.what = kind::resumes, .session = s.shared->key, .text = text},
              [this, number, other](hearing how) {
                if (how == hearing::nobodys) not_there(number, other);
              });
}

/// That one has not got it, or is gone.
void followed_streams::not_there(std::uint64_t number, const std::string& name) {
  const auto at = asked_.find(number);
  if (at == asked_.end()) return;
  at->second.erase(name);
  if (at->second.empty()) refuse(number, stream_end::unknown);
}

void followed_streams::refuse(std::uint64_t number, stream_end why) {
  asked_.erase(number);
  if (auto c = unit_.calls.end(number)) end_seeking(std::move(c), why, unit_.desk);
}

void followed_streams::begin(std::uint64_t number, const std::string& from) {
  asked_.erase(number);
  auto c = unit_.calls.end(number);
  if (!c) return;
  if (c->revoked) {  // the key of its token is good no more
    say_gone(from, number);
    return end_seeking(std::move(c), stream_end::unknown, unit_.desk);
  }
  c->session->remove_call(number);
  followed f;
  f.session = c->session;
  f.access = c->access();
  f.from = from;
  f.last_piece = f.beat = unit_.now();
  f.to = begin_following(std::move(c));
  all_.emplace(number, std::move(f));
}

// --- what it says --------------------------------------------------------------------------------

void followed_streams::hear(const std::string& from, const fleet::session_word& w) {
  auto p = fleet::read_stream_piece(w.text);
  if (!p) return;
  if (const auto at = all_.find(p->waits); at != all_.end()) {
    if (at->second.from == from) go_on(at, std::move(*p));
    return;
  }
  const auto at = asked_.find(p->waits);
  const bool asked = at != asked_.end() && at->second.contains(from);
  if (asked && p->is == piece::none) return not_there(p->waits, from);
  if (asked && p->is == piece::over) return refuse(p->waits, stream_end::over);
  if (asked && p->is == piece::begins && p->number == 1) return begin(p->waits, from);
  // Nobody is here (any more) who could hear it.
  if (p->is != piece::none && p->is != piece::over && p->is != piece::ends)
    say_gone(from, p->waits);
}

void followed_streams::say_gone(const std::string& to, std::uint64_t number) {
  line_.say(to,
            {.what = kind::follows, .text = fleet::encode(fleet::stream_mark{number, 0, true})});
}

void followed_streams::go_on(followed_by::iterator at, fleet::stream_piece p) {
  auto& f = at->second;
  f.last_piece = unit_.now();
  if (p.number != ++f.pieces) {
    tell(at->first, f, true);
    return end(at);
  }
  if (p.is == piece::ends) return end(at);
  if (p.is == piece::runs) f.call = std::move(p.text);
  if (p.is != piece::events) return;
  f.written += p.text.size();
  if (!f.to->send(p.text)) {
    tell(at->first, f, true);
    return end(at);
  }
  if (f.taken() >= f.told + limits::lent_stream_told) tell(at->first, f);
}

void followed_streams::tell(std::uint64_t number, followed& f, bool gone) {
  f.told = f.taken();
  f.beat = unit_.now();
  std::function<void(hearing)> then;
  if (!gone)
    then = [this, number](hearing how) {
      if (how == hearing::nobodys) lose(number);
    };
  const auto text = fleet::encode(fleet::stream_mark{number, f.told, gone});
  line_.say(f.from, {.what = kind::follows, .text = text}, std::move(then));
}

// --- ends ----------------------------------------------------------------------------------------

void followed_streams::end(followed_by::iterator at) {
  const auto f = std::move(at->second);
  all_.erase(at);
  f.to->end_stream();
}

/// Nobody is there any more. While the store is away nobody knows.
void followed_streams::lose(std::uint64_t number) {
  const auto at = all_.find(number);
  if (at == all_.end()) return;
  const auto& f = at->second;
  if (line_.ready() && !f.call.empty()) {
    const refusal gone{
        reason::internal, "the instance that ran the call is gone: it may have been made", {}, -1};
    std::string event;
    sse::append_event(event, mcp::refusal_message(gone, f.call, mcp::era::session));
    f.to->send(event);
  }
  end(at);
}

void followed_streams::client_gone(std::uint64_t exchange) {
  if (all_.empty()) return;
  const auto at = std::ranges::find_if(
      all_, [exchange](const auto& one) { return one.second.to->number() == exchange; });
  if (at == all_.end()) return;
  tell(at->first, at->second, true);
  all_.erase(at);
}

void followed_streams::end_untrusted(identity::gatekeeper& keeper) {
  identity::gatekeeper::key_verdicts known;
  std::vector<std::uint64_t> bad;
  for (const auto& [number, f] : all_)
    if (!keeper.trusts(*f.access, known)) bad.push_back(number);
  for (const auto number : bad) {
    const auto at = all_.find(number);
    tell(number, at->second, true);
    end(at);
  }
}

void followed_streams::tick(time_point t) {
  if (!asked_.empty()) {
    std::vector<std::uint64_t> late;
    for (const auto& [number, who] : asked_)
      if (!unit_.calls.find(number) || unit_.calls.is_late(number, t)) late.push_back(number);
    for (const auto number : late) refuse(number, stream_end::unsaid);
  }
  std::vector<std::uint64_t> all;
  for (const auto& [number, f] : all_) all.push_back(number);
  for (const auto number : all) {
    const auto at = all_.find(number);
    if (at == all_.end()) continue;
    auto& f = at->second;
    // As of every stream of a call: a token has to be shown now and then, and the session lives.
    const bool unshown = f.access->who() && t - f.session->shown >= limits::token_shown;
    if (!f.to->alive() || unshown || !unit_.sessions.knows(f.session->id)) {
      tell(number, f, true);
      end(at);
    } else if (!line_.ready() || t - f.last_piece >= limits::lent_stream_silence) {
      lose(number);
    } else {
      unit_.sessions.touch(*f.session, t);
      if (t - f.beat >= limits::lent_stream_beat) tell(number, f);
    }
  }
}

void followed_streams::abandon() {
  asked_.clear();
  while (!all_.empty()) {
    tell(all_.begin()->first, all_.begin()->second, true);
    end(all_.begin());
  }
}

void followed_streams::wind_down() {
  winding_down_ = true;
  while (!asked_.empty()) refuse(asked_.begin()->first, stream_end::unsaid);
  abandon();
}

}  // namespace gate::routing
