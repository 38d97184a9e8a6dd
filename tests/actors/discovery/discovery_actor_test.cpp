#include "actors/discovery/discovery_actor.hpp"

#include "protocol/limits.hpp"
#include "simulations/world/fake_egress.hpp"
#include "tests/support/actor_test.hpp"
#include "transport/log.hpp"

namespace gate::discovery {
namespace {

using sim::fake_upstream;
using sim::reply;
using std::chrono::milliseconds;
using std::chrono::seconds;
using outcomes = std::vector<std::string>;

const std::string one = R"({"upstreams":[{"id":"x","url":"http://x.test"}]})";
const std::string two = R"({"upstreams":[{"id":"x","url":"http://x.test"},{"id":"y"}]})";

/// GATEWAY, as DISCOVERY knows it. Answers at once, unless it is told to be silent.
struct judge {
  static constexpr auto yes = discovery_settled::outcome::applied;
  std::vector<std::string> told;
  std::uint64_t number = 0;  ///< of the latest
  std::vector<discovery_state> states;
  std::function<std::optional<discovery_settled>(const std::string&)> verdict =
      [](const std::string&) {
        return discovery_settled{0, yes, {}};
      };
};

class asker final : public discovery_user::base {
 public:
  asker(caf::actor_config& cfg, judge& j) : discovery_user::base(cfg), judge_(j) {}
  behavior_type make_behavior() override {
    return {[this](const discovered& m) {
              judge_.told.push_back(m.text);
              judge_.number = m.number;
              if (auto v = judge_.verdict(m.text)) {
                v->number = m.number;
                send(caf::actor_cast<gate::discovery_handle>(current_sender()), std::move(*v));
              }
            },
            [this](const discovery_state& m) { judge_.states.push_back(m); }};
  }

 private:
  judge& judge_;
};

class a_discovery : public sim::actor_test {
 protected:
  a_discovery() {
    log_lines().clear();
    log::redirect([](std::string_view line) { log_lines().emplace_back(line); });
    (*net_)["r"] = std::make_unique<fake_upstream>("r");
    serves(one);
  }
  ~a_discovery() override {
    clear_stage();
    log::redirect(nullptr);
  }

  void begin(const std::string& url = "https://r.test/list?key=hidden") {
    section_.url = url;
    discovery_ = system().spawn<discovery_actor>(
        nullptr, discovery_parts{section_,
                                 http::parse_url(url).value(),
                                 system().spawn<sim::fake_egress>(net_, std::size_t{0}),
                                 [this](std::string_view name) {
                                   asked_.emplace_back(name);
                                   return secret_;
                                 },
                                 system().spawn<asker>(std::ref(judge_)),
                                 spawned_++ << 32,
                                 {metrics_, metric::discovery_syncs}});
    settle();
  }
  fake_upstream& source() { return *net_->at("r"); }
  void serves(const std::string& text) { source().always("GET", reply::http(200, text)); }
  void fails(reply r) { source().always("GET", std::move(r)); }
  std::size_t polls() { return source().count("GET"); }
  /// Lets one interval pass.
  void next() { advance(section_.interval); }

  /// Outcomes that were counted, like "applied 2".
  outcomes counted() {
    outcomes out;
    const auto text = metrics_.expose();
    for (const auto* name : {"applied", "error", "rejected", "unchanged"}) {
      const auto key = "gate_discovery_syncs_total{outcome=\"" + std::string(name) + "\"} ";
      const auto at = text.find(key);
      const auto value = text.substr(at + key.size(), text.find('\n', at) - at - key.size());
      if (at != text.npos && value != "0") out.push_back(name + (" " + value));
    }
    return out;
  }
  static std::vector<std::string>& log_lines() {
    static std::vector<std::string> lines;
    return lines;
  }
  /// How many lines of the log say this.
  static std::size_t logged(std::string_view part) {
    return static_cast<std::size_t>(
        std::ranges::count_if(log_lines(), [&](const auto& l) { return l.find(part) != l.npos; }));
  }

