// DOCTOR, with EXAMINATIONs that do what a test says: what of actors/doctor/examination.hpp is
// asked of whom, until when it is waited for, and that nothing is asked or waited for longer.
#include "actors/doctor/doctor_actor.hpp"

#include <gtest/gtest.h>

#include "protocol/limits/doctor.hpp"
#include "simulations/world/actor_stage.hpp"

namespace gate::doctor {
namespace {

using namespace std::chrono_literals;

/// Asks once, ends a session when it is late, and writes down what happens.
class scripted final : public examination {
 public:
  explicit scripted(std::string id) : examination("/x", std::move(id)) {}
  action begin() override {
    if (looks) return look{http::parse_url("http://a.example/").value()};
    return ask(verb::post);
  }
  action heard(const reply& r) override {
    told = r;
    quoted = say().clean(r.text);
    ++answers;
    if (finds_out) {
      examinations more;
      more.push_back(std::make_unique<scripted>("further"));
      go_on_with(std::move(more), {"n3w-one"});
    }
    return done{};
  }
  action late(std::string_view opened) override {
    ++lates;
    session = opened;
    return lates > 1 ? action(done{}) : action(ask(verb::del));
  }

  reply told;
  std::string quoted, session;
  int answers = 0, lates = 0;
  bool looks = false, finds_out = false;

 private:
  static request ask(verb method) {
    auto out = make_request(http::parse_url("http://a.example/").value(), method, {}, {});
    out.answered_by = "1";
    return out;
  }
};

class a_doctor : public testing::Test {
 protected:
  void begin(std::size_t peers) {
    for (std::size_t i = 0; i < peers; ++i)
      all.push_back(std::make_unique<scripted>(std::to_string(i)));
    egress = stage.system().spawn([this]() -> egress_handle::behavior_type {
      return {[this](const start_fetch& m) {
                fetches.push_back(m.what);
                asker = m.asker;
              },
              [this](const abandon_fetch& m) { abandoned.push_back(m.id); }};
    });
    inspector = stage.system().spawn([this]() -> inspector_handle::behavior_type {
      return {[this](const inspect& m) { looks.push_back(m.timeout); },
              [](const inspect_store&) {}};
    });
    doctor_parts parts;
    parts.peers = &all;
    parts.egress = egress;
    parts.inspector = inspector;
    parts.each = 10s;
    parts.secrets = &secrets;
    parts.progress = [this](std::size_t n, std::size_t) { examined = n; };
    const auto who = stage.system().spawn<doctor_actor>(nullptr, std::move(parts));
    caf::actor_cast<caf::abstract_actor*>(who)->attach_functor([this] { ended = true; });
    stage.settle();
  }
  void TearDown() override {
    asker = nullptr;
    caf::anon_send_exit(egress, caf::exit_reason::kill);
    caf::anon_send_exit(inspector, caf::exit_reason::kill);
    stage.settle();
  }
  scripted& peer(std::size_t i) { return static_cast<scripted&>(*all[i]); }
  void say(std::uint64_t id, const std::string& data, std::size_t times = 1) {
    streamed m;
    m.id = id;
    m.session_id = "session";
    sse::event e;
    e.data = data;
    m.events.assign(times, e);
    stage.tell(asker, m);
  }

