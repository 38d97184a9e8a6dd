// REGISTRY among a FOLLOWER and an INGRESS of the test, in virtual time.
#include "actors/kubernetes/registry_actor.hpp"

#include "protocol/limits.hpp"
#include "simulations/world/fake_exchange.hpp"
#include "tests/actors/kubernetes/support.hpp"
#include "tests/support/actor_test.hpp"
#include "transport/log.hpp"

namespace gate::kubernetes {
namespace {

using namespace std::chrono_literals;

struct follower_view {
  std::vector<follow> asked;
  std::vector<std::uint64_t> going_on, stopped;
};

class fake_follower final : public follower_door::base {
 public:
  fake_follower(caf::actor_config& cfg, follower_view& v) : follower_door::base(cfg), view_(v) {}
  behavior_type make_behavior() override {
    return {[this](const follow& m) { view_.asked.push_back(m); },
            [this](const follow_on& m) { view_.going_on.push_back(m.id); },
            [this](const stop_following& m) { view_.stopped.push_back(m.id); }};
  }

 private:
  follower_view& view_;
};

struct ingress_view {
  arrivals_handle router;
  caf::typed_response_promise<drained> draining;
  int drains = 0, cuts = 0;
};

class fake_ingress final : public ingress_handle::base {
 public:
  fake_ingress(caf::actor_config& cfg, ingress_view& v) : ingress_handle::base(cfg), view_(v) {}
  behavior_type make_behavior() override {
    return {[this](const serve& m) { view_.router = m.router; }, [](const adopt&) {},
            [this](drain) -> caf::result<drained> {
              ++view_.drains;
              view_.draining = make_response_promise<drained>();
              return view_.draining;
            },
            [this](cut) {
              ++view_.cuts;
              view_.draining.deliver(drained{});
            }};
  }

 private:
  ingress_view& view_;
};

std::vector<std::string>& said() {
  static std::vector<std::string> lines;
  return lines;
}

class kubernetes_registry : public sim::actor_test {
 public:
  kubernetes_registry() {
    said().clear();
    log::redirect([](std::string_view line) { said().emplace_back(line); });
    registry_parts parts;
    parts.server = http::parse_url("https://api.test:6443/base").value();
    parts.ca_file = "/ca";
    parts.which = {"/base", "", ""};
    parts.token = [this]() -> result<std::string> {
      if (token.empty()) return problem{"the token can not be read: gone"};
      return {boost::system::in_place_value, token};
    };
    parts.follower = follower = system().spawn<fake_follower>(std::ref(view));
    parts.ingress = system().spawn<fake_ingress>(std::ref(in));
    parts.metrics = std::make_shared<metrics>(metric::kubernetes_build_info);
    parts.wall = [] { return std::chrono::sys_days{std::chrono::year{2026} / 5 / 1}; };
    parts.random = [](std::span<std::uint8_t> to) { std::ranges::fill(to, std::uint8_t{255}); };
    parts.stopped = [this] { ++ended_well; };
    registry = system().spawn<registry_actor>(nullptr, std::move(parts));
    settle();
  }
  ~kubernetes_registry() override {
    in.router = nullptr;
    in.draining = {};
    view.asked.clear();
    clear_stage();
    log::redirect(nullptr);
  }

  const follow& last() const { return view.asked.back(); }
  void head(int status) { tell(last().asker, follow_began{last().id, status, {}}); }
  void says(std::string text) { tell(last().asker, follow_said{last().id, std::move(text)}); }
  void ends(follow_end how = follow_end::complete) {
    tell(last().asker, follow_ended{last().id, how, "cut"});
  }
  void answer(int status, std::string body) {
    head(status);
    says(std::move(body));
    ends();
  }
  void list(std::string_view items) {
    answer(200, page_of(items));
    head(200);
  }
  sim::receipt_ptr get(std::string_view path) {
    auto r = std::make_shared<sim::receipt>();
    tell(in.router, arrival{std::make_shared<sim::fake_exchange>(
                        r, sim::make_request(verb::get, path, {"Host: localhost"}))});
    return r;
  }
  std::size_t times(std::string_view sentence) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        said(), [&](const std::string& line) { return line.find(sentence) != std::string::npos; }));
  }

  std::string token = "t1";
  follower_view view;
  ingress_view in;
  follower_door follower;
  caf::typed_actor<caf::reacts_to<stop_requested>> stopper() {
    return caf::actor_cast<caf::typed_actor<caf::reacts_to<stop_requested>>>(registry);
  }
  registry_base registry;
  int ended_well = 0;
};

