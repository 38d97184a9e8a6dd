// Upstreams whose lists come over each client's own session (`listsPerClient`).
#include <algorithm>

#include "protocol/limits.hpp"
#include "tests/actors/gateway/lists/lists_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr auto roots_list = R"({"jsonrpc":"2.0","id":"r","method":"roots/list"})";
using events = std::vector<std::string>;

constexpr std::string_view per_client = R"({"upstreams":[
  {"id":"a","url":"http://a.test/mcp","namespace":"a","listsPerClient":true},
  {"id":"b","url":"http://b.test/mcp","namespace":"b"}]})";
constexpr std::string_view limited = R"({"upstreams":[
  {"id":"a","url":"http://a.test/mcp","namespace":"a","listsPerClient":true,
   "rateLimit":{"requestsPerMinute":100}}]})";

struct client_lists : ::testing::Test {
  std::unique_ptr<world> it;
  std::vector<std::unique_ptr<client>> clients;

  /// `a` shows each session a tool that has its name.
  fake_upstream& begin(std::string_view config = per_client, bool met = true) {
    it = std::make_unique<world>(world_options{.config = std::string(config), .met = met});
    auto& a = it->upstream("a");
    if (config != limited) it->upstream("b").tools = {};
    a.always("tools/list", [](const sight& s) {
      return reply::result(R"({"tools":[{"name":")" + s.session + R"("}]})");
    });
    return a;
  }
  client& visitor(std::string_view capabilities = "{}") {
    auto& c = *clients.emplace_back(std::make_unique<client>(*it));
    c.capabilities = capabilities;
    return c.initialize();
  }
  static std::string tools(client& c) { return at(c.list("9")->last(), "result", "tools"); }
  static std::string only(std::string_view session) {
    return R"([{"name":"a__)" + std::string(session) + R"("}])";
  }
  static bool sees_its_own(client& c, fake_upstream& a) {
    const auto seen = tools(c);
    return seen == only(a.last("tools/list")->session);
  }
  sight_ptr stream_of(fake_upstream& u, std::string_view session) {
    for (const auto& s : u.under_way("GET"))
      if (s->session == session) return s;
    return nullptr;
  }
};

TEST_F(client_lists, need_no_session_beside_that_of_the_client) {
  auto& a = begin();
  auto& c = visitor();
  tools(c);
  c.call("1", "a__x");
  c.request("2", "resources/list");
  tools(c);
  EXPECT_EQ(a.count("initialize"), 1U);
  EXPECT_EQ(a.count("tools/list"), 1U) << "they are kept";
  c.call("3", "b__x");
  EXPECT_EQ(it->upstream("b").count("initialize"), 2U) << "as everywhere else";
}

TEST_F(client_lists, not_even_for_the_first_client_that_comes) {
  auto& a = begin(per_client, false);
  auto& c = visitor();
  EXPECT_EQ(a.count("initialize"), 1U) << "it has introduced itself";
  tools(c);
  c.call("1", "a__x");
  EXPECT_EQ(a.count("initialize"), 1U);
  EXPECT_EQ(a.open_sessions(), 1U);
  c.end();
  it->advance(60s);
  EXPECT_EQ(a.open_sessions(), 0U);
  EXPECT_EQ(a.count("initialize"), 1U);
}

TEST_F(client_lists, are_what_the_client_s_own_session_shows) {
  auto& a = begin();
  auto &c = visitor(), &d = visitor();
  const auto mine = tools(c);
  const auto one = a.last("tools/list")->session;
  const auto theirs = tools(d);
  const auto other = a.last("tools/list")->session;
  EXPECT_NE(one, other);
  EXPECT_EQ(mine, only(one));
  EXPECT_EQ(theirs, only(other));
  EXPECT_EQ(tools(c), mine);
  EXPECT_EQ(a.open_sessions(), 2U);
}

