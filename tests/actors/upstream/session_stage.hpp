#pragma once
/// The core of an UPSTREAM SESSION with nobody around it: its doors and guards write down what it
/// does, time is a number, and what comes back is what the test says. No actor, no network.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/upstream/session.hpp"
#include "config/validate.hpp"
#include "protocol/json/scan.hpp"

namespace gate::upstream::testing {

using namespace std::chrono_literals;

/// Everything that a session did.
class session_world final : public session_doors, public session_guards {
 public:
  static constexpr auto never = time_point::max();

  time_point t{1000h};
  mutable int names = 0;
  std::vector<fetch_ptr> sent;
  std::map<std::uint64_t, fetch_ptr> open;  ///< neither ended nor abandoned
  std::vector<answered> answers;
  std::vector<listed> lists;
  std::vector<call_notification> notes;
  std::vector<client_notification> news;
  std::vector<server_request> questions;
  std::vector<server_request_cancelled> withdrawals;
  std::vector<introduced> introductions;
  std::vector<bridge_opened> bridges;
  std::vector<list_changed> changes;
  std::vector<subscribed> subscriptions;
  std::vector<probed> health;
  std::vector<endpoint_probed> checks;
  time_point wake = never, reopens = never;
  std::vector<session_idle> idlers;
  bool gone = false;
  std::vector<std::string> lines;  ///< of the log
  std::map<outcome, int> counted;

  bool budget = false, breaker = false, balancer = false, credentials = false;
  std::vector<std::uint64_t> charges;
  int refunds = 0;
  std::vector<verdict> ends;
  int signs = 0;  ///< of life
  std::vector<std::pair<std::uint64_t, std::vector<std::size_t>>> picks;
  std::vector<std::size_t> failures;
  int wanted = 0;
  std::vector<credential_refused> refusals;

  time_point now() const override { return t; }
  std::chrono::system_clock::time_point wall() const override {
    return std::chrono::system_clock::time_point(t.time_since_epoch());
  }
  std::string secret_name() const override { return "name" + std::to_string(++names); }
  std::optional<std::string> secret(std::string_view) const override { return "secret"; }
  void start(fetch_ptr what) override {
    EXPECT_FALSE(gone) << "a fetch was started after the end";
    EXPECT_TRUE(open.emplace(what->id, what).second) << "two fetches have the same id";
    sent.push_back(std::move(what));
  }
  void abandon(std::uint64_t fetch) override { open.erase(fetch); }
  void tell(answered m) override { answers.push_back(std::move(m)); }
  void tell(listed m) override { lists.push_back(std::move(m)); }
  void tell(call_notification m) override { notes.push_back(std::move(m)); }
  void tell(client_notification m) override { news.push_back(std::move(m)); }
  void tell(server_request m) override { questions.push_back(std::move(m)); }
  void tell(server_request_cancelled m) override { withdrawals.push_back(std::move(m)); }
  void tell(introduced m) override { introductions.push_back(std::move(m)); }
  void tell(bridge_opened m) override { bridges.push_back(std::move(m)); }
  void tell(list_changed m) override { changes.push_back(m); }
  void tell(subscribed m) override { subscriptions.push_back(std::move(m)); }
  void tell(const probes_handle&, probed m) override { health.push_back(std::move(m)); }
  void tell(const endpoint_prober&, endpoint_probed m) override { checks.push_back(std::move(m)); }
  void wake_at(time_point at) override { wake = at; }
  void idle(session_idle m) override { idlers.push_back(m); }
  std::vector<watches_changed> watches;
  void tell(watches_changed m) override { watches.push_back(std::move(m)); }
  int settled_tools = 0;
  void tell(tools_settled) override { ++settled_tools; }
  void reopen_after(std::chrono::nanoseconds pause) override { reopens = t + pause; }
  void quit() override { gone = true; }
  void log(log::level, std::string_view sentence, std::initializer_list<log::field>) override {
    lines.emplace_back(sentence);
  }
  void count(outcome how) override { ++counted[how]; }
  void observe(std::chrono::duration<double>) override {}