TEST_F(kubernetes_registry, asks_with_the_token_of_the_moment) {
  ASSERT_EQ(view.asked.size(), 1U);
  EXPECT_EQ(last().where.origin(), "https://api.test:6443");
  EXPECT_EQ(last().where.target, "/base/api/v1/services?limit=200");
  EXPECT_EQ(last().headers, "Accept: application/json\r\nAuthorization: Bearer t1\r\n");
  EXPECT_EQ(last().ca_file, "/ca");
  token = "t2";
  answer(401, "");
  advance(limits::cluster_first_pause);
  ASSERT_EQ(view.asked.size(), 2U);
  EXPECT_NE(last().headers.find("Bearer t2\r\n"), std::string::npos);
  EXPECT_EQ(times("401"), 1U);
}

TEST_F(kubernetes_registry, the_document_follows_the_services) {
  EXPECT_EQ(get("/x")->status, 503);
  EXPECT_EQ(get("/healthz")->status, 503);
  list(drawn_service{}.json());
  EXPECT_EQ(times("The Services of the cluster are known."), 1U);
  const auto first = get("/x");
  EXPECT_EQ(first->status, 200);
  EXPECT_NE(first->body.find("tools--notes"), std::string::npos);
  EXPECT_NE(get("/health")->body.find("\"ok\""), std::string::npos);
  says(event_of("DELETED", drawn_service{}.json()));
  EXPECT_EQ(get("/x")->body, "{\"upstreams\":[]}\n");
  EXPECT_NE(get("/x")->header("ETag"), first->header("ETag"));
  EXPECT_EQ(times("The discovery document has changed."), 1U);
}

TEST_F(kubernetes_registry, each_piece_is_asked_for) {
  head(200);
  says("{");
  EXPECT_EQ(view.going_on, std::vector<std::uint64_t>{last().id});
}

TEST_F(kubernetes_registry, of_services_that_are_not_ours_nothing_comes) {
  list("");
  auto other = drawn_service{};
  other.annotations.clear();
  const auto before = said().size();
  says(event_of("ADDED", other.json()) + event_of("MODIFIED", other.json()));
  EXPECT_EQ(said().size(), before);
}

TEST_F(kubernetes_registry, an_outage_is_told_once_and_the_document_stays) {
  list(drawn_service{}.json());
  ends(follow_end::broken);
  EXPECT_NE(get("/health")->body.find("\"stale\""), std::string::npos);
  EXPECT_EQ(get("/x")->status, 200);
  for (int i = 0; i < 5; ++i) {
    advance(limits::cluster_pause_most);
    ends(follow_end::unreached);
  }
  EXPECT_EQ(times("The API server can not be asked"), 2U) << "it broke off; it is not there";
  advance(limits::cluster_pause_most);
  EXPECT_NE(last().where.target.find("resourceVersion=100"), std::string::npos);
  head(200);
  EXPECT_EQ(times("The API server can be asked again."), 1U);
  EXPECT_NE(get("/health")->body.find("\"ok\""), std::string::npos);
}