TEST_F(client_lists, changes_are_told_to_the_client_whose_session_heard_of_them) {
  auto& a = begin();
  auto &c = visitor(), &d = visitor();
  const auto mine = c.get(), theirs = d.get();
  tools(c);
  const auto session = a.last("tools/list")->session;
  tools(d);
  ASSERT_TRUE(stream_of(a, session));
  fake_upstream::push(stream_of(a, session), changed);
  it->settle();
  it->advance(1s);
  EXPECT_EQ(mine->events(), events{changed});
  EXPECT_TRUE(theirs->events().empty());
  const auto before = a.count("tools/list");
  tools(d);
  EXPECT_EQ(a.count("tools/list"), before);
  tools(c);
  EXPECT_EQ(a.count("tools/list"), before + 1);
  EXPECT_EQ(a.last("tools/list")->session, session);
  it->advance(5s);
  tools(c);
  EXPECT_EQ(a.count("initialize"), 2U);
}

TEST_F(client_lists, a_session_that_nobody_uses_ends_and_comes_again) {
  auto& a = begin();
  auto& c = visitor();
  tools(c);
  it->advance(301s);
  EXPECT_EQ(a.open_sessions(), 0U);
  EXPECT_EQ(a.count("initialize"), 1U) << "and no other takes its place";
  tools(c);
  EXPECT_EQ(a.count("initialize"), 2U);
  EXPECT_EQ(a.open_sessions(), 1U);
}

TEST_F(client_lists, a_session_stays_while_its_client_listens_for_changes) {
  auto& a = begin();
  auto& c = visitor();
  const auto mine = c.get();
  tools(c);
  it->advance(1200s);
  EXPECT_EQ(a.open_sessions(), 1U);
  EXPECT_EQ(a.count("initialize"), 1U);
}

TEST_F(client_lists, a_session_that_the_server_forgot_is_opened_again) {
  auto& a = begin();
  auto& c = visitor();
  tools(c);
  a.forget_sessions();
  a.next("tools/list", reply::http(404));
  it->advance(31s);
  tools(c);
  EXPECT_TRUE(sees_its_own(c, a));
  EXPECT_EQ(a.count("initialize"), 2U);
}

TEST_F(client_lists, nobody_is_looked_for_in_the_name_of_a_client_that_can_not_be_told) {
  auto& a = begin();
  a.always("initialize", reply::failure(fetch_end::connect_failed, true));
  auto& c = visitor();
  tools(c);
  const auto tried = a.count("initialize");
  it->advance(60s);
  EXPECT_EQ(a.count("initialize"), tried);
  const auto mine = c.get();
  a.behave("initialize");
  it->advance(60s);
  EXPECT_EQ(mine->events(), events{changed});
  EXPECT_TRUE(sees_its_own(c, a));
}

TEST_F(client_lists, a_list_that_waits_opens_nothing_for_a_client_that_is_gone) {
  auto& a = begin(limited);
  auto& c = visitor();
  it->hold(true);
  c.list("1");
  c.end();
  it->hold(false);
  it->settle();
  it->advance(60s);
  EXPECT_EQ(a.open_sessions(), 0U);
}

TEST_F(client_lists, the_server_has_the_first_word_when_the_client_begins_to_listen) {
  auto& a = begin(per_client, false);
  auto& c = visitor(R"({"roots":{}})");
  EXPECT_EQ(a.count("GET"), 0U);
  const auto own = c.get();
  ASSERT_EQ(a.count("GET"), 1U) << "now that the client listens";
  fake_upstream::push(a.last("GET"), roots_list);
  const auto r = c.call("1", "a__x");
  it->advance(1s);
  EXPECT_EQ(a.count("tools/call"), 0U);
  c.post(R"({"jsonrpc":"2.0","id":)" + at(own->last(), "id") + R"(,"result":{"roots":[]}})");
  it->settle();
  EXPECT_EQ(a.count("tools/call"), 1U);
  EXPECT_EQ(at(r->last(), "id"), "1");
}

