// A story of a fleet: what its visitors do.
#include <algorithm>

#include "simulations/stories/fleet_story.hpp"
#include "simulations/world/guarded_world.hpp"

namespace gate::fleet_churn {

using namespace sim;
using namespace std::chrono_literals;
using kind = request::kind;

namespace {

constexpr std::array callable{"good", "good", "lim", "lim", "pen", "pen", "sick", "sick"};

std::string assertion_of(std::string_view jti, std::int64_t now) {
  return token_with(R"({"iss":"https://idp.test","aud":"https://gate.test","sub":"dave",)"
                    R"("client_id":"agent","iat":)" +
                        std::to_string(now) + R"(,"exp":)" + std::to_string(now + 1800) +
                        R"(,"jti":")" + std::string(jti) + "\"}",
                    R"({"alg":"ES256","kid":"p256","typ":"oauth-id-jag+jwt"})");
}

}  // namespace

/// When its session was surely used last: not by what was refused before anybody looked for it, nor
/// by what nobody has answered yet.
time_point story::last_use(const visitor& v) const {
  constexpr int limited = 429, away = 503;
  for (auto at = v.asked.rbegin(); at != v.asked.rend(); ++at) {
    const auto& r = evidence_.requests[*at];
    const auto status = r.receipt->status;
    if (r.what != kind::steal && status != 0 && status != limited && status != away) return r.sent;
  }
  return v.since;
}

request& story::sent(kind what, receipt_ptr r, std::size_t who, std::size_t life) {
  request q;
  q.what = what;
  q.receipt = std::move(r);
  q.visitor = who;
  q.life = life;
  q.number = next_number_++;
  q.sent = stage_.now();
  q.at = std::chrono::duration_cast<std::chrono::milliseconds>(q.sent - evidence_.began);
  q.healed = healed_;
  if (who < visitors_.size()) {
    auto& v = visitors_[who];
    v.may_be_over = v.may_be_over || q.sent - last_use(v) >= session_idle - 2s;
    q.session_may_be_over = v.may_be_over;
    q.session_since = v.since;
    q.session_life = v.began_at;
    v.asked.push_back(evidence_.requests.size());
  }
  note("  number " + std::to_string(q.number) + " to " + std::to_string(life));
  open_.push_back(evidence_.requests.size());
  evidence_.requests.push_back(std::move(q));
  return evidence_.requests.back();
}

/// The visitor, if it has a session (by now). One who was told that its session is not known any
/// more has none.
story::visitor* story::meet(std::size_t who) {
  auto& v = visitors_[who % visitors_.size()];
  if (v.here) {
    const bool gone = std::ranges::any_of(v.asked, [&](std::size_t i) {
      const auto& r = evidence_.requests[i];
      return r.what != kind::steal && r.receipt->status == 404;
    });
    if (gone) v.here = false;
    return gone ? nullptr : &v;
  }
  if (!v.opening || !v.opening->done()) return nullptr;
  const auto opened = std::exchange(v.opening, nullptr);
  if (opened->status != 200) return nullptr;
  v.as->session = opened->header("mcp-session-id");
  v.as->version = "2025-11-25";
  v.here = true;
  const auto where = living();
  const auto life = where[next_number_ % where.size()];
  sent(kind::initialized, at(v, life).notify("notifications/initialized"), index_of(v), life);
  return &v;
}

void story::come(std::size_t who, std::size_t life) {
  auto& v = visitors_[who % visitors_.size()];
  if (meet(who) || (v.opening && !v.opening->done())) return;
  v = {};
  v.as.emplace(*stage_.lives[life]);
  v.as->token = token_of(principal_of(index_of(v)));
  v.since = stage_.now();
  v.began_at = life;
  v.opening = v.as->request(std::to_string(next_number_), "initialize",
                            R"({"protocolVersion":"2025-11-25","capabilities":{},)"
                            R"("clientInfo":{"name":"visitor","version":"1"}})");
  sent(kind::initialize, v.opening, index_of(v), life);
}

