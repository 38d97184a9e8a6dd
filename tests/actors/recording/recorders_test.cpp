#include "tests/actors/recording/recorders.hpp"

#include "actors/recording/router_recorder_actor.hpp"
#include "actors/recording/store_recorder_actor.hpp"
#include "actors/recording/watch_recorder_actor.hpp"
#include "protocol/base/base64.hpp"
#include "transport/parcel.hpp"

namespace gate::recording {
namespace {

using namespace testing;

// --- STORE ---------------------------------------------------------------------------------------

class store_recorders : public recorders {
 public:
  store_recorders() {
    store = system().spawn([this]() -> store_handle::behavior_type {
      return {[this](ask_store& m) { questions.push_back(std::move(m)); },
              [this](const watch_store&) { ++watchers; },
              [this](const listen_to_store& m) { listens.push_back(m); },
              [this](const unlisten_store& m) { unlistens.push_back(m); }};
    });
    recorder = system().spawn<store_recorder_actor>(nullptr, store, where);
    settle();
  }
  ~store_recorders() override {
    questions.clear();
    listens.clear();
    unlistens.clear();
    clear_stage();
  }

  std::vector<ask_store> questions;
  std::vector<listen_to_store> listens;
  std::vector<unlisten_store> unlistens;
  int watchers = 0;
  store_handle store;
  store_handle recorder;
};

TEST_F(store_recorders, askers_get_their_own_ids_back_and_both_are_written_down) {
  std::vector<std::uint64_t> heard;
  const store_asker asker = system().spawn([&heard]() -> store_asker::behavior_type {
    return {[&heard](const store_told& m) { heard.push_back(m.id); }};
  });
  store_request r;
  r.id = 77;
  r.words = {"PING"};
  tell(recorder, ask_store{r, asker});
  ASSERT_EQ(questions.size(), 1u);
  EXPECT_NE(questions[0].asker, asker);
  store_told told;
  told.id = questions[0].what.id;
  tell(questions[0].asker, told);
  EXPECT_EQ(heard, std::vector<std::uint64_t>{77});
  EXPECT_EQ(file->story(), "asked 1, told 1");
  tell(questions[0].asker, told);
  EXPECT_EQ(heard.size(), 1u) << "one answer for each";
}

TEST_F(store_recorders, it_listens_beside_those_who_do_and_as_long) {
  EXPECT_EQ(watchers, 1) << "itself";
  const store_listener one = system().spawn([]() -> store_listener::behavior_type {
    return {[](const store_turned&) {}, [](const store_heard&) {}};
  });
  tell(recorder, listen_to_store{{"news"}, one});
  ASSERT_EQ(listens.size(), 2u);
  tell(listens[0].who, store_heard{"news", "said"});
  ASSERT_EQ(file->lines.size(), 1u);
  EXPECT_EQ(file->nth(0).at("e").as_string(), "heard");
  tell(recorder, listen_to_store{{"news"}, one});
  EXPECT_EQ(listens.size(), 3u) << "it does already";
  tell(recorder, unlisten_store{{"news"}, one});
  EXPECT_EQ(unlistens.size(), 2u) << "nobody else listens";
}

// --- EGRESS --------------------------------------------------------------------------------------

TEST_F(egress_recorders, askers_get_their_own_ids_back_whoever_else_has_them) {
  std::vector<std::string> first, second;
  const auto a = asker(first), b = asker(second);
  start(a, 7, "one");
  start(b, 7, "two");
  ASSERT_EQ(door.started.size(), 2u);
  EXPECT_EQ(door.started[0].what->id, 1u);
  EXPECT_EQ(door.started[1].what->id, 2u);
  EXPECT_EQ(door.started[0].asker, door.started[1].asker);
  tell(door.started[1].asker, said(2));
  tell(door.started[1].asker, done(2));
  tell(door.started[0].asker, done(1));
  EXPECT_EQ(first, (std::vector<std::string>{"fetched 7"}));
  EXPECT_EQ(second, (std::vector<std::string>{"streamed 7", "fetched 7"}));
  EXPECT_EQ(file->story(), "fetch 1, fetch 2, streamed 2, fetched 2, fetched 1");
  const auto o = file->nth(0);
  EXPECT_EQ(o.at("u").to_number<int>(), 3);
  EXPECT_EQ(o.at("body").as_string(), "one");
  for (const auto secret : {"opaque-credential", "its-session", "t0ken"})
    EXPECT_EQ(file->lines[0].find(secret), std::string::npos) << secret;
  EXPECT_EQ(o.at("headers").as_array().size(), 3u);
}

TEST_F(egress_recorders, a_fetch_names_the_request_that_it_is_for) {
  std::vector<std::string> heard;
  auto f = std::make_shared<fetch>();
  f->to = std::make_shared<const destination>(destination{.url = *http::parse_url("http://h:1/")});
  f->request = 12;
  tell(recorder, start_fetch{f, asker(heard)});
  start(asker(heard), 2);
  EXPECT_EQ(file->nth(0).at("request").to_number<int>(), 12);
  EXPECT_EQ(file->nth(1).if_contains("request"), nullptr);
}

TEST_F(egress_recorders, what_was_abandoned_is_heard_of_no_more) {
  std::vector<std::string> heard;
  const auto a = asker(heard);
  start(a, 7);
  tell(recorder, abandon_fetch{7, a});
  tell(recorder, abandon_fetch{7, a});
  EXPECT_EQ(door.abandoned, (std::vector<std::uint64_t>{1}));
  tell(door.started[0].asker, done(1));
  EXPECT_TRUE(heard.empty());
  EXPECT_EQ(file->story(), "fetch 1, abandoned 1");
  // The id may be used again.
  start(a, 7);
  tell(door.started[1].asker, done(2));
  EXPECT_EQ(heard, (std::vector<std::string>{"fetched 7"}));
}

TEST_F(egress_recorders, fetches_of_an_asker_that_died_are_abandoned) {
  std::vector<std::string> first, second;
  const auto a = asker(first), b = asker(second);
  start(a, 1);
  start(a, 2);
  start(b, 1);
  tell(door.started[1].asker, done(2));
  crash(a);
  EXPECT_EQ(door.abandoned, (std::vector<std::uint64_t>{1}));
  tell(door.started[2].asker, done(3));
  EXPECT_EQ(second, (std::vector<std::string>{"fetched 1"}));
  EXPECT_EQ(file->story(), "fetch 1, fetch 2, fetch 3, fetched 2, abandoned 1, fetched 3");
}

TEST_F(egress_recorders, once_the_recording_is_over_all_goes_on) {
  std::vector<std::string> heard;
  file->ended = true;
  start(asker(heard), 5);
  tell(door.started[0].asker, done(1));
  EXPECT_EQ(heard, (std::vector<std::string>{"fetched 5"}));
  EXPECT_TRUE(file->lines.empty());
}

TEST_F(egress_recorders, a_secret_that_was_read_meanwhile_is_known) {
  std::vector<std::string> heard;
  const auto a = asker(heard);
  start(a, 1, "it is sesame-open");
  secrets->add("sesame-open");
  start(a, 2, "it is sesame-open");
  EXPECT_NE(file->lines[0].find("sesame-open"), std::string::npos);
  EXPECT_EQ(file->lines[1].find("sesame-open"), std::string::npos);
}

// --- INGRESS -------------------------------------------------------------------------------------

TEST_F(ingress_recorders, a_request_and_its_answer) {
  tell(recorder, serve{router()});
  const auto to = arrive();
  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_EQ(arrived[0]->number(), 7u);
  arrived[0]->respond({200, "application/json", "Mcp-Session-Id: its-session\r\n", true},
                      {"{\"a\":", "1}"});
  arrived.clear();
  EXPECT_EQ(to->body, "{\"a\":1}");
  EXPECT_EQ(to->header("mcp-session-id"), "its-session");
  EXPECT_EQ(file->story(), "request 7, answer 7");
  EXPECT_EQ(file->nth(0).at("peer").as_string(), "10.0.0.1");
  EXPECT_EQ(file->nth(0).at("token").at("secret").as_string().subview(0, 7), "secret:");
  EXPECT_EQ(file->nth(1).at("body").as_string(), "{\"a\":1}");
  EXPECT_TRUE(file->nth(1).at("close").as_bool());
  for (const auto& l : file->lines) {
    EXPECT_EQ(l.find("its-session"), std::string::npos);
    EXPECT_EQ(l.find("opaque-credential"), std::string::npos);
  }
}

/// Whatever the client says that it is.
TEST_F(ingress_recorders, what_comes_to_the_token_endpoint_has_no_secrets_in_any_media_type) {
  tell(recorder, serve{router()});
  const auto basic = "Authorization: Basic " + base64_encode("client:s3cr3t-0");
  const std::pair<std::string, std::string> sent[] = {
      {"application/x-www-form-urlencoded", "client_secret=s3cr3t-1&scope=a"},
      {"text/plain", "client_secret=s3cr3t-2&scope=a"},
      {"application/json", R"({"client_secret":"s3cr3t-3","scope":"a"})"},
      {"application/json", R"({"client_secret":"s3cr3t-4)"},
  };
  for (const auto& [type, body] : sent)
    arrive(make_request(verb::post, "/oauth/token?x", {"Content-Type: " + type, basic}, body));
  arrive(make_request(verb::post, "/oauth/token", {basic}, "assertion=s3cr3t-5"));
  arrived.clear();
  std::string all;
  for (const auto& l : file->lines) all += l;
  for (int n = 0; n < 6; ++n)
    EXPECT_EQ(all.find("s3cr3t-" + std::to_string(n)), all.npos) << n << all;
  EXPECT_NE(all.find("scope"), all.npos);
  EXPECT_NE(all.find("client:secret:"), all.npos);
}

/// There the name may be a token.
TEST_F(ingress_recorders, names_of_clients_are_those_of_the_token_endpoint_only) {
  tell(recorder, serve{router()});
  arrive(make_request(verb::post, "/mcp",
                      {"Content-Type: application/x-www-form-urlencoded",
                       "Authorization: Basic " + base64_encode("a-token-0:x-oauth-basic")},
                      "a=b"));
  arrived.clear();
  EXPECT_EQ(file->lines.at(0).find("a-token-0"), std::string::npos) << file->lines.at(0);
}

TEST_F(ingress_recorders, streams_are_recorded_as_they_are_sent) {
  tell(recorder, serve{router()});
  const auto to = arrive();
  arrived[0]->open_stream("X: y\r\n");
  EXPECT_TRUE(arrived[0]->send("data: 1\n\n"));
  to->queued = 5;
  EXPECT_EQ(arrived[0]->queued(), 5u);
  arrived[0]->end_stream();
  arrived.clear();
  EXPECT_EQ(to->stream, "data: 1\n\n");
  EXPECT_TRUE(to->stream_ended);
  EXPECT_EQ(file->story(), "request 7, stream 7, sent 7, ended 7");
}

TEST_F(ingress_recorders, dropped_gone_and_bodies_that_follow) {
  tell(recorder, serve{router()});
  const auto dropped = arrive();
  arrived.clear();
  EXPECT_TRUE(dropped->dropped);
  const auto gone = arrive();
  gone->alive = false;
  tell(served, client_gone{8});
  arrived[0]->respond({200, {}, {}, false}, {});
  arrived.clear();
  auto late = make_request(verb::post, "/mcp", {"Content-Length: 4"});
  late.body_follows = true;
  const auto follows = arrive(std::move(late));
  EXPECT_TRUE(arrived[0]->read_body(true));
  follows->unread->body = "late";
  tell(served, body_read{9});
  arrived[0]->respond({200, {}, {}, false}, {});
  EXPECT_EQ(said, "gone 8 body 9 ");
  EXPECT_EQ(file->story(), "request 7, dropped 7, request 8, gone 8, request 9, body 9, answer 9");
  EXPECT_TRUE(file->nth(4).at("follows").as_bool());
  EXPECT_EQ(file->nth(5).at("body").as_string(), "late");
}

TEST_F(ingress_recorders, while_no_router_serves_clients_are_told_to_come_back) {
  const auto first = router();
  tell(recorder, serve{first});
  crash(first);
  const auto to = arrive();
  EXPECT_EQ(to->status, 503);
  EXPECT_EQ(to->header("retry-after"), "1");
  EXPECT_EQ(file->story(), "request 7, answer 7");
  tell(recorder, serve{router()});
  arrive();
  EXPECT_EQ(arrived.size(), 1u);
}

TEST_F(ingress_recorders, a_request_that_moves_is_not_dropped) {
  tell(recorder, serve{router()});
  const auto to = arrive();
  to->move = [](std::uint8_t, http_request&&) { return true; };
  EXPECT_TRUE(arrived[0]->move_to(2, {}));
  arrived.clear();
  EXPECT_EQ(file->story(), "request 7, moved 7");
  EXPECT_EQ(file->nth(1).at("to").to_number<int>(), 2);
}

TEST_F(ingress_recorders, drain_and_cut_reach_ingress) {
  EXPECT_TRUE(ask<drained>(recorder, drain{}).done());
  tell(recorder, cut{});
  EXPECT_EQ(said, "drain cut ");
}

// --- ROUTER --------------------------------------------------------------------------------------

TEST_F(recorders, audit_events_name_their_request_and_have_no_secrets) {
  secrets->add("sesame-open");
  const router_recorder_handle it = system().spawn<router_recorder_actor>(nullptr, where);
  auto e = std::make_shared<audit::event>();
  e->method = "tools/call";
  e->name = "open sesame-open";
  e->request = 12;
  tell(it, audit_record{e});
  ASSERT_EQ(file->story(), "audit 0");
  EXPECT_EQ(file->nth(0).at("request").to_number<int>(), 12);
  EXPECT_EQ(file->nth(0).at("line").at("method").as_string(), "tools/call");
  EXPECT_EQ(file->lines[0].find("sesame-open"), std::string::npos);
  hand_over(it, audit_record{e});
  EXPECT_EQ(file->story(), "audit 0, audit 0") << "at once";
  const auto done = std::make_shared<std::promise<void>>();
  auto written = done->get_future();
  tell(it, catch_up{done});
  EXPECT_EQ(written.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  clear_stage();
}

TEST_F(recorders, units_that_do_not_catch_up_are_waited_for_together) {
  std::vector<router_recorder_handle> all;
  for (int i = 0; i < 3; ++i) all.push_back(system().spawn<router_recorder_actor>(nullptr, where));
  // Nobody has had a turn: at a moment that is over, none is waited for.
  EXPECT_EQ(catch_up_all(all, std::chrono::steady_clock::time_point{}), 3U);
  settle();  // and who answers too late answers nobody
  EXPECT_EQ(catch_up_all({}, std::chrono::steady_clock::time_point{}), 0U);
  clear_stage();
}

TEST_F(recorders, where_a_unit_takes_a_configuration_over_is_written_down) {
  const router_recorder_handle it = system().spawn<router_recorder_actor>(nullptr, where);
  const auto first = std::make_shared<const gate::config::snapshot>();
  const auto second = std::make_shared<const gate::config::snapshot>();
  const auto update = [&](const snapshot_ptr& s) {
    tell(it, before_router{{}, federation_update{s, {}}});
  };
  update(first);  // what its ROUTER begins with
  tell(it, before_router{{}, replaced<upstream_handle>{{}, 0}});
  EXPECT_EQ(file->story(), "");
  update(second);
  update(second);  // to the successor of one that crashed
  EXPECT_EQ(file->story(), "adopted 0");
  EXPECT_EQ(file->nth(0).at("u").to_number<int>(), 3);
  clear_stage();
}

TEST_F(recorders, what_the_operator_wants_is_handed_on) {
  std::string said;
  const watcher_handle to = system().spawn([&said]() -> watcher_handle::behavior_type {
    return {[&said](stop_requested) { said += "stop "; },
            [&said](reload_requested) { said += "reload "; }};
  });
  const watcher_handle it = system().spawn<watch_recorder_actor>(nullptr, to, where);
  tell(it, reload_requested{});
  tell(it, stop_requested{});
  EXPECT_EQ(said, "reload stop ");
  EXPECT_EQ(file->story(), "reload 0, stop 0");
  clear_stage();
}

}  // namespace
}  // namespace gate::recording