TEST_F(client_lists, an_option_that_comes_and_goes_is_told) {
  auto& a = begin(two_upstreams);
  auto& c = visitor();
  const auto mine = c.get();
  const auto roots = tools(c);
  ASSERT_TRUE(it->reload(per_client).get().problems.empty());
  it->advance(2s);
  EXPECT_EQ(std::ranges::count(mine->events(), std::string(changed)), 1);
  EXPECT_TRUE(sees_its_own(c, a));
  c.call("1", "a__x");
  EXPECT_EQ(a.last("tools/call")->session, a.last("tools/list")->session);
  it->advance(400s);
  EXPECT_EQ(a.open_sessions(), 1U) << "what was opened to compare has ended";
  ASSERT_TRUE(it->reload(two_upstreams).get().problems.empty());
  it->advance(2s);
  tools(c);
  c.call("2", "a__x");
  EXPECT_NE(a.last("tools/call")->session, a.last("tools/list")->session);
}

TEST_F(client_lists, a_reload_opens_nothing_for_clients_that_can_not_be_told) {
  auto& a = begin();
  auto &c = visitor(), &d = visitor();
  const auto mine = c.get();
  tools(c);
  tools(d);
  constexpr std::string_view other = R"({"upstreams":[
    {"id":"a","url":"http://a.test/mcp","namespace":"a","listsPerClient":true,
     "timeouts":{"requestMs":50000}}]})";
  ASSERT_TRUE(it->reload(other).get().problems.empty());
  it->advance(60s);
  EXPECT_EQ(a.count("initialize"), 3U) << "for the client that listens";
  EXPECT_EQ(mine->events().size(), 1U);
  EXPECT_TRUE(sees_its_own(d, a));
  EXPECT_EQ(a.open_sessions(), 2U);
}

TEST_F(client_lists, whoever_dies_with_a_list_is_not_waited_for) {
  auto& a = begin();
  auto& c = visitor();
  a.next("tools/list", reply::silence());
  const auto r = c.list("1");
  EXPECT_FALSE(r->done());
  it->crash(it->cast("bridged session").at(0));
  it->settle();
  EXPECT_TRUE(r->done());
  it->advance(2s);
  EXPECT_TRUE(sees_its_own(c, a));
}

TEST_F(client_lists, whoever_dies_before_it_has_introduced_itself_is_asked_again) {
  auto& a = begin(per_client, false);
  a.next("initialize", reply::silence());
  auto& c = *clients.emplace_back(std::make_unique<client>(*it));
  const auto r =
      c.request("0", "initialize", R"({"protocolVersion":"2025-11-25","capabilities":{}})");
  EXPECT_FALSE(r->done());
  it->crash(it->cast("bridged session").at(0));
  it->settle();
  EXPECT_TRUE(r->done());
  it->advance(2s);
  visitor();
  EXPECT_EQ(a.count("initialize"), 2U);
}

TEST_F(client_lists, health_asks_over_a_session_that_does_not_stay) {
  auto& a = begin();
  const auto health = [this] {
    it->arrive(make_request(verb::get, "/health", {"Host: localhost"}));
  };
  health();
  EXPECT_EQ(a.open_sessions(), 1U);
  it->advance(301s);
  EXPECT_EQ(a.open_sessions(), 0U);
}

TEST_F(client_lists, beyond_the_bound_are_those_of_the_root_session) {
  auto& a = begin();
  for (std::size_t i = 0; i < limits::own_lists; ++i) tools(visitor());
  const auto before = a.count("initialize");
  auto &c = visitor(), &d = visitor();
  const auto mine = tools(c);
  EXPECT_EQ(tools(d), mine);
  EXPECT_EQ(a.count("initialize"), before + 1);
  clients.front()->end();
  tools(c);
  EXPECT_EQ(a.count("initialize"), before + 2) << "there is room for one more";
}

