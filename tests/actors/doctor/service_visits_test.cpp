#include "actors/doctor/service_visits.hpp"

#include <gtest/gtest.h>

#include "actors/doctor/report.hpp"
#include "actors/doctor/words.hpp"
#include "tests/actors/doctor/peers_said.hpp"

namespace gate::doctor {
namespace {

TEST(issuers, are_judged_as_they_call_themselves) {
  const discretion hide({"keycloak"});
  const std::string name = "https://keycloak/realm";
  issuer_visit v("/auth/issuers/0", name, http::parse_url(name + "/keys").value(), wall);
  v.hide(hide);
  v.seen(connected());
  v.heard(status(200, R"({"keys":[]})"));
  v.heard(status(200, R"({"issuer":")" + name + R"("})"));
  EXPECT_EQ(v.found().back().level, severity::ok) << v.found().back().seen;
}

TEST(issuers, have_no_clock_behind_a_cache) {
  for (const bool copy : {false, true}) {
    issuer_visit v("/a", "https://a.example", http::parse_url("https://a.example/k").value(),
                   [] { return std::chrono::system_clock::from_time_t(784'111'777 + 3600); });
    auto m = connected();
    m.certificate.reset();
    m.date = "Sun, 06 Nov 1994 08:49:37 GMT";
    m.copy = copy;
    v.seen(m);
    EXPECT_EQ(worst(v.found()).level, copy ? severity::ok : severity::error);
  }
}

TEST(asking_visits, say_what_they_waited_for) {
  const auto late_after = [](bool look) {
    const auto where = http::parse_url("http://a.example/").value();
    asking_visit v({"/d", check::discovery, where, make_request(where, verb::get, {}, {}),
                    [](const reply&, notes&) {}},
                   wall);
    if (look) v.seen(connected());
    v.late({});
    return v.found().back().what;
  };
  EXPECT_EQ(late_after(false), check::connection);
  EXPECT_EQ(late_after(true), check::discovery);
}

TEST(clocks, are_compared) {
  const auto of = [](std::chrono::seconds ahead, bool tokens) {
    notes n({}, {});
    judge_skew(ahead, 2s, tokens, n);
    return n.all().at(0).level;
  };
  EXPECT_EQ(of(0s, true), severity::ok);
  EXPECT_EQ(of(7s, true), severity::ok);
  EXPECT_EQ(of(-8s, true), severity::warning);
  EXPECT_EQ(of(32s, true), severity::warning);
  EXPECT_EQ(of(33s, true), severity::error);
  EXPECT_EQ(of(-1000s, true), severity::error);
  EXPECT_EQ(of(1000s, false), severity::warning);
  EXPECT_EQ(of(253'402'300'799s, false), severity::warning) << "the year 9999";
}

TEST(clocks, dates_are_read) {
  const auto then = std::chrono::system_clock::from_time_t(784'111'777);
  for (const auto off : {0s, 100s, -100s}) {
    const auto t = read_date("Sun, 06 Nov 1994 08:49:37 GMT", then + off);
    ASSERT_TRUE(t);
    EXPECT_EQ(*t, then);
  }
  EXPECT_EQ(read_date("Sun, 06 Nov 1994 08:49:37 GMT", then + 24h * 9000),
            then + 24h * (9000 - 182));
  EXPECT_EQ(read_date("Sun, 06 Nov 1994 08:49:37 GMT", then - 24h * 9000),
            then - 24h * (9000 - 182));
  EXPECT_FALSE(read_date("784111777", then));
  EXPECT_FALSE(read_date("yesterday", then));
}

TEST(stores, are_judged_by_what_they_say) {
  const auto of = [](std::string info) {
    store_visit v(resp::parse_store_url("redis://r").value(), wall);
    store_inspected m;
    m.ready = true;
    m.info = std::move(info);
    m.time = std::chrono::floor<std::chrono::microseconds>(now);
    v.seen(m);
    return worst(v.found()).level;
  };
  EXPECT_EQ(of("redis_version:7.0.15\r\nmaxmemory_policy:noeviction\r\n"), severity::ok);
  EXPECT_EQ(of("redis_version:7.0.15\r\nmaxmemory_policy:allkeys-lru\r\n"), severity::warning);
  EXPECT_EQ(of("redis_version:6.0.16\r\n"), severity::error);
  EXPECT_EQ(of("redis_version:6.2.0\r\n"), severity::ok);
  EXPECT_EQ(of(""), severity::warning);
}

}  // namespace
}  // namespace gate::doctor
