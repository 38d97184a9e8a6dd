#include "simulations/replay/store_book.hpp"

#include <gtest/gtest.h>

namespace gate::replay {
namespace {

using recording::event;
using recording::kind;

event asked(std::uint64_t number, std::uint64_t at, std::string words) {
  event e;
  e.what = kind::asked;
  e.number = number;
  e.at = at;
  e.op = "ping";
  e.words = std::move(words);
  return e;
}

event told(std::uint64_t number, std::uint64_t at, std::string reply, std::string outcome = "ok") {
  event e;
  e.what = kind::told;
  e.number = number;
  e.at = at;
  e.outcome = std::move(outcome);
  e.reply = std::move(reply);
  return e;
}

store_book book_of(event_list events) {
  return store_book(order({}, std::move(events), recording::ending::shutdown));
}

store_request get(std::string key) {
  store_request r;
  r.words = {"GET", std::move(key)};
  return r;
}

TEST(store_book, an_operation_gets_the_answer_that_it_got_as_long_after) {
  auto b = book_of({asked(1, 5, R"(["GET","a"])"), asked(2, 6, R"(["GET","b"])"),
                    told(2, 9, R"("two")"), told(1, 15, "1")});
  EXPECT_TRUE(b.any());
  EXPECT_EQ(b.left(), 2U);
  const auto two = b.take(get("b"));
  ASSERT_TRUE(two);
  EXPECT_EQ(two->reply, "$3\r\ntwo\r\n");
  EXPECT_EQ(two->after.count(), 3);
  EXPECT_EQ(b.take(get("a"))->reply, ":1\r\n");
  EXPECT_FALSE(b.take(get("a"))) << "it was asked once";
  EXPECT_EQ(b.left(), 0U);
}

TEST(store_book, stand_ins_stand_for_one_word_each_and_numbers_for_any) {
  auto b = book_of({asked(1, 1, R"(["GET","secret:1"])"), told(1, 2, "1"),
                    asked(2, 3, R"(["GET","secret:2"])"), told(2, 4, "2"),
                    asked(3, 5, R"(["GET","secret:1"])"), told(3, 6, "3"),
                    asked(4, 7, R"(["GET","1700"])"), told(4, 8, "4")});
  EXPECT_EQ(b.take(get("one"))->reply, ":1\r\n");
  EXPECT_EQ(b.take(get("one"))->reply, ":3\r\n");
  EXPECT_EQ(b.take(get("two"))->reply, ":2\r\n");
  EXPECT_EQ(b.take(get("1800"))->reply, ":4\r\n");
}

TEST(store_book, what_failed_fails_and_what_never_came_was_lost) {
  auto b = book_of(
      {asked(1, 1, R"(["GET","a"])"), told(1, 2, "", "timeout"), asked(2, 3, R"(["GET","b"])")});
  EXPECT_EQ(b.take(get("a"))->outcome, store_outcome::timeout);
  EXPECT_EQ(b.take(get("b"))->outcome, store_outcome::lost);
  EXPECT_FALSE(book_of({}).any());
}

TEST(store_book, replies_are_told_as_they_were_unless_they_have_secrets) {
  EXPECT_EQ(reply_of(R"([1,"a",null,[true]])"), "*4\r\n:1\r\n$1\r\na\r\n_\r\n*1\r\n#t\r\n");
  EXPECT_EQ(reply_of(R"({"error":"OOM no memory"})"), "-OOM no memory\r\n");
  EXPECT_EQ(reply_of(R"([1,"secret:0a1b2c3d"])"), "");
  EXPECT_EQ(reply_of(""), "");
}

}  // namespace
}  // namespace gate::replay