TEST_F(client_lists, need_no_place_before_they_are_asked_for) {
  auto& a = begin();
  for (std::size_t i = 0; i < limits::own_lists; ++i) visitor().get();
  auto &c = visitor(), &d = visitor();
  EXPECT_NE(tools(c), tools(d));
  EXPECT_EQ(a.count("initialize"), 2U);
}

TEST_F(client_lists, changes_are_told_to_a_client_that_has_called_but_not_listed) {
  auto& a = begin();
  auto& c = visitor();
  const auto mine = c.get();
  c.call("1", "a__x");
  fake_upstream::push(stream_of(a, a.last("tools/call")->session), changed);
  it->advance(1s);
  EXPECT_EQ(mine->events(), events{changed});
  auto& b = it->upstream("b");
  auto& d = visitor();
  const auto theirs = d.get();
  c.list("2");
  b.announce(changed);
  it->advance(1s);
  EXPECT_EQ(theirs->events(), events{changed});
}

TEST_F(client_lists, places_of_those_who_do_not_listen_are_free_after_a_while) {
  begin();
  for (std::size_t i = 0; i < limits::own_lists; ++i) tools(visitor());
  auto &c = visitor(), &d = visitor();
  EXPECT_EQ(tools(c), tools(d)) << "everybody's";
  it->advance(400s);
  EXPECT_NE(tools(c), tools(d));
}

TEST_F(client_lists, a_root_session_that_ends_leaves_those_in_doubt_who_lean_on_it) {
  auto& a = begin();
  for (std::size_t i = 0; i < limits::own_lists; ++i) {
    auto& v = visitor();
    v.get();
    tools(v);
  }
  auto& c = visitor();
  const auto mine = c.get();
  tools(c);
  it->advance(1s);
  const auto before = mine->events().size();
  it->advance(301s);
  EXPECT_EQ(mine->events().size(), before + 1) << "it would not hear of a change";
  const auto asked = a.count("initialize");
  it->advance(1200s);
  EXPECT_EQ(mine->events().size(), before + 1);
  EXPECT_EQ(a.count("initialize"), asked) << "nobody has asked since";
}

TEST_F(client_lists, are_not_touched_by_what_a_root_session_hears) {
  auto& a = begin();
  auto& c = visitor();
  const auto mine = c.get();
  tools(c);
  const auto own = a.last("tools/list")->session;
  it->arrive(make_request(verb::get, "/health", {"Host: localhost"}));
  const auto asked = a.count("tools/list");
  for (const auto& s : a.under_way("GET"))
    if (s->session != own) fake_upstream::push(s, changed);
  it->advance(31s);
  EXPECT_TRUE(mine->events().empty());
  EXPECT_EQ(a.count("tools/list"), asked);
  for (const auto& s : a.under_way("GET"))
    if (s->session != own) fake_upstream::close(s, fetch_end::broken);
  it->advance(2s);
  EXPECT_TRUE(mine->events().empty());
  EXPECT_EQ(a.count("tools/list"), asked);
}

TEST_F(client_lists, a_read_that_waited_for_everybodys_looks_at_its_own_once_there_is_a_place) {
  auto& a = begin();
  for (std::size_t i = 0; i < limits::own_lists; ++i) tools(visitor());
  auto& c = visitor();
  std::string root;
  a.always("resources/list", [&](const sight& s) {
    if (root.empty()) root = s.session;
    return s.session == root ? reply::result(R"({"resources":[]})", 1s)
                             : reply::result(R"({"resources":[{"uri":"x://own"}]})");
  });
  a.always("resources/read", reply::result(R"({"contents":[]})"));
  auto r = c.request("1", "resources/read", R"({"uri":"x://own"})");
  EXPECT_FALSE(r->done());
  clients.front()->end();
  it->advance(3s);
  EXPECT_EQ(at(r->last(), "result"), R"({"contents":[]})");
}

}  // namespace
}  // namespace gate
