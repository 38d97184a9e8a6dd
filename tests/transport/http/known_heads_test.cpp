#include "transport/http/known_heads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "protocol/limits.hpp"
#include "transport/http/request_reader.hpp"

namespace gate::http {
namespace {

std::string header(std::string_view lines, std::size_t length = 2) {
  return "POST /mcp HTTP/1.1\r\nHost: a.test\r\n" + std::string(lines) +
         "Content-Length: " + std::to_string(length) + "\r\nAccept: */*\r\n\r\n";
}

head_ptr head_of(const std::string& block) {
  request_reader reader(1024);
  reader.feed(block + "{}");
  EXPECT_TRUE(reader.done()) << block;
  return reader.take().head;
}

/// As a connection asks.
head_ptr recognised_in(const known_heads& heads, std::string_view bytes) {
  const auto candidate = heads.find(bytes);
  return candidate && recognise(*candidate, bytes, 1024) ? candidate : nullptr;
}

TEST(known_heads, are_found_but_for_the_length_of_the_body) {
  known_heads heads;
  EXPECT_EQ(heads.find(header("")), nullptr);
  const auto a = head_of(header("Authorization: Bearer a\r\n")), none = head_of(header(""));
  heads.keep(a);
  heads.keep(none);
  EXPECT_EQ(recognised_in(heads, header("Authorization: Bearer a\r\n", 999) + "{"), a);
  EXPECT_EQ(recognised_in(heads, header("", 3)), none);
  EXPECT_EQ(recognised_in(heads, header("Authorization: Bearer b\r\n")), nullptr);
  EXPECT_EQ(recognised_in(heads, header("Authorization: Bearer aa\r\n")), nullptr);
}

/// Where a header is looked for, not all of it counts: what is alike there is still another.
TEST(known_heads, those_that_look_alike_are_told_apart) {
  known_heads heads;
  const auto mine = head_of(header("Authorization: Bearer mine-and-the-same-end\r\n"));
  heads.keep(mine);
  const auto theirs = header("Authorization: Bearer evil-and-the-same-end\r\n");
  EXPECT_EQ(recognised_in(heads, theirs), nullptr);
  const auto evil = head_of(theirs);
  heads.keep(evil);
  EXPECT_EQ(recognised_in(heads, theirs), evil) << "the last one is found";
  EXPECT_EQ(recognised_in(heads, mine->block), nullptr);
}

TEST(known_heads, of_a_header_that_is_not_whole_nothing_is_said) {
  known_heads heads;
  const auto whole = header("X: y\r\n");
  heads.keep(head_of(whole));
  for (std::size_t n = 0; n < whole.size(); ++n)
    EXPECT_EQ(recognised_in(heads, std::string_view(whole).substr(0, n)), nullptr) << n;
  EXPECT_NE(recognised_in(heads, whole), nullptr);
  EXPECT_EQ(heads.find(std::string(100'000, 'x')), nullptr);
  EXPECT_EQ(heads.find(std::string(100'000, '\n')), nullptr);
}

TEST(known_heads, what_no_other_can_be_recognised_by_is_not_kept) {
  known_heads heads;
  const std::string chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  request_reader reader(1024);
  reader.feed(chunked + "0\r\n\r\n");
  heads.keep(reader.take().head);
  EXPECT_EQ(heads.find(chunked), nullptr);
  heads.keep(no_head());
  const auto long_one = header("X: " + std::string(limits::known_header_bytes, 'x') + "\r\n");
  heads.keep(head_of(long_one));
  EXPECT_EQ(heads.find(long_one), nullptr);
}

TEST(known_heads, are_bounded_and_the_latest_are_there) {
  known_heads heads;
  const auto of = [](int i) { return header("X: " + std::to_string(i) + "\r\n"); };
  std::vector<std::weak_ptr<const received_head>> all;
  for (int i = 0; i < 10'000; ++i) {
    const auto h = head_of(of(i));
    heads.keep(h);
    ASSERT_EQ(recognised_in(heads, of(i)), h);
    all.push_back(h);
  }
  const auto kept = std::ranges::count_if(all, [](const auto& h) { return !h.expired(); });
  EXPECT_LE(kept, static_cast<std::ptrdiff_t>(limits::known_heads));
  EXPECT_GT(kept, static_cast<std::ptrdiff_t>(limits::known_heads) / 2);
}

/// As many callers as a proxy may have on its connections find theirs nearly always.
TEST(known_heads, of_a_number_of_callers_few_are_in_each_others_way) {
  known_heads heads;
  constexpr int callers = 64;
  const auto of = [](int i) {
    return header("Authorization: Bearer x." + std::to_string(i * 7919) +
                  ".sig\r\nMcp-Session-Id: s" + std::to_string(i * 104'729) + "\r\n");
  };
  int found = 0;
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < callers; ++i) {
      if (recognised_in(heads, of(i)))
        ++found;
      else
        heads.keep(head_of(of(i)));
    }
  EXPECT_GE(found, callers - 1);
}

}  // namespace
}  // namespace gate::http