TEST_F(kubernetes_registry, what_was_asked_before_is_not_heard) {
  list("");
  const auto before = last();
  says("no event\n");
  EXPECT_EQ(view.stopped, std::vector<std::uint64_t>{before.id});
  EXPECT_EQ(times("All Services are listed anew."), 1U);
  tell(before.asker, follow_said{before.id, event_of("ADDED", drawn_service{}.json())});
  tell(before.asker, follow_ended{before.id, follow_end::broken, "late"});
  EXPECT_EQ(get("/x")->body, "{\"upstreams\":[]}\n");
  advance(limits::cluster_first_pause);
  EXPECT_EQ(last().where.target, "/base/api/v1/services?limit=200");
}

TEST_F(kubernetes_registry, who_does_not_answer_is_asked_again) {
  advance(limits::cluster_connect + limits::cluster_answer);
  EXPECT_EQ(view.stopped.size(), 1U);
  advance(limits::cluster_first_pause);
  EXPECT_EQ(view.asked.size(), 2U);
  list("");
  advance(limits::cluster_watch + limits::cluster_watch_grace - 1s);
  EXPECT_EQ(view.stopped.size(), 1U) << "a watch may be silent";
  advance(1s);
  EXPECT_EQ(view.stopped.size(), 2U);
  advance(limits::cluster_first_pause);
  EXPECT_NE(last().where.target.find("watch=true"), std::string::npos);
}

TEST_F(kubernetes_registry, a_token_that_can_not_be_read) {
  token.clear();
  answer(401, "");
  advance(limits::cluster_first_pause);
  EXPECT_EQ(view.asked.size(), 1U) << "nothing is asked without it";
  EXPECT_EQ(times("the token can not be read: gone"), 1U);
  token = "t3";
  advance(limits::cluster_pause_most);
  EXPECT_EQ(view.asked.size(), 2U);
}

TEST_F(kubernetes_registry, a_watch_that_is_refused_is_told_once_and_lists_go_on) {
  list(drawn_service{}.json());
  ends();
  advance(limits::cluster_first_pause);
  answer(403, status_of(403, "Forbidden"));
  EXPECT_EQ(times("Services can not be watched; they are listed again and again"), 1U);
  EXPECT_EQ(times("\"watch\\\" was refused") + times("\"watch\" was refused"), 1U);
  EXPECT_NE(get("/x")->body.find("tools--notes"), std::string::npos) << "what is known stays";
  auto other = drawn_service{};
  other.name = "other";
  for (int round = 0; round < 3; ++round) {
    advance(limits::cluster_pause_most);
    EXPECT_EQ(last().where.target, "/base/api/v1/services?limit=200");
    answer(200, page_of(round == 0 ? drawn_service{}.json() : other.json()));
    EXPECT_NE(last().where.target.find("watch=true"), std::string::npos);
    answer(403, status_of(403, "Forbidden"));
  }
  EXPECT_NE(get("/x")->body.find("tools--other"), std::string::npos) << "changes are seen";
  EXPECT_NE(get("/health")->body.find("\"stale\""), std::string::npos);
  EXPECT_EQ(times("Services can not be watched"), 1U) << "as long as nothing else is the matter";
  EXPECT_EQ(times("can be asked again"), 0U);
  advance(limits::cluster_pause_most);
  list(other.json());
  EXPECT_EQ(times("The API server can be asked again."), 1U);
  EXPECT_NE(get("/health")->body.find("\"ok\""), std::string::npos);
}

