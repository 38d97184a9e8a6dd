#include "actors/fleet/session_book.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"
#include "protocol/resp/reader.hpp"

namespace gate::fleet {
namespace {

const vault ours("a secret of at least thirty-two characters");
constexpr std::string_view key = "gate:{session:x}";

session_record a_record() {
  session_record r;
  r.version = "2025-11-25";
  r.capabilities = "{}";
  return r;
}

std::string sealed(std::string_view field, std::string_view text) {
  return ours.seal(text, about_field(key, field), {});
}

/// What a store answers, with this sign in front: a map, or a list.
found_session read(const named_fields& all, char sign = '%') {
  std::string text = sign + std::to_string(sign == '%' ? all.size() : 2 * all.size()) + "\r\n";
  for (const auto& [field, value] : all)
    for (const auto& one : {field, value})
      text += '$' + std::to_string(one.size()) + "\r\n" + one + "\r\n";
  return read_found(resp::parse(text)->root(), key, ours);
}

using state = found_session::state;

TEST(names_of_instances, come_back_as_they_were) {
  std::array<std::uint8_t, 16> all{0, 1, 0x7f, 0x80, 0xff}, back{};
  EXPECT_TRUE(read_instance(name_of_instance(all), back));
  EXPECT_EQ(back, all);
  for (const auto* odd :
       {"", "5a", "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5", "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5g",
        "-15a5a5a5a5a5a5a5a5a5a5a5a5a5a5a", "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"})
    EXPECT_FALSE(read_instance(odd, back)) << odd;
}

TEST(session_book, names_nobody_in_clear) {
  const sha256 digest;
  EXPECT_EQ(session_key(digest, "id"),
            "gate:{session:a56145270ce6b3bebd1dd012b73948677dd618d496488bc608a3cb43ce3547dd}");
  EXPECT_EQ(instance_channel("n"), "gate:{instance:n}");
}

TEST(session_book, tells_owners_apart) {
  const sha256 digest;
  EXPECT_NE(owner_digest(digest, "a", "bc"), owner_digest(digest, "ab", "c"));
  EXPECT_NE(owner_digest(digest, "a", "b"), sha256_digest{});
  EXPECT_EQ(owner_digest(digest, "", ""), sha256_digest{}) << "nobody";
}

TEST(session_book, reads_what_stands_in_the_store) {
  const bridge b{"http://a.test:80/mcp", "its-name", "2025-06-18", 3};
  const subscription to{"file:///a", "a"};
  const auto name = subscription_field(ours, key, to.uri);
  const named_fields all{{"i:me", "100"},
                         {"i:other", "101"},
                         {"i:odd", "x"},
                         {"c", sealed("c", encode(a_record()))},
                         {"l", sealed("l", R"("info")")},
                         {name, sealed(name, encode(to))},
                         {"u:a", sealed("u:a", encode(b))}};
  for (const char sign : {'%', '*'}) {
    const auto found = read(all, sign);
    EXPECT_EQ(found.what, state::whole);
    EXPECT_EQ(found.record, a_record());
    EXPECT_EQ(found.log_level, R"("info")");
    ASSERT_EQ(found.bridges.size(), 1U);
    EXPECT_EQ(found.bridges.at("a"), b);
    ASSERT_EQ(found.subscriptions.size(), 1U);
    EXPECT_EQ(found.subscriptions.at("file:///a"), "a");
    EXPECT_EQ(found.holders, (instances{"me", "other", "odd"}));
  }
  EXPECT_EQ(read({{"x", "1"}}).what, state::ended);
}

TEST(session_book, gives_each_subscription_a_name_that_tells_nothing) {
  const auto name = subscription_field(ours, key, "file:///a");
  EXPECT_EQ(name.size(), 2 + 32U);
  EXPECT_EQ(name, subscription_field(ours, key, "file:///a"));
  EXPECT_NE(name, subscription_field(ours, key, "file:///b"));
  EXPECT_NE(name, subscription_field(ours, "gate:{session:y}", "file:///a"));
  EXPECT_NE(name,
            subscription_field(vault("another secret of thirty-two characters"), key, "file:///a"));
}

TEST(session_book, takes_no_more_subscriptions_than_there_may_be) {
  named_fields all{{"c", sealed("c", encode(a_record()))}};
  for (std::size_t n = 0; n < limits::session_subscriptions + 5; ++n) {
    const subscription to{"file:///" + std::to_string(n), "a"};
    const auto name = subscription_field(ours, key, to.uri);
    all.emplace_back(name, sealed(name, encode(to)));
  }
  EXPECT_EQ(read(all).subscriptions.size(), limits::session_subscriptions);
  const auto long_uri = "file:///" + std::string(limits::session_subscription_bytes / 2, 'x');
  named_fields large{{"c", sealed("c", encode(a_record()))}};
  for (const char c : {'a', 'b', 'c'}) {
    const subscription to{long_uri + c, "a"};
    const auto name = subscription_field(ours, key, to.uri);
    large.emplace_back(name, sealed(name, encode(to)));
  }
  EXPECT_EQ(read(large).subscriptions.size(), 1U);
}

TEST(session_book, believes_nothing_that_is_not_sealed_for_its_place) {
  const auto good = sealed("c", encode(a_record()));
  EXPECT_EQ(read({}).what, state::none);
  EXPECT_EQ(read({{"i:me", "1"}}).what, state::none) << "somebody's rest";
  EXPECT_EQ(read({{"c", encode(a_record())}}).what, state::broken);
  EXPECT_EQ(read({{"c", sealed("d", encode(a_record()))}}).what, state::broken);
  EXPECT_EQ(read({{"c", sealed("c", "nonsense")}}).what, state::broken);
  const bridge b{"http://a.test:80/mcp", "its-name", "2025-06-18", 3};
  const auto found = read({{"c", good}, {"u:b", sealed("u:a", encode(b))}});
  EXPECT_EQ(found.what, state::whole) << "its server opens another one";
  EXPECT_TRUE(found.bridges.empty());
  for (const std::string_view odd : {"+OK\r\n", ":1\r\n", "_\r\n", "*1\r\n$1\r\nc\r\n", "-E\r\n",
                                     "*3\r\n$1\r\nc\r\n$1\r\nx\r\n$1\r\nc\r\n"})
    EXPECT_NE(read_found(resp::parse(odd)->root(), key, ours).what, state::whole) << odd;
}

TEST(session_book, bounds_the_holders) {
  named_fields all{{"c", sealed("c", encode(a_record()))}};
  for (std::size_t n = 0; n < 2 * limits::session_holders; ++n)
    all.emplace_back("i:" + std::to_string(n), n == 7 ? "300" : std::to_string(100 + n));
  const auto holders = read(all).holders;
  EXPECT_EQ(holders.size(), limits::session_holders);
  EXPECT_TRUE(holders.contains("7") && holders.contains("127")) << "those that said so last";
  EXPECT_FALSE(holders.contains("6"));
}

TEST(session_book, asks_for_one_thing_at_a_time) {
  using namespace std::chrono_literals;
  const auto keep = keep_session(7, "k", 5ms, true, "me", {{"c", "v"}, {"l", ""}});
  EXPECT_EQ(keep.id, 7U);
  EXPECT_EQ(keep.op, store_op::session);
  EXPECT_EQ(keep.keys, std::vector<std::string>{"k"});
  EXPECT_EQ(keep.words, (std::vector<std::string>{"5", "1", "me", "c", "v", "l", ""}));
  EXPECT_EQ(look_for_session(1, "k", "me", 5s).words, (std::vector<std::string>{"me", "5"}));
  EXPECT_EQ(end_session(1, "k", 5ms).words, std::vector<std::string>{"5"});
  EXPECT_EQ(release_session(1, "k", "me", 5s).words, (std::vector<std::string>{"5", "me", "0"}));
  EXPECT_EQ(release_session(1, "k", "me", 5s, true).words.at(2), "1");
  EXPECT_EQ(forget_look(1, "k", "me").words, (std::vector<std::string>{"HDEL", "k", "i:me"}))
      << "whatever it is, it is not deleted by a look";
}

TEST(session_book, writes_no_key_where_there_is_one) {
  const auto text = agree_on_key_script();
  const auto answered = text.find("if known then return known end");
  ASSERT_NE(answered, text.npos);
  EXPECT_LT(text.find("'GET'"), answered);
  EXPECT_GT(text.find("'SET'"), answered);
}

TEST(session_book, reads_what_came_of_a_release) {
  using state = released::state;
  const auto read = [](std::string_view text) {
    return read_released({1, store_outcome::ok, resp::parse(text)}, key, ours);
  };
  EXPECT_EQ(read(":0\r\n").what, state::held);
  EXPECT_EQ(read(":7\r\n").what, state::waits);
  EXPECT_EQ(read(":7\r\n").wait, std::chrono::seconds(7));
  EXPECT_EQ(read(":-1\r\n").what, state::missing);
  EXPECT_GT(read(":-1\r\n").wait, limits::session_renewal) << "who uses it has written it by then";
  EXPECT_EQ(read("*0\r\n").what, state::last);
  EXPECT_EQ(read("+OK\r\n").what, state::unknown);
  EXPECT_EQ(read_released({1, store_outcome::timeout, nullptr}, key, ours).what, state::unknown);
}

TEST(session_book, reads_what_came_of_a_write) {
  const auto read = [](std::string_view text) {
    return read_kept({1, store_outcome::ok, resp::parse(text)});
  };
  EXPECT_EQ(read(":1\r\n"), kept::done);
  EXPECT_EQ(read(":0\r\n"), kept::none);
  EXPECT_EQ(read(":-1\r\n"), kept::ended);
  EXPECT_EQ(read("+OK\r\n"), std::nullopt);
  EXPECT_EQ(read_kept({1, store_outcome::timeout, nullptr}), std::nullopt);
}

}  // namespace
}  // namespace gate::fleet
