// What instances of a fleet say to each other: actors/router/fleet_line, two of them and no store.
#include "actors/router/fleet_line.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"
#include "protocol/resp/reader.hpp"
#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

using fleet::session_word;

struct fleet_lines : ::testing::Test {
  /// Each call of it another sixteen bytes.
  random_source random = [this](std::span<std::uint8_t> out) {
    ++draws;
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<std::uint8_t>(draws >> (8 * (i % 4)));
  };
  std::unique_ptr<fleet_line> make(sim::fake_doors& doors) {
    auto out = std::make_unique<fleet_line>(
        doors, fleet_settings{std::string(limits::fleet_secret_bytes, 's')}, random,
        fleet_line::callbacks{[] {},
                              [this](const std::string& name, const std::string& key) {
                                missed.emplace_back(name, key);
                              }});
    out->on_turned(true);
    return out;
  }
  /// The last word that was said there, as it is heard here.
  static store_heard said(const sim::fake_doors& there) {
    const auto& words = there.asked.back().words;
    return {words.at(1), words.at(2)};
  }
  std::uint32_t draws = 0;
  std::vector<std::pair<std::string, std::string>> missed;
  sim::fake_doors of_one, of_two;
};

TEST_F(fleet_lines, hear_each_word_once) {
  const auto one = make(of_one), two = make(of_two);
  one->say(two->name(), {.what = session_word::kind::joined, .session = "key"});
  const auto word = said(of_one);
  const auto heard = two->hear(word);
  ASSERT_TRUE(heard);
  EXPECT_EQ(heard->first, one->name());
  EXPECT_EQ(heard->second.session, "key");
  EXPECT_FALSE(two->hear(word));
}

TEST_F(fleet_lines, say_who_is_not_there) {
  const auto one = make(of_one);
  const auto answer = [&](std::string_view text) {
    one->on_told({of_one.asked.back().id, store_outcome::ok, resp::parse(text)});
  };
  one->say("nobody", {.what = session_word::kind::joined, .session = "key"});
  answer(":1\r\n");
  EXPECT_TRUE(missed.empty());
  one->say("nobody", {.what = session_word::kind::joined, .session = "key"});
  answer(":0\r\n");
  ASSERT_EQ(missed.size(), 1U);
  EXPECT_EQ(missed[0], std::pair(std::string("nobody"), std::string("key")));
  one->say("nobody", {.what = session_word::kind::joined, .session = "key"});
  one->on_told({of_one.asked.back().id, store_outcome::timeout, nullptr});
  EXPECT_EQ(missed.size(), 1U) << "nobody knows";
}

TEST_F(fleet_lines, forget_who_was_silent_for_longest) {
  const auto one = make(of_one), two = make(of_two);
  const auto from_one = [&] {
    one->say(two->name(), {.what = session_word::kind::joined, .session = "key"});
    return said(of_one);
  };
  sim::fake_doors of_others;
  const auto from_another = [&] {
    const auto other = make(of_others);
    other->say(two->name(), {.what = session_word::kind::joined, .session = "key"});
    return said(of_others);
  };
  const auto oldest = from_another();
  ASSERT_TRUE(two->hear(oldest));
  const auto first = from_one();
  ASSERT_TRUE(two->hear(first));
  for (std::size_t n = 2; n < limits::fleet_senders; ++n) ASSERT_TRUE(two->hear(from_another()));
  EXPECT_FALSE(two->hear(oldest)) << "it is known yet";
  const auto second = from_one();
  ASSERT_TRUE(two->hear(second));
  for (int n = 0; n < 20; ++n) {
    ASSERT_TRUE(two->hear(from_another()));
    EXPECT_FALSE(two->hear(second)) << "it spoke later than others";
  }
  EXPECT_TRUE(two->hear(oldest)) << "its number is forgotten";
}

// --- the key -------------------------------------------------------------------------------------

struct a_new_fleet_line : fleet_lines {
  std::size_t readies = 0;
  fleet_line it{of_one, fleet_settings{}, random,
                fleet_line::callbacks{[this] { ++readies; }, [](const auto&, const auto&) {}}};
  std::vector<bool> told;