  bool charge(std::uint64_t number, const allowances_ptr&) override {
    if (budget) charges.push_back(number);
    return budget;
  }
  void refund(gate::refund) override { ++refunds; }
  bool ended(verdict how) override {
    if (breaker) ends.push_back(how);
    return breaker;
  }
  void reached() override { ++signs; }
  bool pick(std::uint64_t number, const std::vector<std::size_t>& tried) override {
    if (balancer) picks.emplace_back(number, tried);
    return balancer;
  }
  void failed(std::size_t endpoint) override { failures.push_back(endpoint); }
  bool want_credential(const identity::caller_ptr&, const trace_ptr&) override {
    wanted += credentials;
    return credentials;
  }
  void refused(credential_refused m) override { refusals.push_back(std::move(m)); }
};

/// `initialize`, `tools/call`, …; or the verb, of what has no body.
inline std::string name_of(const fetch& f) {
  if (f.method == verb::get) return "GET";
  if (f.method == verb::del) return "DELETE";
  const auto begin = f.before.find(R"("method":")");
  if (begin == std::string::npos) return "reply";
  const auto from = begin + 10;
  return f.before.substr(from, f.before.find('"', from) - from);
}

inline facts facts_of(const std::string& upstream) {
  auto parsed = gate::config::load(R"({"upstreams":[)" + upstream + "]}");
  for (const auto& p : parsed.problems) ADD_FAILURE() << gate::config::to_line(p);
  facts out;
  out.config = gate::config::compile(std::move(parsed.doc))->upstreams.at(0);
  for (const auto& endpoint : out.config.endpoints) {
    auto to = std::make_shared<destination>();
    to->url = endpoint;
    out.to.push_back(std::move(to));
  }
  return out;
}

inline const facts& one_endpoint() {
  static const auto f = facts_of(R"({"id":"a","url":"http://a.test/mcp"})");
  return f;
}
inline const facts& two_endpoints() {
  static const auto f = facts_of(R"({"id":"a","urls":["http://a.test/mcp","http://b.test/mcp"]})");
  return f;
}

inline allowances_ptr a_price() {
  static const auto price = std::make_shared<const std::vector<allowance>>(
      1, allowance{{scope::server, {}, 0}, gate::config::budget_period::month, 100});
  return price;
}

class session_stage {
 public:
  explicit session_stage(const facts& of = one_endpoint(), role who = {.client = 1}) : facts_(of) {
    role_ = std::move(who);
  }

  session_world world;
  peers others;
  const facts& facts_of_it() const { return facts_; }

  /// Made when it is first asked for, so that a test can say before which guards there are.
  session& it() {
    if (!core_) {
      core_.emplace(facts_, role_, 7, static_cast<session_doors&>(world),
                    static_cast<session_guards&>(world), others);
      core_->begin();
    }
    return *core_;
  }
  void drop() { core_.reset(); }

  // What is wanted of it.
  void call(std::uint64_t number, bool costs = false, std::string_view method = "tools/call") {
    invoke m;
    m.call = number;
    m.client = role_.client;
    m.method = method;
    m.first = R"({"name":"echo"})";
    m.profile = profile;
    if (costs) m.costs = a_price();
    it().on(m);
  }
  /// About a task that was minted over this session.
  void call_of_another(std::uint64_t number, std::string_view method) {
    invoke m;
    m.call = number;
    m.client = role_.client;
    m.method = method;
    m.first = R"({"taskId":"t"})";
    m.anywhere = true;
    it().on(m);
  }
  void list(std::uint64_t fill) {
    fetch_list m;
    m.fill = fill;
    it().on(m);
  }
  void cancel(std::uint64_t number) { it().on(cancel_call{number, role_.client, {}, false}); }
  void close(bool finish_first) { it().on(close_session{finish_first}); }
  profile_ptr profile = std::make_shared<client_profile>();

  // What comes back. Of the latest fetch of this name that is open.
  fetch_ptr open(std::string_view name) const {
    fetch_ptr found;
    for (const auto& [id, f] : world.open)
      if (name_of(*f) == name) found = f;
    return found;
  }
  /// How many of this name were started.
  int sent(std::string_view name) const {
    int n = 0;
    for (const auto& f : world.sent) n += name_of(*f) == name;
    return n;
  }
  void end(const fetch_ptr& f, fetched m) {
    ASSERT_TRUE(f);
    m.id = f->id;
    world.open.erase(f->id);
    it().on(m);
  }
  static fetched status(int code, std::string body = {}) {
    fetched m;
    m.status = code;
    m.media = body.empty() ? media::none : media::json;
    if (!body.empty()) m.body = std::make_shared<const std::string>(std::move(body));
    return m;
  }
  static fetched failure(fetch_end how, bool untouched = false) {
    fetched m;
    m.end = how;
    m.untouched = untouched;
    m.why = "as the test says";
    return m;
  }
  static fetched busy() {
    auto m = status(503);
    m.retry_after = true;
    return m;
  }
  /// An event stream that is over.
  static fetched over() {
    auto m = status(200);
    m.media = media::events;
    return m;
  }
  static fetched result(const fetch_ptr& f, std::string_view raw = "{}") {
    return status(200, R"({"jsonrpc":"2.0","id":)" + std::to_string(f->id) + R"(,"result":)" +
                           std::string(raw) + "}");
  }
  void answer(const fetch_ptr& f, std::string_view raw = "{}") { end(f, result(f, raw)); }
  void says(const fetch_ptr& f, std::string text, std::string id = {}) {
    ASSERT_TRUE(f);
    streamed m;
    m.id = f->id;
    const bool has_id = !id.empty();
    m.events.push_back({{}, std::move(text), std::move(id), has_id});
    it().on(m);
  }
  /// The good answer to whatever it is.
  void well(const fetch_ptr& f) {
    ASSERT_TRUE(f);
    const auto name = name_of(*f);
    if (name == "initialize") {
      auto m = result(f, R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{},)"
                         R"("resources":{"subscribe":true},"logging":{}},)"
                         R"("serverInfo":{"name":"x","version":"1"}})");
      m.session_id = "s" + std::to_string(++sessions_);
      return end(f, std::move(m));
    }
    if (name == "tools/list") return answer(f, R"({"tools":[]})");
    if (name.starts_with("notifications/") || name == "reply") return end(f, status(202));
    if (name == "GET") return end(f, status(405));
    if (name == "DELETE") return end(f, status(200));
    answer(f);
  }
  /// Its session id, of the latest handshake.
  std::string session_id() const { return "s" + std::to_string(sessions_); }
  void shake_hands() {
    well(open("initialize"));
    well(open("notifications/initialized"));
  }
  void be_ready() {
    call(999);
    shake_hands();
    well(open("tools/call"));
    world.answers.clear();
    world.sent.clear();
    world.counted.clear();
    world.ends.clear();
  }

  /// Time goes on to what was to happen next. False: nothing was.
  bool later() {
    const auto at = std::min(world.wake, world.reopens);
    if (at == session_world::never) return false;
    world.t = std::max(world.t, at);
    if (at == world.reopens) {
      world.reopens = session_world::never;
      it().reopen();
    } else {
      world.wake = session_world::never;
      it().on(session_tick{at});
    }
    return true;
  }
  void pass(std::chrono::milliseconds time) {
    const auto end = world.t + time;
    while (!world.gone && std::min(world.wake, world.reopens) <= end) later();
    world.t = end;
  }
  /// Why the call had no answer; `a result` if it had one, `nothing` if none came yet.
  std::string how(std::uint64_t number) const {
    std::string out = "nothing";
    for (const auto& a : world.answers) {
      if (a.call != number) continue;
      if (out != "nothing") return "twice";
      out = a.what == gate::answer::result  ? "a result"
            : a.what == gate::answer::error ? "an error"
            : a.refused                     ? "refused"
                                            : std::string(to_string(a.why));
    }
    return out;
  }

 private:
  const facts& facts_;
  role role_;
  int sessions_ = 0;
  std::optional<session> core_;
};

}  // namespace gate::upstream::testing
