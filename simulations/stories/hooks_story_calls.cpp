// A story of `gate-hooks`: what callers do.
#include <algorithm>

#include "protocol/webhook/events.hpp"
#include "simulations/stories/hooks_story.hpp"

namespace gate::hook_churn {

using namespace sim;

namespace {

std::string events_of(std::uint32_t mask) {
  std::string out;
  for (const auto name : webhook::names_of(static_cast<webhook::event_mask>(mask)))
    out += (out.empty() ? "\"" : ",\"") + std::string(name) + '"';
  return R"("events":[)" + out + ']';
}

/// At least one; every third wants all.
std::uint32_t mask_from(std::uint32_t n) {
  return n % 3 == 0 ? webhook::every_event : 1 + n % webhook::every_event;
}

}  // namespace

request& story::call(request::kind what, std::size_t organization, verb method,
                     const std::string& target, std::string body, std::string key) {
  std::vector<std::string> lines{"Host: localhost"};
  lines.push_back("Authorization: Bearer " + hooks_service::token_of(organizations[organization]));
  if (!body.empty()) lines.emplace_back("Content-Type: application/json");
  if (!body.empty()) lines.push_back("Content-Length: " + std::to_string(body.size()));
  if (!key.empty()) lines.push_back("Idempotency-Key: " + key);
  request r;
  r.what = what;
  r.number = next_number_++;
  r.visitor = organization;
  r.body = body;
  r.sent = world_.now();
  r.at = std::chrono::duration_cast<std::chrono::milliseconds>(r.sent - evidence_.began);
  r.healed = healed_;
  auto sent = make_request(method, target, lines, std::move(body));
  sent.body_follows = !r.body.empty() && r.number % 4 == 0;
  r.receipt = world_.arrive(std::move(sent));
  if (r.receipt->done()) r.left = true;  // nobody listens
  evidence_.requests.push_back(std::move(r));
  open_.push_back(evidence_.requests.size() - 1);
  return evidence_.requests.back();
}

void story::create(const operation& o) {
  if (hosts_given_ == hosts) return;
  const auto host = host_named(hosts_given_++);
  auto& r = call(request::kind::create, o.a % std::size(organizations), verb::post, "/webhooks",
                 R"({"url":"https://)" + host + R"(.test/in",)" + events_of(mask_from(o.b)) +
                     R"(,"secret":"secret-of-)" + host + R"(-0123456789"})");
  r.upstream = host;
  r.wanted.events = mask_from(o.b);
  r.wanted.secret = "secret-of-" + host + "-0123456789";
}

story::hook* story::hook_of(std::uint32_t which) {
  std::vector<hook*> there;
  for (auto& h : hooks_)
    if (!h.removed) there.push_back(&h);
  return there.empty() ? nullptr : there[which % there.size()];
}

/// What takes a webhook that is there.
void story::ask_for_hook(const operation& o) {
  auto* h = hook_of(o.a);
  if (h == nullptr) return;
  const std::size_t whose = h->organization == organizations[0] ? 0 : 1;
  const auto path = "/webhooks/" + h->id;
  wish wanted;
  const auto by = [&]() -> request& {
    switch (o.what) {
      case act::change:
        wanted.events = mask_from(o.b);
        return call(request::kind::change, whose, verb::patch, path,
                    '{' + events_of(mask_from(o.b)) + '}');
      case act::enable:
      case act::disable:
        wanted.enabled = o.what == act::enable;
        return call(request::kind::change, whose, verb::patch, path,
                    o.what == act::enable ? R"({"enabled":true})" : R"({"enabled":false})");
      case act::remove:
        h->removed = true;
        return call(request::kind::remove, whose, verb::del, path);
      case act::rotate:
        wanted.secret =
            "secret-of-" + host_named(h->host) + '-' + std::to_string(++h->secrets) + "-0123456789";
        return call(request::kind::rotate, whose, verb::post, path + "/rotate",
                    R"({"secret":")" + wanted.secret + "\"}");
      case act::retry:
        return call(request::kind::retry, whose, verb::post,
                    "/webhook-deliveries/dlq/" + h->id + "/retry");
      default:
        return call(request::kind::trial, whose, verb::post, path + "/test");
    }
  };
  auto& r = by();
  r.upstream = host_named(h->host);
  r.about = h->id;
  r.wanted = std::move(wanted);
}

void story::post(std::size_t organization, std::uint32_t type, std::size_t count) {
  std::vector<std::string> data;
  std::vector<webhook::event_type> types;
  data.reserve(count);
  types.reserve(count);
  std::string body;
  for (std::size_t i = 0; i < count; ++i) {
    const auto which = static_cast<webhook::event_type>((type + i) % webhook::event_names.size());
    types.push_back(which);
    // (White space and order are the poster's.)
    data.push_back(R"({ "n":)" + std::to_string(next_number_ * 100 + i) + R"(, "b":[1, 2] })");
    body += (i > 0 ? "," : "") + std::string(R"({"type":")") + std::string(name_of(which)) +
            R"(","data":)" + data.back() + '}';
  }
  std::string key;
  if (count == 1 && type % 3 == 0) {
    key = "key-" + std::to_string(next_number_);
    keys_.push_back(key);
    keyed_[key] = {organization, types.front(), data.front(), body};
  }
  if (count > 1) body = '[' + body + ']';
  auto& r = call(request::kind::post, organization, verb::post, "/events", std::move(body), key);
  r.data = std::move(data);
  r.wanted.types = std::move(types);
}

void story::post_again(std::uint32_t which) {
  if (keys_.empty()) return;
  const auto& key = keys_[which % keys_.size()];
  const auto& what = keyed_[key];
  auto& r = call(request::kind::post, what.organization, verb::post, "/events", what.body, key);
  r.again = true;
  r.data.push_back(what.data);
  r.wanted.types.push_back(what.type);
}

/// Events of everybody, one behind the other, while messages are handled and a little time passes:
/// what has been broken before, they all meet.
void story::rush(std::uint32_t drawn) {
  churn::dice d(drawn);
  for (auto left = least_of_rush + d.below(more_of_rush + 1); left > 0; --left) {
    const auto whose = d.below(std::size(organizations));
    post(whose, d.below(1'000'000), 1);
    for (auto n = d.below(30); n > 0; --n) world_.step();
    if (d.one_in(8)) pass(std::chrono::milliseconds(d.below(200)));
    look_around();
  }
}

void story::look(const operation& o) {
  const auto organization = o.a % std::size(organizations);
  constexpr const char* lists[] = {"/webhooks", "/webhook-deliveries/dlq",
                                   "/webhook-deliveries/dlq/stats"};
  call(request::kind::look, organization, verb::get, lists[o.b % std::size(lists)]);
}

void story::retry_one(std::uint32_t which) {
  if (evidence_.arrivals.empty()) return;
  const auto& a = evidence_.arrivals[which % evidence_.arrivals.size()];
  if (a.delivery.empty()) return;
  for (const auto& h : hooks_) {
    if (host_named(h.host) != a.host) continue;
    auto& r = call(request::kind::retry, h.organization == organizations[0] ? 0 : 1, verb::post,
                   "/deliveries/" + a.delivery + "/retry");
    r.upstream = a.host;
    r.about = a.delivery;
    return;
  }
}

void story::vanish(std::uint32_t which) {
  if (open_.empty()) return;
  auto& r = evidence_.requests[open_[which % open_.size()]];
  r.vanished = true;
  world_.vanish(r.receipt);
}

}  // namespace gate::hook_churn
