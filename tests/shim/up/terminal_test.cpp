#include "shim/up/terminal.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace gate::up {
namespace {

/// Somebody who types these lines.
struct typist {
  std::deque<std::string> lines;
  std::string seen;
  bool there = true;
  std::vector<bool> shown{};

  terminal at() {
    return terminal({[this] { return there; }, [this](std::string_view t) { seen += t; },
                     [this](bool so) -> std::optional<std::string> {
                       shown.push_back(so);
                       if (lines.empty()) return std::nullopt;
                       auto out = lines.front();
                       lines.pop_front();
                       return out;
                     }});
  }
};

TEST(terminals, ask_once_and_do_not_show_secrets) {
  typist t{{"k3y", "other"}, {}};
  auto asking = t.at();
  EXPECT_EQ(asking.ask("f", {"key", "The key", {}, {}, true}), "k3y");
  EXPECT_EQ(asking.ask("f", {"key", "The key", {}, {}, true}), "k3y");
  EXPECT_EQ(asking.ask("f", {"id", {}, {}}), "other");
  EXPECT_EQ(t.seen, "The key: id: ");
  EXPECT_EQ(t.shown, (std::vector<bool>{false, true}));
}

TEST(terminals, ask_for_each_file_alone) {
  typist t{{"one", "two"}, {}};
  auto asking = t.at();
  EXPECT_EQ(asking.ask("f", {"key", {}, {}}), "one");
  EXPECT_EQ(asking.ask("g", {"key", {}, {}}), "two");
  EXPECT_EQ(asking.ask("f", {"key", {}, {}}), "one");
}

TEST(terminals, offer_choices_and_what_is_meant_by_nothing) {
  typist t{{"c", ""}, {}};
  auto asking = t.at();
  EXPECT_EQ(asking.ask("f", {"zone", "Zone", "a", {"a", "b"}}), "a");
  EXPECT_EQ(t.seen, "Zone (a, b) [a]: It is one of these.\nZone (a, b) [a]: ");
}

TEST(terminals, where_nobody_is_are_not_asked) {
  typist t{{"x"}, {}, false};
  auto asking = t.at();
  EXPECT_EQ(asking.ask("f", {"a", {}, {}}), std::nullopt);
  EXPECT_FALSE(asking.agree("Really?"));
  t.there = true;
  t.lines.clear();
  EXPECT_EQ(asking.ask("f", {"a", {}, {}}), std::nullopt);  // it has ended
}

TEST(terminals, that_are_closed_know_what_was_answered) {
  typist t{{"x", "y"}, {}};
  auto asking = t.at();
  EXPECT_EQ(asking.ask("f", {"a", {}, {}}), "x");
  asking.close();
  EXPECT_EQ(asking.ask("f", {"a", {}, {}}), "x");
  EXPECT_EQ(asking.ask("f", {"b", {}, {}}), std::nullopt);
}

TEST(terminals, take_yes_for_yes_only) {
  typist t{{"y", "yes", "Y", "no", ""}, {}};
  auto asking = t.at();
  EXPECT_TRUE(asking.agree("Write?"));
  EXPECT_TRUE(asking.agree("Write?"));
  EXPECT_FALSE(asking.agree("Write?"));
  EXPECT_FALSE(asking.agree("Write?"));
  EXPECT_FALSE(asking.agree("Write?"));
}

}  // namespace
}  // namespace gate::up
