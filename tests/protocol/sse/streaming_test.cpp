#include "protocol/sse/streaming.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "protocol/limits.hpp"

namespace gate::sse {
namespace {

using namespace std::chrono_literals;
using outcome = resumption::outcome;

constexpr replay::time_point opened{std::chrono::hours(1000)};

struct client final : outlet {
  std::string head, bytes;
  bool open = false, there = true;
  int ends = 0;

  void open_stream(std::string_view headers) override {
    EXPECT_FALSE(std::exchange(open, true));
    head = headers;
  }
  bool send(std::string_view text) override {
    EXPECT_TRUE(open && ends == 0);
    bytes += text;
    return there;
  }
  std::size_t queued() const override { return 0; }
  void end_stream() override { EXPECT_EQ(ends++, 0); }
  bool alive() const override { return there; }
};

struct streams : ::testing::Test {
  replay kept{std::make_shared<replay_pool>()};
  client to;
  answer_stream it;

  std::string event(int number, std::string_view text) {
    return "event: message\nid: 1-" + std::to_string(number) + "\ndata: " + std::string(text) +
           "\n\n";
  }
};

TEST_F(streams, begin_once_with_a_place_to_resume_from) {
  EXPECT_FALSE(it.begun());
  it.begin(to, "X: y\r\n", &kept, true);
  it.begin(to, "Z: z\r\n", &kept, true);
  EXPECT_TRUE(it.begun() && it.attached());
  EXPECT_EQ(it.number(), 1U);
  EXPECT_EQ(to.head, "X: y\r\n");
  EXPECT_EQ(to.bytes, "id: 1-1\nretry: 1000\ndata: \n\n");
}

TEST_F(streams, keep_what_is_said_for_who_is_away) {
  it.begin(to, "", &kept, false);
  EXPECT_TRUE(it.say(to, kept, "1", opened));
  it.detach(to);
  EXPECT_TRUE(it.say(to, kept, "2", opened + 1s));
  EXPECT_EQ(it.last_write, opened + 1s);
  EXPECT_EQ(to.bytes, event(1, "1"));
  EXPECT_EQ(to.ends, 1);
  it.detach(to);
  it.end(to, kept);
  EXPECT_EQ(to.ends, 1) << "once";
  const auto back = resume(kept, "1-1");
  EXPECT_EQ(back.what, outcome::call);
  EXPECT_EQ(back.missed, event(2, "2"));
  EXPECT_EQ(resume(kept, "1-2").what, outcome::over);
}

TEST_F(streams, go_on_where_their_client_is_now) {
  it.begin(to, "", &kept, false);
  it.say(to, kept, "1", opened);
  it.come_back(to, opened + 5s);
  client now;
  begin_resumed(now, kept, {outcome::call, {1, 1}}, false);
  it.say(now, kept, "2", opened + 6s);
  it.end(now, kept);
  EXPECT_EQ(to.bytes, event(1, "1"));
  EXPECT_EQ(to.ends, 1) << "the old one has ended";
  EXPECT_EQ(now.bytes, ":\n\n" + event(2, "2")) << "its first byte goes out at once";
  EXPECT_EQ(now.ends, 1);
}

TEST_F(streams, that_go_on_elsewhere_say_where_to_resume_from) {
  it.begin(to, "", &kept, true);
  client again, late;
  begin_resumed(again, kept, resume(kept, "1-1"), true);
  EXPECT_EQ(again.bytes, "id: 1-2\nretry: 1000\ndata: \n\n");
  it.come_back(to, opened);
  it.say(again, kept, "1", opened);
  begin_resumed(late, kept, resume(kept, "1-2"), true);
  EXPECT_EQ(late.bytes, event(3, "1")) << "the events that it missed say so";
}

TEST_F(streams, that_can_not_be_resumed_have_no_ids) {
  it.begin(to, "", nullptr, true);
  EXPECT_EQ(it.number(), 0U);
  EXPECT_TRUE(it.say(to, kept, "1", opened));
  EXPECT_EQ(to.bytes, "event: message\ndata: 1\n\n");
  EXPECT_TRUE(kept.empty());
  to.there = false;
  EXPECT_FALSE(it.say(to, kept, "2", opened)) << "nobody comes back for it";
  it.end(to, kept);
  EXPECT_EQ(to.ends, 1);
}

TEST_F(streams, are_silent_for_those_who_listen) {
  it.last_write = opened;
  EXPECT_FALSE(it.silent(to, 15s, opened + 14s));
  EXPECT_TRUE(it.silent(to, 15s, opened + 15s)) << "also before it is a stream";
  it.begin(to, "", &kept, false);
  it.keep_alive(to, opened + 15s);
  EXPECT_EQ(to.bytes, ":\n\n");
  EXPECT_FALSE(it.silent(to, 15s, opened + 29s));
  EXPECT_TRUE(it.silent(to, 15s, opened + 30s));
  to.there = false;
  EXPECT_FALSE(it.silent(to, 15s, opened + 30s));
  to.there = true;
  it.detach(to);
  EXPECT_FALSE(it.silent(to, 15s, opened + 30s));
}

TEST_F(streams, detach_nothing_before_they_have_begun) {
  it.detach(to);
  EXPECT_EQ(to.ends, 0);
  EXPECT_TRUE(it.attached());
}

TEST_F(streams, of_sessions_begin_with_a_byte_and_what_was_missed) {
  struct row {
    std::string_view missed;
    bool priming;
    std::string_view bytes;
  };
  for (const auto& r :
       {row{"", false, ":\n\n"}, row{"", true, ":\n\nid: 0-1\nretry: 1000\ndata: \n\n"},
        row{"data: 1\n\n", false, ":\n\ndata: 1\n\n"},
        row{"data: 1\n\n", true, ":\n\ndata: 1\n\n"}}) {
    replay fresh{std::make_shared<replay_pool>()};
    client c;
    begin_own(c, fresh, r.missed, r.priming);
    EXPECT_EQ(c.bytes, r.bytes);
  }
}

TEST_F(streams, are_resumed_by_the_id_of_an_event) {
  const auto a = kept.open(), b = kept.open(), c = kept.open();
  kept.add(a, "1", opened);                       // 1-1
  const auto second = *kept.add(b, "2", opened);  // 2-2
  kept.add(replay::own_stream, "3", opened);      // 0-3
  kept.add(c, "4", opened);                       // 3-4
  kept.end(c);
  kept.forget(a);
  struct row {
    std::string_view id;
    outcome what;
    replay::position place;
    std::string missed;
  };
  for (const auto& r :
       {row{"", outcome::unknown, {}, ""}, row{"x", outcome::unknown, {}, ""},
        row{"1-1", outcome::unknown, {}, ""},   // forgotten
        row{"9-1", outcome::unknown, {}, ""},   // never was
        row{"2-99", outcome::unknown, {}, ""},  // of the future
        row{"2-2", outcome::call, {b, 2}, ""}, row{"2-1", outcome::call, {b, 1}, second},
        row{"3-4", outcome::over, {}, ""}, row{"0-3", outcome::own, {0, 3}, ""},
        row{"0-99", outcome::own, {0, 99}, ""}}) {
    const auto back = resume(kept, r.id);
    EXPECT_EQ(back.what, r.what) << r.id;
    EXPECT_EQ(back.place, r.place) << r.id;
    EXPECT_EQ(back.missed, r.missed) << r.id;
  }
}

}  // namespace
}  // namespace gate::sse