TEST_F(kubernetes_registry, metrics_say_how_it_is) {
  const auto value = [this](std::string_view series) {
    advance(limits::metrics_reuse);
    const auto text = get("/metrics")->body;
    const auto at = text.find("\n" + std::string(series) + ' ');
    if (at == std::string::npos) return std::string("none");
    const auto from = at + series.size() + 2;
    return text.substr(from, text.find('\n', from) - from);
  };
  advance(7s);
  EXPECT_EQ(value("gate_kubernetes_document_bytes"), "0");
  EXPECT_GE(std::stod(value("gate_kubernetes_out_of_touch_seconds")), 7);
  EXPECT_EQ(value("gate_kubernetes_lists_total{outcome=\"complete\"}"), "0") << "from the start";
  auto wrong = drawn_service{}.with("scheme", "x");
  wrong.name = "wrong";
  auto secret = drawn_service{}.with("secret-ref", "A");
  secret.name = "secret";
  list(drawn_service{}.json() + ',' + wrong.json() + ',' + secret.json());
  EXPECT_EQ(value("gate_kubernetes_upstreams"), "1");
  EXPECT_EQ(value("gate_kubernetes_left_out{reason=\"invalid\"}"), "1");
  EXPECT_EQ(value("gate_kubernetes_left_out{reason=\"secret\"}"), "1");
  EXPECT_EQ(value("gate_kubernetes_left_out{reason=\"host\"}"), "0");
  EXPECT_EQ(value("gate_kubernetes_document_bytes"), std::to_string(get("/x")->body.size()));
  EXPECT_EQ(value("gate_kubernetes_lists_total{outcome=\"complete\"}"), "1");
  EXPECT_EQ(value("gate_kubernetes_out_of_touch_seconds"), "0");
  advance(60s);
  EXPECT_EQ(value("gate_kubernetes_out_of_touch_seconds"), "0") << "a watch may be silent";
  says(event_of("DELETED", wrong.json()));
  EXPECT_EQ(value("gate_kubernetes_left_out{reason=\"invalid\"}"), "0");
  ends(follow_end::broken);
  EXPECT_EQ(value("gate_kubernetes_watches_total{outcome=\"broken\"}"), "1");
  EXPECT_GE(std::stod(value("gate_kubernetes_out_of_touch_seconds")), 1);
  EXPECT_LT(std::stod(value("gate_kubernetes_out_of_touch_seconds")), 10);
}

TEST_F(kubernetes_registry, who_is_left_out_is_told_once) {
  list(drawn_service{}.with("scheme", "x").json());
  EXPECT_EQ(times("A Service is left out."), 1U);
  says(event_of("MODIFIED", drawn_service{}.with("scheme", "x").json()));
  EXPECT_EQ(times("A Service is left out."), 1U);
  says(event_of("MODIFIED", drawn_service{}.with("port", "x").json()));
  EXPECT_EQ(times("A Service is left out."), 2U) << "for another reason";
  says(event_of("MODIFIED", drawn_service{}.json()));
  says(event_of("MODIFIED", drawn_service{}.with("port", "x").json()));
  EXPECT_EQ(times("A Service is left out."), 3U) << "again";
  EXPECT_NE(get("/health")->body.find("\"leftOut\":1"), std::string::npos);
}

TEST_F(kubernetes_registry, of_many_that_are_left_out_some_are_named) {
  std::string items;
  for (std::size_t i = 0; i < limits::cluster_logged + 7; ++i) {
    auto s = drawn_service{}.with("scheme", "x");
    s.name = "s" + std::to_string(i);
    items += (items.empty() ? "" : ",") + s.json();
  }
  list(items);
  EXPECT_EQ(times("A Service is left out."), limits::cluster_logged);
  EXPECT_EQ(times("Further Services are left out."), 1U);
}

TEST_F(kubernetes_registry, ends_when_its_clients_have_their_answers) {
  list("");
  tell(stopper(), stop_requested{});
  EXPECT_EQ(in.drains, 1);
  EXPECT_EQ(view.stopped.back(), last().id);
  EXPECT_TRUE(get("/x")->close);
  EXPECT_EQ(ended_well, 0);
  const auto asked = view.asked.size();
  advance(limits::drain);
  EXPECT_EQ(in.cuts, 1);
  EXPECT_EQ(ended_well, 1);
  EXPECT_EQ(view.asked.size(), asked);
}

TEST_F(kubernetes_registry, ends_if_nobody_asks_for_it_any_more) {
  crash(follower);
  EXPECT_EQ(times("FOLLOWER crashed"), 1U);
  EXPECT_TRUE(cast("registry").empty());
  EXPECT_EQ(ended_well, 0);
}

}  // namespace
}  // namespace gate::kubernetes