/// What takes somebody who is there.
void story::ask(const operation& o) {
  const auto where = living();
  const auto life = where[o.c % where.size()];
  if (o.what == act::come) return come(o.a, life);
  if (o.what == act::token) return present("jti-" + std::to_string(o.b % assertions), life);
  auto* v = meet(o.a);
  if (!v) return come(o.a, life);  // who has no session wants one
  const std::string upstream = callable[o.b % callable.size()];
  switch (o.what) {
    case act::call:
      return call(*v, upstream, life);
    case act::burst:
      for (std::size_t n = 0; n < 3 + o.b % 5; ++n)
        call(*v, upstream, where[(o.c + n) % where.size()]);
      return;
    case act::list: {
      auto r = at(*v, life).list(std::to_string(next_number_));
      sent(kind::list, std::move(r), index_of(*v), life);
      return;
    }
    case act::task:
      return make_task(*v, life);
    case act::ask_task:
      if (!minted_.empty()) ask_task(*v, minted_[o.b % minted_.size()], life);
      return;
    case act::subscribe:
      return subscribe(*v, life);
    case act::listen:
      return listen(*v, life);
    case act::resume:
      return resume(*v, life, where[o.b % where.size()]);
    case act::steal:
      return steal(*v, o.b, life);
    default:
      return leave(*v, life);
  }
}

/// Whether its tenant has it or not.
void story::call_own(visitor& v, std::size_t life) {
  const auto number = std::to_string(next_number_);
  const auto what = has_own(index_of(v)) ? kind::call : kind::foreign;
  auto r = at(v, life).call(number, "own__t" + number);
  sent(what, std::move(r), index_of(v), life).upstream = "own";
}

void story::call(visitor& v, const std::string& upstream, std::size_t life) {
  // (Not by another draw: the rest of the story stays as it is.)
  if (!healed_ && next_number_ % 9 == 0) call_own(v, life);
  const auto number = std::to_string(next_number_);
  auto r = at(v, life).call(number, upstream + "__t" + number);
  sent(kind::call, std::move(r), index_of(v), life).upstream = upstream;
}

/// Many calls of everybody at all instances, while messages are handled and a little time passes:
/// what has been broken before, they all meet. Who has no session wants one.
void story::rush(std::uint32_t drawn) {
  churn::dice d(drawn);
  const auto where = living();
  for (auto left = least_of_rush + d.below(more_of_rush + 1); left > 0; --left) {
    const auto who = d.below(visitors), what = d.below(callable.size());
    const auto life = where[d.below(static_cast<std::uint32_t>(where.size()))];
    if (auto* v = meet(who))
      call(*v, callable[what], life);
    else
      come(who, life);
    for (auto n = d.below(30); n > 0; --n) stage_.step();
    if (d.one_in(8)) pass(std::chrono::milliseconds(d.below(200)));
    look_around();
  }
}

void story::make_task(visitor& v, std::size_t life) {
  const auto number = std::to_string(next_number_);
  auto r = at(v, life).call(number, "job__t" + number, R"("task":{"ttl":60000})");
  auto& q = sent(kind::task, std::move(r), index_of(v), life);
  q.upstream = "job";
  q.about = "task-t" + number;
  minted_.push_back({q.about, index_of(v), evidence_.requests.size() - 1});
}

