// What each call has is written down where it is sent, and nothing is overtaken.
#include "tests/actors/recording/recorders.hpp"
#include "transport/parcel.hpp"

namespace gate::recording {
namespace {

using namespace testing;

TEST_F(egress_recorders, what_each_call_has_is_written_down_where_it_is_sent) {
  std::vector<std::string> heard;
  const auto a = asker(heard);
  settle();
  auto f = std::make_shared<fetch>();
  f->id = 7;
  f->to = std::make_shared<const destination>(destination{.url = *http::parse_url("http://h:1/")});
  hand_over(recorder, start_fetch{f, a});
  EXPECT_EQ(file->story(), "fetch 1");
  settle();
  const auto back = door.started.at(0).asker;
  hand_over(back, said(1));
  hand_over(back, done(1));
  EXPECT_EQ(file->story(), "fetch 1, streamed 1, fetched 1");
  EXPECT_TRUE(heard.empty()) << "its turn comes later";
  hand_over(back, done(1));
  settle();
  EXPECT_EQ(heard, (std::vector<std::string>{"streamed 7", "fetched 7"}));
  // What waits for its turn is not overtaken.
  caf::anon_send(recorder, abandon_fetch{7, a});
  hand_over(recorder, start_fetch{f, a});
  EXPECT_EQ(file->lines.size(), 3U);
  settle();
  EXPECT_EQ(file->story(), "fetch 1, streamed 1, fetched 1, fetch 2");
}

TEST_F(ingress_recorders, a_request_is_written_down_where_it_arrives) {
  tell(recorder, serve{router()});
  const auto come = [this] {
    const auto to = std::make_shared<receipt>();
    to->number = ++last;
    hand_over(served, arrival{std::make_shared<fake_exchange>(
                          to, make_request(verb::post, "/mcp", {}, "{}"))});
  };
  come();
  EXPECT_EQ(file->story(), "request 7");
  EXPECT_TRUE(arrived.empty()) << "the turn of its router comes later";
  settle();
  ASSERT_EQ(arrived.size(), 1U);
  arrived[0]->respond({200, {}, {}, false}, {});
  arrived.clear();
  EXPECT_EQ(file->story(), "request 7, answer 7");
  // What waits for its turn is not overtaken.
  caf::anon_send(served, client_gone{7});
  come();
  EXPECT_EQ(file->lines.size(), 2U);
  settle();
  EXPECT_EQ(file->story(), "request 7, answer 7, gone 7, request 8");
  arrived.clear();
}

}  // namespace
}  // namespace gate::recording
