// How gate-discovery keeps up with a cluster: every row of the table of list_watch.hpp.
#include "actors/kubernetes/list_watch.hpp"

#include <gtest/gtest.h>

#include "tests/actors/kubernetes/support.hpp"

namespace gate::kubernetes {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

const std::string first_page = "/api/v1/services?limit=200";
std::string watch_from(std::string_view version) {
  return "/api/v1/"
         "services?watch=true&allowWatchBookmarks=true&timeoutSeconds=240&resourceVersion=" +
         std::string(version);
}

struct kubernetes_list_watch : ::testing::Test {
  list_watch::time_point now{1h};
  double drawn = 1;
  list_watch core{{}, [this] { return drawn; }};

  step head(int status, std::optional<std::chrono::seconds> retry = {}) {
    return core.on_began({0, status, retry}, now);
  }
  step end(follow_end how = follow_end::complete) {
    return core.on_ended({0, how, how == follow_end::complete ? "" : "cut"}, now);
  }
  /// A whole answer.
  step answer(int status, std::string_view body) {
    head(status);
    core.on_said(body);
    return end();
  }
  /// All are listed, and the watch has begun.
  step begin_watch(std::string_view items = {}) {
    core.begin();
    auto out = answer(200, page_of(items));
    head(200);
    return out;
  }
  static void expect_pause(const step& s, milliseconds so_long) {
    EXPECT_FALSE(s.ask);
    ASSERT_TRUE(s.wait);
    EXPECT_EQ(*s.wait, so_long);
    EXPECT_NE(s.trouble, "");
  }
};

TEST_F(kubernetes_list_watch, lists_page_by_page_and_watches_from_there) {
  auto s = core.begin();
  EXPECT_EQ(s.ask, first_page);
  EXPECT_EQ(s.until, limits::cluster_connect + limits::cluster_answer);
  auto a = drawn_service{}, b = a;
  b.name = "other";
  s = answer(200, page_of(a.json(), "t/1"));
  EXPECT_EQ(s.ask, first_page + "&continue=t%2F1");
  EXPECT_FALSE(s.all) << "it is not complete";
  s = answer(200, page_of(b.json(), "", "31"));
  ASSERT_TRUE(s.all);
  ASSERT_EQ(s.all->size(), 2U);
  EXPECT_EQ(s.ask, watch_from("31"));
  EXPECT_FALSE(s.in_touch);
  s = head(200);
  EXPECT_TRUE(s.in_touch);
  EXPECT_EQ(s.until, limits::cluster_watch + limits::cluster_watch_grace);
}

TEST_F(kubernetes_list_watch, events_in_whatever_pieces) {
  auto a = drawn_service{}, b = a;
  a.version = "101";
  b.name = "other";
  b.version = "102";
  const auto text = event_of("ADDED", a.json()) + event_of("DELETED", b.json()) + reached("103");
  for (std::size_t size = 1; size < text.size(); size += 7) {
    begin_watch();
    std::vector<change> seen;
    for (std::size_t at = 0; at < text.size(); at += size) {
      auto s = core.on_said(std::string_view(text).substr(at, size));
      EXPECT_FALSE(s.ask || s.wait || s.drop);
      for (auto& c : s.changes) seen.push_back(std::move(c));
    }
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_FALSE(seen[0].gone);
    EXPECT_EQ(seen[0].what.name, "notes");
    EXPECT_TRUE(seen[1].gone);
    EXPECT_EQ(seen[1].what.name, "other");
    now += limits::cluster_well;
    EXPECT_EQ(end().ask, watch_from("103")) << "the mark tells where to go on";
    core = list_watch({}, [this] { return drawn; });
  }
}

TEST_F(kubernetes_list_watch, a_watch_that_ends_well_goes_on_at_once) {
  begin_watch();
  now += limits::cluster_well;
  const auto s = end();
  EXPECT_EQ(s.ask, watch_from("100"));
  EXPECT_EQ(s.trouble, "");
}

TEST_F(kubernetes_list_watch, one_that_ends_at_once_waits) {
  begin_watch();
  expect_pause(end(), limits::cluster_first_pause);
  EXPECT_EQ(core.on_waited().ask, watch_from("100"));
}

TEST_F(kubernetes_list_watch, a_line_that_is_cut_comes_again) {
  begin_watch();
  auto a = drawn_service{};
  a.version = "101";
  const auto whole = event_of("ADDED", a.json());
  core.on_said(whole);
  a.version = "102";
  core.on_said(std::string_view(event_of("MODIFIED", a.json())).substr(0, 50));
  now += limits::cluster_well;
  expect_pause(end(follow_end::broken), limits::cluster_first_pause);
  EXPECT_EQ(core.on_waited().ask, watch_from("101"));
  head(200);
  EXPECT_EQ(core.on_said(event_of("MODIFIED", a.json())).changes.size(), 1U)
      << "nothing of the half line is left";
}

TEST_F(kubernetes_list_watch, pauses_double_and_are_short_again_after_a_good_watch) {
  core.begin();
  milliseconds expected = limits::cluster_first_pause;
  for (int i = 0; i < 12; ++i) {
    expect_pause(end(follow_end::unreached), expected);
    EXPECT_EQ(core.on_waited().ask, first_page);
    expected = std::min<milliseconds>(expected * 2, limits::cluster_pause_most);
  }
  EXPECT_EQ(expected, limits::cluster_pause_most);
  answer(200, page_of(""));
  head(200);
  expect_pause(end(follow_end::broken), limits::cluster_pause_most);
  core.on_waited();
  head(200);
  now += limits::cluster_well;
  expect_pause(end(follow_end::broken), limits::cluster_first_pause);
}

TEST_F(kubernetes_list_watch, pauses_are_drawn) {
  core.begin();
  drawn = 0;
  expect_pause(end(follow_end::unreached), limits::cluster_first_pause / 2);
  drawn = 0.5;
  core.on_waited();
  expect_pause(end(follow_end::unreached), limits::cluster_first_pause * 3 / 2);
}

TEST_F(kubernetes_list_watch, retry_after_is_kept_to_within_bounds) {
  core.begin();
  head(429, 7s);
  expect_pause(end(), 7s);
  core.on_waited();
  head(503, 9999s);
  expect_pause(end(), limits::cluster_pause_most);
}

TEST_F(kubernetes_list_watch, gone_begins_anew) {
  begin_watch();
  auto s = core.on_said(event_of("ERROR", status_of(410, "Expired")));
  expect_pause(s, limits::cluster_first_pause);
  EXPECT_TRUE(s.anew && s.drop);
  EXPECT_EQ(core.on_waited().ask, first_page);
  // The same as an answer, of a watch and of a page.
  answer(200, page_of(""));
  s = answer(410, status_of(410, "Expired"));
  EXPECT_TRUE(s.anew);
  EXPECT_EQ(core.on_waited().ask, first_page);
  answer(200, page_of(drawn_service{}.json(), "next"));
  s = answer(410, status_of(410, "Expired"));
  EXPECT_TRUE(s.anew);
  EXPECT_EQ(core.on_waited().ask, first_page) << "from the first page on";
  s = answer(200, page_of(""));
  ASSERT_TRUE(s.all);
  EXPECT_TRUE(s.all->empty()) << "what was listed before it is forgotten";
}

TEST_F(kubernetes_list_watch, what_came_before_an_error_counts) {
  begin_watch();
  const auto s = core.on_said(event_of("ADDED", drawn_service{}.json()) +
                              event_of("ERROR", status_of(500, "InternalError")) +
                              event_of("DELETED", drawn_service{}.json()));
  ASSERT_EQ(s.changes.size(), 1U);
  EXPECT_FALSE(s.changes.front().gone);
  EXPECT_TRUE(s.anew);
  EXPECT_NE(s.trouble.find("told"), std::string::npos) << s.trouble;
}

TEST_F(kubernetes_list_watch, lines_that_are_no_events) {
  for (const std::string_view line : {"{}\n", "<html>\n", "{\"type\":\"ADDED\",\"object\":1}\n"}) {
    begin_watch();
    const auto s = core.on_said(line);
    EXPECT_TRUE(s.anew && s.drop && s.wait) << line;
    core = list_watch({}, [this] { return drawn; });
  }
}

TEST_F(kubernetes_list_watch, a_line_without_end) {
  begin_watch();
  const std::string piece(64 * 1024, 'x');
  step s;
  for (std::size_t n = 0; n <= limits::cluster_line_bytes; n += piece.size()) {
    EXPECT_FALSE(s.drop);
    s = core.on_said(piece);
  }
  EXPECT_TRUE(s.anew && s.drop && s.wait);
}

TEST_F(kubernetes_list_watch, a_page_that_is_too_long_is_asked_for_with_fewer) {
  core.begin();
  const std::string piece(1024 * 1024, ' ');
  std::size_t items = limits::cluster_page_items;
  for (; items > 1; items /= 2) {
    head(200);
    step s;
    for (std::size_t n = 0; n < limits::cluster_page_bytes; n += piece.size()) {
      s = core.on_said(piece);
      EXPECT_FALSE(s.drop);
    }
    s = core.on_said("x");
    EXPECT_TRUE(s.drop);
    EXPECT_EQ(s.ask, "/api/v1/services?limit=" + std::to_string(items / 2));
  }
  head(200);
  for (std::size_t n = 0; n < limits::cluster_page_bytes; n += piece.size()) core.on_said(piece);
  expect_pause(core.on_said("x"), limits::cluster_first_pause);
}

TEST_F(kubernetes_list_watch, refusals_say_what_to_do) {
  core.begin();
  EXPECT_NE(answer(401, "").trouble.find("token"), std::string::npos);
  core.on_waited();
  auto why = answer(403, status_of(403, "Forbidden")).trouble;
  EXPECT_NE(why.find("ClusterRole"), std::string::npos) << why;
  EXPECT_NE(why.find("\"list\" was refused"), std::string::npos) << why;
  core = list_watch({"", "tools", ""}, [] { return 1.0; });
  core.begin();
  why = answer(403, "").trouble;
  EXPECT_NE(why.find("Role in the namespace \"tools\""), std::string::npos) << why;
  core.on_waited();
  why = answer(500, status_of(500, "InternalError")).trouble;
  EXPECT_EQ(why, "the API server answers 500: told");
}

TEST_F(kubernetes_list_watch, a_watch_that_is_not_allowed_leaves_lists) {
  core.begin();
  auto pause = limits::cluster_first_pause;
  for (int round = 0; round < 9; ++round) {
    auto s = answer(200, page_of(drawn_service{}.json(), "", std::to_string(30 + round)));
    ASSERT_TRUE(s.all) << "what is known is that of now";
    EXPECT_EQ(s.ask, watch_from(std::to_string(30 + round))) << "perhaps it is allowed by now";
    s = answer(403, status_of(403, "Forbidden"));
    EXPECT_NE(s.trouble.find("\"watch\" was refused"), std::string::npos) << s.trouble;
    EXPECT_TRUE(s.unwatched && s.anew);
    EXPECT_FALSE(s.all || s.drop) << "nothing is forgotten";
    EXPECT_EQ(s.watch, cluster_outcome::refused);
    expect_pause(s, pause);
    pause = std::min<milliseconds>(pause * 2, limits::cluster_pause_most);
    EXPECT_EQ(core.on_waited().ask, first_page);
  }
  EXPECT_EQ(pause, limits::cluster_pause_most);
  // Lists are refused, too; then both are allowed.
  auto s = answer(403, "");
  EXPECT_NE(s.trouble.find("\"list\" was refused"), std::string::npos) << s.trouble;
  EXPECT_FALSE(s.unwatched || s.all);
  core.on_waited();
  EXPECT_TRUE(answer(200, page_of("")).all);
  EXPECT_TRUE(head(200).in_touch);
  now += limits::cluster_well;
  EXPECT_EQ(end().ask, watch_from("100"));
}

TEST_F(kubernetes_list_watch, a_watch_that_is_not_allowed_any_more) {
  begin_watch();
  core.on_said(reached("107"));
  now += limits::cluster_well;
  EXPECT_EQ(end().ask, watch_from("107"));
  const auto s = answer(403, "");
  EXPECT_TRUE(s.unwatched);
  expect_pause(s, limits::cluster_first_pause);
  EXPECT_EQ(core.on_waited().ask, first_page);
}

TEST_F(kubernetes_list_watch, how_each_question_ended) {
  using enum cluster_outcome;
  using ends = std::pair<std::optional<cluster_outcome>, std::optional<cluster_outcome>>;
  const auto of = [](const step& s) { return ends{s.list, s.watch}; };
  EXPECT_EQ(of(core.begin()), ends());
  EXPECT_EQ(of(end(follow_end::unreached)), ends(broken, {}));
  core.on_waited();
  EXPECT_EQ(of(core.on_late(now)), ends(late, {}));
  core.on_waited();
  EXPECT_EQ(of(answer(503, "")), ends(refused, {}));
  core.on_waited();
  EXPECT_EQ(of(answer(200, page_of("", "next"))), ends()) << "it goes on";
  EXPECT_EQ(of(answer(410, "")), ends(expired, {}));
  core.on_waited();
  EXPECT_EQ(of(answer(200, "<html>")), ends(unreadable, {}));
  core.on_waited();
  EXPECT_EQ(of(core.on_unasked("no token")), ends(broken, {}));
  core.on_waited();
  EXPECT_EQ(of(answer(200, page_of(""))), ends(complete, {}));
  EXPECT_EQ(of(head(200)), ends());
  EXPECT_EQ(of(core.on_said(reached("101"))), ends());
  now += limits::cluster_well;
  EXPECT_EQ(of(end()), ends({}, complete));
  EXPECT_EQ(of(end(follow_end::malformed)), ends({}, unreadable));
  core.on_waited();
  EXPECT_EQ(of(core.on_late(now)), ends({}, late));
  core.on_waited();
  EXPECT_EQ(of(answer(410, "")), ends({}, expired));
  for (const auto& [said, how] : {std::pair{event_of("ERROR", status_of(410, "Expired")), expired},
                                  {event_of("ERROR", status_of(500, "x")), refused},
                                  {std::string("{}\n"), unreadable}}) {
    core = list_watch({}, [this] { return drawn; });
    begin_watch();
    EXPECT_EQ(of(core.on_said(said)), ends({}, how)) << said;
  }
}

TEST_F(kubernetes_list_watch, a_refusal_without_end_is_not_read_to_it) {
  core.begin();
  head(500);
  const auto s = core.on_said(std::string(limits::cluster_refusal_bytes + 1, 'x'));
  EXPECT_TRUE(s.drop && s.wait);
  EXPECT_EQ(s.trouble, "the API server answers 500");
}

TEST_F(kubernetes_list_watch, what_a_peer_says_is_cut_for_the_log) {
  core.begin();
  const auto s = answer(500, R"({"message":")" + std::string(5000, 'm') + "\"}");
  EXPECT_LT(s.trouble.size(), 400U);
}