void story::ask_task(visitor& v, const minted& about, std::size_t life) {
  const auto number = std::to_string(next_number_);
  const bool own = principal_of(about.visitor) == principal_of(index_of(v));
  if (scenario_.bird == canary::tells_of_tasks) {
    // As the one whose task it is, with that one's session.
    auto& owner = visitors_[about.visitor];
    if (!own && owner.here) {
      auto r = at(owner, life).request(number, "tasks/get", R"({"taskId":")" + about.id + "\"}");
      auto& q = sent(kind::ask_task, std::move(r), index_of(v), life);
      q.about = about.id;
      q.made = evidence_.requests[about.request].sent;
      q.known = evidence_.requests[about.request].answered;
      return;
    }
  }
  auto r = at(v, life).request(number, "tasks/get", R"({"taskId":")" + about.id + "\"}");
  auto& q = sent(kind::ask_task, std::move(r), index_of(v), life);
  const auto& mint = evidence_.requests[about.request];
  q.about = about.id;
  q.own = own;
  q.made = mint.sent;
  if (json::member(json::member(mint.receipt->last(), "result"), "task").size() > 0)
    q.known = mint.answered;
}

void story::subscribe(visitor& v, std::size_t life) {
  v.subscribed = !v.subscribed;
  auto r = at(v, life).request(std::to_string(next_number_),
                               v.subscribed ? "resources/subscribe" : "resources/unsubscribe",
                               R"({"uri":"x://good"})");
  sent(kind::subscribe, std::move(r), index_of(v), life);
}

void story::listen(visitor& v, std::size_t life) {
  sent(kind::listen, at(v, life).get(), index_of(v), life);
}

/// The call's connection breaks when its answer is a stream already.
void story::resume(visitor& v, std::size_t life, std::size_t later) {
  const auto number = std::to_string(next_number_);
  auto r = at(v, life).call(number, "good__t" + number, R"("arguments":{"long":true})");
  sent(kind::call, r, index_of(v), life).upstream = "good";
  const auto call = evidence_.requests.size() - 1;
  pass(long_call_breaks);
  auto id = r->stream.rfind("id: ");
  if (!r->streaming || r->done() || id == std::string::npos) return;
  evidence_.requests[call].vanished = true;
  stage_.lives[life]->vanish(r);
  if (scenario_.bird == canary::repeats_streams)  // it says that it has heard less
    id = r->stream.rfind("id: ", id - 1);
  auto& back = at(v, later);
  // (What it has heard already is lost on the way: it is told of nothing that came before.)
  if (scenario_.bird != canary::loses_streams)
    back.more_headers = {"Last-Event-ID: " +
                         r->stream.substr(id + 4, r->stream.find('\n', id) - id - 4)};
  sent(kind::resume, back.get(), index_of(v), later).about = number;
  back.more_headers.clear();
}

/// With the session of somebody else, as oneself.
void story::steal(visitor& v, std::size_t from, std::size_t life) {
  const auto* victim = meet(from);
  if (!victim || principal_of(index_of(*victim)) == principal_of(index_of(v))) return;
  auto thief = *v.as;
  thief.turn_to(*stage_.lives[life]);
  thief.session = victim->as->session;
  if (scenario_.bird == canary::adopts_foreign) thief.token = victim->as->token;
  const auto number = std::to_string(next_number_);
  auto r = next_number_ % 3 == 0 ? thief.get() : thief.call(number, "good__t" + number);
  sent(kind::steal, std::move(r), index_of(v), life).upstream = "good";
}

void story::present(const std::string& jti, std::size_t life) {
  static std::map<std::string, std::string> texts;
  const auto key = jti + '/' + std::to_string(scenario_.begins.count());
  auto& text = texts[key];
  if (text.empty()) text = assertion_of(jti, world_start() + scenario_.begins.count());
  client c(*stage_.lives[life]);
  c.path = "/oauth/token";
  c.content_type = "application/x-www-form-urlencoded";
  auto r =
      c.post("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + text);
  sent(kind::token, std::move(r), visitors_.size(), life).about = jti;
}

void story::leave(visitor& v, std::size_t life) {
  for (const auto i : v.asked)
    if (auto& r = evidence_.requests[i]; !r.receipt->done()) r.left = true;
  sent(kind::leave, at(v, life).end(), index_of(v), life);
  v.here = false;
}

}  // namespace gate::fleet_churn
