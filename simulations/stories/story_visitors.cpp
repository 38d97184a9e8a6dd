// A story: what its visitors do.
#include <algorithm>

#include "simulations/stories/story.hpp"
#include "simulations/world/stateless_client.hpp"

namespace gate::churn {

using namespace sim;

request& story::sent(request::kind what, receipt_ptr r, std::size_t who) {
  request q;
  q.what = what;
  q.receipt = std::move(r);
  q.visitor = who;
  q.number = next_number_++;
  q.sent = world_->now();
  q.at = std::chrono::duration_cast<std::chrono::milliseconds>(q.sent - evidence_.began);
  q.healed = healed_;
  if (who < visitors_.size()) {
    auto& v = visitors_[who];
    v.may_be_over = v.may_be_over || q.sent - v.last >= session_idle;
    q.session_may_be_over = v.may_be_over;
    if (!q.receipt->unread) v.last = q.sent;  // else its session is used when its body comes
    v.calls.push_back(evidence_.requests.size());
  }
  note("  request " + std::to_string(q.receipt->number) + ", number " + std::to_string(q.number));
  open_.push_back(evidence_.requests.size());
  evidence_.requests.push_back(std::move(q));
  return evidence_.requests.back();
}

/// The visitor, if it has a session (by now).
story::visitor* story::meet(std::uint32_t who) {
  auto& v = visitors_[who % visitors_.size()];
  if (v.here || !v.opening || !v.opening->done()) return v.here ? &v : nullptr;
  const auto opened = std::exchange(v.opening, nullptr);
  if (opened->status != 200) return nullptr;
  v.as.session = opened->header("mcp-session-id");
  v.as.version = "2025-11-25";
  v.here = true;
  sent(request::kind::initialized, v.as.notify("notifications/initialized"), index_of(v));
  return &v;
}

void story::come(std::uint32_t who) {
  auto& v = visitors_[who % visitors_.size()];
  if (v.here || v.opening) return;
  v.as = client(*world_, index_of(v) % scenario_.units);
  v.calls.clear();
  v.may_be_over = false;
  v.last = world_->now();
  v.opening = v.as.request(std::to_string(next_number_), "initialize",
                           R"({"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},)"
                           R"("clientInfo":{"name":"visitor","version":"1"}})");
  sent(request::kind::initialize, v.opening, index_of(v));
}

void story::leave(visitor& v) {
  for (const auto i : v.calls)
    if (auto& r = evidence_.requests[i]; !r.receipt->done()) r.left = true;
  sent(request::kind::leave, v.as.end(), index_of(v));
  v.here = false;
}

/// Whom a visitor may call: what the document may have, what is discovered, and nobody.
std::vector<std::string> story::callable() const {
  // Those whose calls must work are called more often.
  std::vector<std::string> out{"good", "good", "nobody"};
  for (const auto& id : scenario_.upstreams) out.push_back(id);
  if (scenario_.has("trio")) out.emplace_back("trio");
  if (scenario_.discovery) out.insert(out.end(), discoverable.begin(), discoverable.end());
  return out;
}

/// Of good, which is always there: policy is what denies it.
void story::call_hidden(visitor& v) {
  const auto number = std::to_string(next_number_);
  sent(request::kind::forbidden, v.as.call(number, "good__hidden" + number), index_of(v));
}

void story::call(visitor& v, const std::string& upstream) {
  if (scenario_.guarded && !healed_ && next_number_ % 7 == 0) call_hidden(v);
  const auto number = std::to_string(next_number_);
  // Of some the header comes first, as of long ones.
  v.as.header_first = !healed_ && next_number_ % 5 == 0;
  auto r =
      v.as.call(number, upstream + "__t" + number, R"("arguments":)" + arguments_of(next_number_));
  v.as.header_first = false;
  sent(request::kind::call, std::move(r), index_of(v)).upstream = upstream;
}

void story::call_without_session(const operation& o) {
  stateless_client c(*world_, o.a % scenario_.units);
  const auto whom = callable();
  const auto& upstream = whom[o.b % whom.size()];
  const auto number = std::to_string(next_number_);
  auto r = c.request(
      number, "tools/call",
      R"("name":")" + upstream + "__t" + number + R"(","arguments":)" + arguments_of(next_number_));
  auto& q = sent(request::kind::call, std::move(r), nobody);
  q.upstream = upstream;
  q.stateless = true;
}

/// Many calls of everybody, while messages are handled and a little time passes: what has been
/// broken before, they all meet. Who has no session wants one.
void story::rush(std::uint32_t drawn) {
  dice d(drawn);
  const auto whom = callable();
  for (auto left = least_of_rush + d.below(more_of_rush + 1); left > 0; --left) {
    const operation one{act::call, d.below(1'000'000), d.below(1'000'000)};
    if (one.a / visitors % 100 < scenario_.stateless)
      call_without_session(one);
    else if (auto* v = meet(one.a))
      call(*v, whom[one.b % whom.size()]);
    else
      come(one.a);
    for (auto n = d.below(30); n > 0; --n) world_->step();
    if (d.one_in(8)) pass(std::chrono::milliseconds(d.below(200)));
    look_for_answers();
  }
}

/// Some never read what they listen to.
void story::listen(visitor& v, bool reads) {
  auto r = v.as.get();
  r->reads = reads;
  r->hides_backlog = scenario_.bird == canary::hides_backlog;
  sent(request::kind::listen, std::move(r), index_of(v));
}

void story::list(visitor& v, std::uint32_t which) {
  constexpr std::array methods{"tools/list", "tools/list", "resources/list", "prompts/list",
                               "resources/templates/list"};
  const auto* method = methods[which % methods.size()];
  auto r = v.as.request(std::to_string(next_number_), method);
  sent(request::kind::list, std::move(r), index_of(v)).upstream = method;
}

void story::subscribe(visitor& v, std::uint32_t whom) {
  const auto ids = callable();
  const auto& id = ids[whom % ids.size()];
  auto r = v.as.request(std::to_string(next_number_),
                        whom % 5 ? "resources/subscribe" : "resources/unsubscribe",
                        R"({"uri":"x://)" + id + "\"}");
  sent(request::kind::subscribe, std::move(r), index_of(v)).upstream = id;
}

void story::cancel(visitor& v, std::uint32_t which) {
  std::vector<std::size_t> open;
  for (const auto i : v.calls)
    if (const auto& r = evidence_.requests[i]; !r.receipt->done() && r.what == request::kind::call)
      open.push_back(i);
  if (open.empty()) return;
  auto& r = evidence_.requests[open[which % open.size()]];
  r.cancelled = true;
  auto said = v.as.cancel(std::to_string(r.number));
  sent(request::kind::cancel, std::move(said), index_of(v));
}

/// Calls, lists and open streams may lose their connection.
void story::vanish(std::uint32_t which) {
  std::vector<request*> open;
  for (auto& r : evidence_.requests)
    if (!r.receipt->done() &&
        (r.what == request::kind::call || r.what == request::kind::list || r.receipt->streaming))
      open.push_back(&r);
  if (open.empty()) return;
  auto& r = *open[which % open.size()];
  r.vanished = true;
  note("  request " + std::to_string(r.receipt->number) + " vanishes");
  world_->vanish(r.receipt);
}

}  // namespace gate::churn