  sim::actor_stage stage;
  examinations all;
  discretion secrets{{"s3cr3t"}};
  egress_handle egress;
  inspector_handle inspector;
  fetch_client asker;
  std::vector<fetch_ptr> fetches;
  std::vector<std::uint64_t> abandoned;
  std::vector<std::chrono::milliseconds> looks;
  std::size_t examined = 0;
  bool ended = false;
};

TEST_F(a_doctor, hears_an_answer_as_it_came_and_quotes_it_without_secrets) {
  begin(1);
  fetched m;
  m.id = fetches.at(0)->id;
  m.status = 200;
  m.body = std::make_shared<const std::string>("you said s3cr3t");
  stage.advance(12ms);
  stage.tell(asker, m);
  EXPECT_EQ(peer(0).told.text, "you said s3cr3t") << "it is judged as it came";
  EXPECT_EQ(peer(0).quoted, "you said [secret]");
  EXPECT_EQ(peer(0).told.took, 12ms);
  EXPECT_EQ(examined, 1U);
  EXPECT_TRUE(ended);
}

TEST_F(a_doctor, takes_the_event_that_answers_and_leaves_the_stream) {
  begin(1);
  const auto id = fetches.at(0)->id;
  say(id, R"({"jsonrpc":"2.0","method":"notifications/message"})", 3);
  EXPECT_EQ(peer(0).answers, 0);
  say(id, R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(peer(0).told.session_id, "session");
  EXPECT_EQ(abandoned, std::vector<std::uint64_t>{id});
  EXPECT_TRUE(ended);
}

TEST_F(a_doctor, does_not_read_a_stream_for_ever) {
  begin(1);
  say(fetches.at(0)->id, R"({"jsonrpc":"2.0","method":"x"})", limits::doctor_events + 1);
  EXPECT_EQ(peer(0).told.end, fetch_end::malformed);
  EXPECT_TRUE(ended);
}

TEST_F(a_doctor, waits_for_nobody_longer_than_his_time) {
  begin(1);
  stage.advance(9s);
  EXPECT_EQ(peer(0).lates, 0);
  stage.advance(2s);
  EXPECT_EQ(peer(0).lates, 1);
  ASSERT_EQ(fetches.size(), 2U);
  EXPECT_EQ(fetches[1]->method, verb::del);
  EXPECT_FALSE(ended) << "the end of the session is waited for";
  stage.advance(limits::doctor_goodbye + 1ms);
  EXPECT_EQ(abandoned.size(), 2U);
  EXPECT_TRUE(ended);
}

TEST_F(a_doctor, says_which_session_began_with_an_answer_that_did_not_come) {
  begin(1);
  say(fetches.at(0)->id, R"({"jsonrpc":"2.0","method":"x"})");
  stage.advance(11s);
  EXPECT_EQ(peer(0).lates, 1);
  EXPECT_EQ(peer(0).session, "session");
}

TEST_F(a_doctor, gives_a_look_less_time_than_the_peer_has) {
  all.push_back(std::make_unique<scripted>("first"));
  static_cast<scripted&>(*all[0]).looks = true;
  begin(0);
  ASSERT_EQ(looks.size(), 1U);
  EXPECT_LT(looks[0], 10s) << "it has to say how far it came";
}

TEST_F(a_doctor, asks_many_at_once_and_the_others_when_these_are_done) {
  begin(limits::doctor_at_once + 1);
  EXPECT_EQ(fetches.size(), limits::doctor_at_once);
  fetched m;
  m.id = fetches.at(0)->id;
  m.end = fetch_end::broken;
  stage.tell(asker, m);
  EXPECT_EQ(fetches.size(), limits::doctor_at_once + 1);
}

TEST_F(a_doctor, goes_on_with_whom_a_peer_knows_and_hides_what_they_are_asked_with) {
  begin(1);
  peer(0).finds_out = true;
  const auto answer = [this](std::size_t nth) {
    fetched m;
    m.id = fetches.at(nth)->id;
    m.status = 200;
    m.body = std::make_shared<const std::string>("s3cr3t n3w-one");
    stage.tell(asker, m);
  };
  answer(0);
  EXPECT_FALSE(ended);
  EXPECT_EQ(examined, 1U);
  ASSERT_EQ(fetches.size(), 2U) << "the further one is asked";
  answer(1);
  const auto& further = static_cast<scripted&>(*peer(0).further().at(0));
  EXPECT_EQ(further.quoted, "[secret] [secret]");
  EXPECT_TRUE(ended);
}

TEST_F(a_doctor, begins_nobody_whom_it_learns_of_when_the_time_is_over) {
  begin(limits::doctor_at_once * 2 + 1);
  auto& last = peer(limits::doctor_at_once * 2);
  last.finds_out = true;
  stage.advance(10s * limits::doctor_rounds - limits::doctor_goodbye + 1ms);
  EXPECT_EQ(last.lates, 1) << "the time of all is over, and it ends its session";
  const auto asked = fetches.size();
  fetched m;
  m.id = fetches.back()->id;
  stage.tell(asker, m);
  ASSERT_EQ(last.further().size(), 1U);
  EXPECT_NE(last.further()[0]->found().at(0).seen.find("was not looked at"), std::string::npos);
  EXPECT_EQ(fetches.size(), asked);
  EXPECT_TRUE(ended);
}

TEST_F(a_doctor, ends_in_time_however_many_do_not_answer) {
  begin(limits::doctor_at_once * 4);
  stage.advance(10s * limits::doctor_rounds + 1ms);
  EXPECT_TRUE(ended);
  EXPECT_EQ(peer(0).lates, 1);
  ASSERT_EQ(all.back()->found().size(), 1U);
  EXPECT_NE(all.back()->found()[0].seen.find("was not looked at"), std::string::npos);
}

}  // namespace
}  // namespace gate::doctor