  void wait() {
    EXPECT_TRUE(it.await_key([this](bool known) { told.push_back(known); }));
  }
  void answer(store_outcome outcome, std::string_view text = {}) {
    it.on_told({of_one.asked.back().id, outcome, text.empty() ? nullptr : resp::parse(text)});
  }
  const std::string secret = "$43\r\n" + std::string(43, 'k') + "\r\n";
};

TEST_F(a_new_fleet_line, is_about_to_know_the_key_until_it_has_asked_in_vain) {
  EXPECT_TRUE(it.about_to_be());
  EXPECT_FALSE(it.unsure()) << "there may be no store";
  it.on_turned(true);
  EXPECT_TRUE(it.about_to_be());
  wait();
  answer(store_outcome::timeout);
  EXPECT_EQ(told, std::vector{false});
  EXPECT_FALSE(it.about_to_be());
  EXPECT_TRUE(it.unsure());
  const auto asked = of_one.asked.size();
  it.tick();
  EXPECT_EQ(of_one.asked.size(), asked + 1);
  it.tick();
  EXPECT_EQ(of_one.asked.size(), asked + 1) << "one question at a time";
  wait();
  answer(store_outcome::ok, secret);
  EXPECT_EQ(told, (std::vector{false, true}));
  EXPECT_TRUE(it.ready());
  EXPECT_FALSE(it.unsure());
  EXPECT_EQ(readies, 1U);
  it.tick();
  EXPECT_EQ(of_one.asked.size(), asked + 1);
}

TEST_F(a_new_fleet_line, takes_a_store_that_refuses_to_say_the_key_for_none) {
  it.on_turned(true);
  wait();
  answer(store_outcome::oom, "-OOM no\r\n");
  EXPECT_EQ(told, std::vector{false});
  EXPECT_TRUE(it.refused());
  EXPECT_FALSE(it.unsure());
  EXPECT_FALSE(it.about_to_be());
  it.tick();
  EXPECT_TRUE(it.about_to_be()) << "it is asked again";
  answer(store_outcome::ok, "$3\r\nodd\r\n");
  EXPECT_TRUE(it.refused());
  it.tick();
  answer(store_outcome::ok, secret);
  EXPECT_TRUE(it.ready());
  EXPECT_FALSE(it.refused());
}

TEST_F(a_new_fleet_line, lets_nobody_wait_for_a_store_that_is_away_or_silent) {
  wait();
  it.give_up();
  EXPECT_EQ(told, std::vector{false});
  EXPECT_FALSE(it.about_to_be());
  it.on_turned(true);
  wait();
  it.on_turned(false);
  EXPECT_EQ(told, (std::vector{false, false}));
  EXPECT_FALSE(it.about_to_be());
  EXPECT_FALSE(it.unsure()) << "what is not here is not there";
  it.tick();
  EXPECT_EQ(of_one.asked.size(), 1U) << "away it is not asked";
}

TEST_F(a_new_fleet_line, bounds_those_who_wait) {
  for (std::size_t n = 0; n < limits::sessions_sought; ++n) wait();
  EXPECT_FALSE(it.room_to_wait());
  EXPECT_FALSE(it.await_key([](bool) {}));
  it.give_up();
  EXPECT_TRUE(it.room_to_wait());
  EXPECT_EQ(told.size(), limits::sessions_sought);
}

TEST_F(fleet_lines, that_have_a_secret_wait_for_the_store_only) {
  fleet_line it(of_one, fleet_settings{std::string(limits::fleet_secret_bytes, 's')}, random,
                fleet_line::callbacks{[] {}, [](const auto&, const auto&) {}});
  EXPECT_TRUE(it.about_to_be());
  bool told = false;
  EXPECT_TRUE(it.await_key([&](bool known) { told = known; }));
  it.on_turned(true);
  EXPECT_TRUE(told);
  EXPECT_TRUE(of_one.asked.empty());
}

}  // namespace
}  // namespace gate::routing