  std::shared_ptr<sim::fake_network> net_ = std::make_shared<sim::fake_network>();
  metrics metrics_;
  gate::config::discovery_section section_;
  std::optional<std::string> secret_ = "t0ken";
  std::vector<std::string> asked_;
  judge judge_;
  std::uint64_t spawned_ = 0;
  gate::discovery_handle discovery_;
};

TEST_F(a_discovery, polls_at_once_and_then_at_intervals) {
  begin();
  EXPECT_EQ(polls(), 1U);
  advance(section_.interval - milliseconds(1));
  EXPECT_EQ(polls(), 1U);
  advance(milliseconds(1));
  EXPECT_EQ(polls(), 2U);
  next();
  EXPECT_EQ(polls(), 3U);
  EXPECT_EQ(judge_.told, std::vector<std::string>{one});
  EXPECT_EQ(counted(), (outcomes{"applied 1", "unchanged 2"}));
}

TEST_F(a_discovery, asks_as_it_should) {
  section_.bearer_secret_ref = "TOKEN";
  begin();
  const auto s = source().last("GET");
  EXPECT_EQ(s->what->to->url.target, "/list?key=hidden");
  EXPECT_EQ(s->header("accept"), "application/json");
  EXPECT_EQ(s->header("authorization"), "Bearer t0ken");
  EXPECT_FALSE(s->what->to->redirects);
  EXPECT_EQ(s->what->to->max_response_bytes, 4U * 1024 * 1024);
  EXPECT_TRUE(s->what->repeatable);
  EXPECT_EQ(logged("t0ken"), 0U);
  EXPECT_EQ(logged("hidden"), 0U);
}

TEST_F(a_discovery, needs_no_secret) {
  begin();
  EXPECT_EQ(source().last("GET")->header("authorization"), "");
  EXPECT_TRUE(asked_.empty());
}

TEST_F(a_discovery, resolves_the_secret_each_time) {
  section_.bearer_secret_ref = "TOKEN";
  secret_.reset();
  begin();
  EXPECT_EQ(polls(), 0U);
  EXPECT_EQ(counted(), outcomes{"error 1"});
  EXPECT_EQ(logged("TOKEN is not set"), 1U);
  for (const auto* useless : {"a\r\nHost: evil", "a b", "caf\xC3\xA9", "line\n"}) {
    secret_ = useless;
    next();
  }
  EXPECT_EQ(polls(), 0U);
  EXPECT_EQ(counted(), outcomes{"error 5"});
  EXPECT_EQ(log_lines().size(), 1U) << "one outage";
  secret_ = "new";
  next();
  EXPECT_EQ(source().last("GET")->header("authorization"), "Bearer new");
  EXPECT_EQ(counted(), (outcomes{"applied 1", "error 5"}));
  EXPECT_EQ(logged("can be read again"), 1U);
  EXPECT_EQ(asked_, std::vector<std::string>(6, "TOKEN"));
}

TEST_F(a_discovery, says_what_is_new) {
  begin();
  serves(two);
  next();
  EXPECT_EQ(judge_.told, (std::vector<std::string>{one, two}));
  serves(one);
  next();
  EXPECT_EQ(judge_.told.size(), 3U) << "what was applied before the last is news again";
  EXPECT_EQ(counted(), outcomes{"applied 3"});
  EXPECT_EQ(logged("is applied."), 3U);
  EXPECT_NE(log_lines()[1].find("upstreams=2"), std::string::npos) << log_lines()[1];
}

struct failure {
  reply what;
  std::string detail;
};

TEST_F(a_discovery, takes_nothing_but_a_document) {
  begin();
  std::size_t errors = 0;
  for (const auto& [what, detail] :
       std::vector<failure>{{reply::http(500, two), "HTTP 500"},
                            {reply::http(404, two), "HTTP 404"},
                            {reply::http(204), "HTTP 204"},
                            {reply::http(201, two), "HTTP 201"},
                            {reply::http(301), "HTTP 301"},
                            {reply::failure(fetch_end::redirected), "cut off"},
                            {reply::failure(fetch_end::connect_failed), "cut off"},
                            {reply::failure(fetch_end::broken), "cut off"},
                            {reply::failure(fetch_end::too_large), "larger than 4194304 bytes"},
                            {reply{.events = {two}}, "event stream"},
                            {reply{.open = true}, "event stream"}}) {
    fails(what);
    next();
    ++errors;
    EXPECT_EQ(logged(detail), 1U) << detail;
    EXPECT_EQ(logged("can not be read"), 1U);
    serves(one);
    next();
    EXPECT_EQ(logged("can be read again"), 1U);
    log_lines().clear();
  }
  EXPECT_EQ(judge_.told, std::vector<std::string>{one});
  EXPECT_EQ(counted(), (outcomes{"applied 1", "error " + std::to_string(errors),
                                 "unchanged " + std::to_string(errors)}));
}

TEST_F(a_discovery, leaves_an_endless_stream) {
  fails(reply{.open = true});
  begin();
  EXPECT_TRUE(source().under_way("GET").empty());
  EXPECT_TRUE(source().last("GET")->abandoned);
}

TEST_F(a_discovery, gives_up_after_ten_seconds) {
  fails(reply::silence());
  begin();
  advance(seconds(10) - milliseconds(1));
  EXPECT_EQ(logged("no answer"), 0U);
  advance(milliseconds(1));
  EXPECT_EQ(logged("no answer within 10 s"), 1U);
  EXPECT_TRUE(source().last("GET")->abandoned);
  EXPECT_EQ(counted(), outcomes{"error 1"});
  // The interval is counted from then on.
  serves(one);
  advance(section_.interval - milliseconds(1));
  EXPECT_EQ(polls(), 1U);
  advance(milliseconds(1));
  EXPECT_EQ(polls(), 2U);
  EXPECT_EQ(counted(), (outcomes{"applied 1", "error 1"}));
}

TEST_F(a_discovery, does_not_take_an_old_answer_for_a_new_one) {
  fails(reply::silence());
  begin();
  advance(seconds(10));
  fetched late;
  late.id = source().last("GET")->what->id;
  late.status = 200;
  late.body = std::make_shared<const std::string>(two);
  tell(discovery_, late);
  EXPECT_TRUE(judge_.told.empty());
  tell(discovery_, discovery_settled{judge_.number, judge::yes, {}});
  EXPECT_EQ(counted(), outcomes{"error 1"});
  serves(one);
  next();
  EXPECT_EQ(judge_.told, std::vector<std::string>{one});
}

TEST_F(a_discovery, never_has_two_polls_at_once) {
  section_.interval = seconds(1);
  source().always("GET", reply{.after = seconds(3), .body = one});
  begin();
  advance(seconds(2));
  EXPECT_EQ(polls(), 1U);
  advance(seconds(1));
  EXPECT_EQ(judge_.told.size(), 1U);
  advance(milliseconds(999));
  EXPECT_EQ(polls(), 1U);
  advance(milliseconds(1));
  EXPECT_EQ(polls(), 2U);
}

std::optional<discovery_settled> no(std::vector<gate::config::config_problem> problems) {
  return discovery_settled{0, discovery_settled::outcome::refused, std::move(problems)};
}

TEST_F(a_discovery, offers_a_refused_document_again) {
  judge_.verdict = [](const std::string&) { return no({{"/upstreams/0/id", "taken"}}); };
  begin();
  next();
  next();
  EXPECT_EQ(judge_.told, (std::vector<std::string>{one, one, one}));
  EXPECT_EQ(counted(), outcomes{"rejected 3"});
  EXPECT_EQ(logged("is refused as a whole"), 1U) << "once a document";
  EXPECT_EQ(logged("/upstreams/0/id: taken"), 1U);
  serves(two);
  next();
  next();
  EXPECT_EQ(logged("is refused as a whole"), 1U);
  // The operator has mended his half.
  judge_.verdict = [](const std::string&) { return discovery_settled{0, judge::yes, {}}; };
  next();
  EXPECT_EQ(logged("is applied, after one that was refused."), 1U);
  next();
  EXPECT_EQ(judge_.told.size(), 6U);
  EXPECT_EQ(counted(), (outcomes{"applied 1", "rejected 5", "unchanged 1"}));
}

TEST_F(a_discovery, goes_back_to_what_runs) {
  begin();
  judge_.verdict = [](const std::string&) { return no({{"", "bad"}}); };
  serves(two);
  next();
  serves(one);
  next();
  next();
  EXPECT_EQ(logged("says again what runs"), 1U);
  EXPECT_EQ(counted(), (outcomes{"applied 1", "rejected 1", "unchanged 2"}));
  serves(two);
  next();
  EXPECT_EQ(logged("is refused as a whole"), 2U) << "it has changed in between";
}

TEST_F(a_discovery, logs_an_outage_once) {
  begin();
  fails(reply::http(500));
  for (int i = 0; i < 4; ++i) next();
  fails(reply::silence());
  next();
  advance(seconds(10));
  EXPECT_EQ(logged("can not be read"), 1U);
  EXPECT_EQ(counted(), (outcomes{"applied 1", "error 5"}));
  serves(two);
  next();
  EXPECT_EQ(logged("can be read again"), 1U);
  EXPECT_EQ(logged("is applied."), 2U);
}

TEST_F(a_discovery, logs_problems_of_any_number_and_length) {
  judge_.verdict = [](const std::string&) {
    std::vector<gate::config::config_problem> all(1000, {"/x", std::string(100'000, 'w')});
    return no(std::move(all));
  };
  begin();
  ASSERT_EQ(logged("problems=1000"), 1U);
  EXPECT_LT(log_lines().back().size(), 2 * limits::logged_problems * limits::logged_problem_bytes);
}

TEST_F(a_discovery, waits_for_the_verdict_but_not_for_ever) {
  judge_.verdict = [](const std::string&) { return std::optional<discovery_settled>{}; };
  begin();
  advance(limits::discovery_settle - milliseconds(1));
  EXPECT_EQ(polls(), 1U) << "no poll in the meantime";
  EXPECT_EQ(cast("discovery").size(), 1U);
  advance(milliseconds(1));
  EXPECT_EQ(cast("discovery").size(), 0U) << "its supervisor starts another";
  EXPECT_EQ(logged("begins anew"), 1U);
}

TEST_F(a_discovery, takes_a_late_verdict) {
  judge_.verdict = [](const std::string&) { return std::optional<discovery_settled>{}; };
  begin();
  advance(seconds(100));
  tell(discovery_, discovery_settled{judge_.number, judge::yes, {}});
  EXPECT_EQ(counted(), outcomes{"applied 1"});
  advance(section_.interval - milliseconds(1));
  EXPECT_EQ(polls(), 1U) << "the interval is counted from the end of the poll";
  advance(milliseconds(1));
  EXPECT_EQ(polls(), 2U);
  EXPECT_EQ(counted(), (outcomes{"applied 1", "unchanged 1"}));
}

TEST_F(a_discovery, knows_which_document_a_verdict_is_for) {
  judge_.verdict = [](const std::string&) { return std::optional<discovery_settled>{}; };
  begin();
  const auto first = judge_.number;
  crash(discovery_);
  serves(two);
  begin();
  ASSERT_EQ(judge_.told, (std::vector<std::string>{one, two}));
  EXPECT_NE(judge_.number, first);
  tell(discovery_, discovery_settled{first, judge::yes, {}});
  EXPECT_EQ(counted(), outcomes{}) << "that was for the document before the restart";
  tell(discovery_, *no({{"", "bad"}}));
  EXPECT_EQ(counted(), outcomes{});
  tell(discovery_, discovery_settled{judge_.number, judge::yes, {}});
  EXPECT_EQ(counted(), outcomes{"applied 1"});
}

TEST_F(a_discovery, does_not_blame_a_document_that_nobody_judged) {
  judge_.verdict = [](const std::string&) {
    return discovery_settled{0, discovery_settled::outcome::unjudged, {{"", "too many reloads"}}};
  };
  begin();
  EXPECT_EQ(counted(), outcomes{"error 1"});
  EXPECT_EQ(logged("refused"), 0U);
  EXPECT_EQ(logged("could not be judged"), 1U);
  EXPECT_EQ(logged("too many reloads"), 1U);
  judge_.verdict = [](const std::string&) { return discovery_settled{0, judge::yes, {}}; };
  next();
  EXPECT_EQ(judge_.told, (std::vector<std::string>{one, one}));
  EXPECT_EQ(counted(), (outcomes{"applied 1", "error 1"}));
  EXPECT_EQ(logged("The discovery document is applied."), 1U);
}

TEST_F(a_discovery, has_viewers_told_what_came_of_each_poll_and_no_secrets_name) {
  section_.bearer_secret_ref = "TOKEN";
  secret_ = {};
  begin();
  ASSERT_EQ(judge_.states.size(), 1U);
  EXPECT_EQ(judge_.states[0].what, sync_outcome::error);
  EXPECT_EQ(judge_.states[0].error, "its secret is not set");
  secret_ = "s3cret";
  advance(section_.interval);
  ASSERT_EQ(judge_.states.size(), 2U);
  EXPECT_EQ(judge_.states[1].what, sync_outcome::applied);
  EXPECT_EQ(judge_.states[1].error, "");
  advance(section_.interval);
  EXPECT_EQ(judge_.states[2].what, sync_outcome::unchanged);
  judge_.verdict = [](const std::string&) {
    return discovery_settled{
        0, discovery_settled::outcome::refused, {{"/upstreams/0", "names TOKEN"}}};
  };
  serves(two);
  advance(section_.interval);
  EXPECT_EQ(judge_.states[3].what, sync_outcome::rejected);
  EXPECT_EQ(judge_.states[3].error, "the document is refused, for 1 problem(s) that the log names");
}

}  // namespace
}  // namespace gate::discovery