TEST_F(kubernetes_list_watch, no_answer_in_time) {
  core.begin();
  auto s = core.on_late(now);
  EXPECT_TRUE(s.drop);
  expect_pause(s, limits::cluster_first_pause);
  core.on_waited();
  answer(200, page_of(""));
  head(200);
  now += limits::cluster_watch + limits::cluster_watch_grace;
  s = core.on_late(now);
  EXPECT_TRUE(s.drop);
  expect_pause(s, limits::cluster_first_pause);
  EXPECT_EQ(core.on_waited().ask, watch_from("100"));
}

TEST_F(kubernetes_list_watch, what_can_not_be_asked_is_tried_again) {
  core.begin();
  const auto s = core.on_unasked("no token");
  EXPECT_EQ(s.trouble, "no token");
  expect_pause(s, limits::cluster_first_pause);
  EXPECT_EQ(core.on_waited().ask, first_page);
}

TEST_F(kubernetes_list_watch, pages_without_end) {
  core.begin();
  const auto page = page_of("", "again");
  for (std::size_t i = 1; i < limits::cluster_pages; ++i) ASSERT_TRUE(answer(200, page).ask);
  const auto s = answer(200, page);
  EXPECT_TRUE(s.anew);
  expect_pause(s, limits::cluster_first_pause);
}

TEST_F(kubernetes_list_watch, words_that_are_too_long_are_not_said_again) {
  const std::string word(limits::cluster_word_bytes + 1, '1');
  core.begin();
  EXPECT_TRUE(answer(200, page_of("", word)).wait);
  core.on_waited();
  EXPECT_TRUE(answer(200, page_of("", "", word)).wait);
  core.on_waited();
  EXPECT_TRUE(answer(200, page_of("")).ask);
  head(200);
  EXPECT_TRUE(core.on_said(reached(word)).anew);
}

TEST_F(kubernetes_list_watch, a_page_that_is_none) {
  core.begin();
  const auto s = answer(200, "<html>");
  EXPECT_TRUE(s.anew && s.wait);
  core.on_waited();
  head(200);
  core.on_said(page_of(""));
  expect_pause(end(follow_end::broken), limits::cluster_first_pause * 2);
}

}  // namespace
}  // namespace gate::kubernetes
