#include "actors/upstream/resume_point.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::upstream {
namespace {

using namespace std::chrono_literals;
using ms = std::chrono::milliseconds;

constexpr resume_point::time_point lost_at{12h};

sse::event with_id(std::string id) {
  return {{}, {}, std::move(id), true};
}

resume_point at(std::string id) {
  resume_point b;
  auto e = with_id(std::move(id));
  b.received(e);
  return b;
}

TEST(resume_point, is_the_last_id_that_can_be_sent_back) {
  resume_point b;
  EXPECT_FALSE(b.known());
  for (auto [id, known] : {std::pair{"1", "1"}, {"a b/c=", "a b/c="}, {"", ""}, {"2", "2"}}) {
    auto e = with_id(id);
    b.received(e);
    EXPECT_EQ(b.id(), known);
  }
  sse::event plain{{}, "text", {}, false};
  b.received(plain);
  EXPECT_EQ(b.id(), "2") << "it stays in force";
  EXPECT_EQ(plain.data, "text");
  b.forget();
  EXPECT_FALSE(b.known());
}

TEST(resume_point, ids_that_are_no_header_value_leave_no_place_to_go_on_from) {
  using namespace std::string_literals;
  for (auto id : {"a\r\nX-Evil: 1"s, "a\rb"s, "a\nb"s, "a\0b"s, "\0"s, "a\tb"s, " a"s, "a "s, " "s,
                  "\x7f"s, "\x1b"s, "\xc3\xa9"s, std::string(limits::event_id_bytes + 1, 'x')}) {
    auto b = at("good");
    auto e = with_id(id);
    b.received(e);
    EXPECT_FALSE(b.known()) << id;
    EXPECT_FALSE(b.pause(stream_end::over, lost_at)) << id;
  }
  EXPECT_TRUE(at(std::string(limits::event_id_bytes, 'x')).known());
}

TEST(resume_point, the_pause_is_the_servers_within_bounds) {
  const auto pause = [](std::optional<std::uint32_t> retry) {
    auto b = at("1");
    b.set_retry(retry);
    b.set_retry({});  // says nothing: the time stays
    return b.pause(stream_end::over, lost_at).value();
  };
  EXPECT_EQ(pause({}), 1s);
  EXPECT_EQ(pause(500), 500ms);
  EXPECT_EQ(pause(45'000), 45s) << "longer than any of ours";
  EXPECT_EQ(pause(0), 100ms);
  EXPECT_EQ(pause(4294967295), 300s);
}

TEST(resume_point, pauses_double_while_nothing_comes_and_end) {
  auto b = at("1");
  std::vector<ms> pauses;
  for (auto t = lost_at;;) {
    const auto p = b.pause(stream_end::over, t);
    if (!p) break;
    pauses.push_back(*p);
    t += *p;
    b.resumed(t);
  }
  EXPECT_EQ(pauses, (std::vector<ms>{1s, 2s, 4s, 8s, 16s, 30s, 30s, 30s, 30s, 30s}));
}

TEST(resume_point, a_stream_that_brings_something_or_stays_open_may_end_as_often_as_it_likes) {
  auto b = at("1");
  b.set_retry(200);
  auto t = lost_at;
  for (int i = 0; i < 100; ++i) {
    b.resumed(t);
    if (i % 2) {
      auto e = with_id(std::to_string(i));
      b.received(e);
    } else {
      t += limits::resume_worked;
    }
    EXPECT_EQ(b.pause(stream_end::over, t), 200ms);
  }
}

TEST(resume_point, no_connection_is_in_vain_however_long_it_took) {
  auto b = at("1");
  EXPECT_EQ(b.pause(stream_end::over, lost_at), 1s);
  b.resumed(lost_at);
  EXPECT_EQ(b.pause(stream_end::unreachable, lost_at + 5s), 2s);
  b.resumed(lost_at + 10s);
  EXPECT_FALSE(b.pause(stream_end::refused, lost_at + 10s));
}

TEST(resume_point, ends_of_fetches) {
  const auto how = [](fetch_end end, int status, media m = media::json) {
    fetched f;
    f.end = end;
    f.status = status;
    f.media = m;
    return how_ended(f);
  };
  using enum fetch_end;
  EXPECT_EQ(how(complete, 200, media::events), stream_end::over);
  EXPECT_EQ(how(broken, 200, media::events), stream_end::over);
  for (auto end : {connect_failed, connect_timeout, overloaded, broken})
    EXPECT_EQ(how(end, 0), stream_end::unreachable);
  for (int status : {409, 429, 502, 503, 504})
    EXPECT_EQ(how(complete, status), stream_end::unreachable) << status;
  for (int status : {200, 202, 400, 401, 404, 405, 500})
    EXPECT_EQ(how(complete, status), stream_end::refused) << status;
  EXPECT_EQ(how(complete, 404, media::events), stream_end::refused);
  for (auto end : {too_large, malformed, redirected})
    EXPECT_EQ(how(end, 200, media::events), stream_end::refused) << "the same would come again";
}

}  // namespace
}  // namespace gate::upstream
