#include "protocol/resp/reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/resp_text.hpp"

namespace gate::resp {
namespace {

using texts = std::vector<std::string>;

struct reading {
  texts values;
  std::string why;
  bool operator==(const reading&) const = default;
};

void read_on(reader& r, std::string_view bytes, reading& out) {
  r.take(bytes);
  while (const auto v = r.next()) out.values.push_back(shown(*v));
  out.why = r.why();
}

reading read(std::string_view bytes, bounds most = {}) {
  reader r(most);
  reading out;
  read_on(r, bytes, out);
  return out;
}

reading in_pieces(std::string_view bytes, std::size_t first, std::size_t step, bounds most = {}) {
  reader r(most);
  reading out;
  for (auto size = first; !bytes.empty(); size = step) {
    read_on(r, bytes.substr(0, size), out);
    bytes.remove_prefix(std::min(size, bytes.size()));
  }
  return out;
}

struct sample {
  std::string bytes;
  texts values;
};

const std::vector<sample>& samples() {
  static const std::vector<sample> all{
      {"+OK\r\n", {"'OK'"}},
      {"+\r\n", {"''"}},
      {"-ERR no\r\n", {"!'ERR no'"}},
      {":0\r\n:-7\r\n:+7\r\n", {"0", "-7", "7"}},
      {":9223372036854775807\r\n", {"9223372036854775807"}},
      {":-9223372036854775808\r\n", {"-9223372036854775808"}},
      {"$5\r\na\r\nbc\r\n", {"'a\r\nbc'"}},
      {"$0\r\n\r\n", {"''"}},
      {"$-1\r\n", {"null"}},
      {"*-1\r\n", {"null"}},
      {"_\r\n", {"null"}},
      {"#t\r\n#f\r\n", {"true", "false"}},
      {",1.5\r\n,-2e3\r\n,inf\r\n,-inf\r\n", {"1.5", "-2000", "inf", "-inf"}},
      {",+3\r\n", {"3"}},
      {"(123456789012345678901234567890\r\n", {"#123456789012345678901234567890"}},
      {"(-12\r\n", {"#-12"}},
      {"!9\r\nERR a\r\nbc\r\n", {"!'ERR a\r\nbc'"}},
      {"=8\r\ntxt:some\r\n", {"'some'"}},
      {"=4\r\ntxt:\r\n", {"''"}},
      {"*0\r\n", {"[]"}},
      {"%0\r\n", {"{}"}},
      {"~0\r\n", {"<>"}},
      {"*3\r\n:1\r\n$1\r\na\r\n_\r\n", {"[1 'a' null]"}},
      {"*2\r\n*1\r\n:1\r\n*2\r\n*0\r\n:2\r\n", {"[[1] [[] 2]]"}},
      {"%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n:2\r\n", {"{'a' 1 'b' [2]}"}},
      {"~2\r\n:1\r\n:2\r\n", {"<1 2>"}},
      {">3\r\n+message\r\n$1\r\nc\r\n$4\r\ntext\r\n:1\r\n", {">['message' 'c' 'text']", "1"}},
      {"|1\r\n+ttl\r\n:3600\r\n+OK\r\n", {"'OK'"}},
      {"|0\r\n+OK\r\n", {"'OK'"}},
      {"|1\r\n+a\r\n*2\r\n:1\r\n|1\r\n+b\r\n:2\r\n:3\r\n:4\r\n", {"4"}},
      {"*2\r\n|1\r\n+a\r\n:1\r\n:2\r\n|1\r\n+b\r\n%1\r\n:7\r\n:8\r\n*1\r\n:3\r\n", {"[2 [3]]"}},
      {"+OK\r\n$3\r\nfoo\r\n*1\r\n:1\r\n-ERR\r\n", {"'OK'", "'foo'", "[1]", "!'ERR'"}},
  };
  return all;
}

TEST(resp_reader, reads_what_servers_say) {
  for (const auto& s : samples()) EXPECT_EQ(read(s.bytes), (reading{s.values, ""})) << s.bytes;
}

TEST(resp_reader, however_it_is_cut) {
  std::string all;
  texts values;
  for (const auto& s : samples()) {
    all += s.bytes;
    values.insert(values.end(), s.values.begin(), s.values.end());
    for (std::size_t first = 1; first <= s.bytes.size(); ++first)
      for (const std::size_t step : {1U, 2U, 1000U})
        EXPECT_EQ(in_pieces(s.bytes, first, step), (reading{s.values, ""}))
            << s.bytes << " cut at " << first << ", then " << step;
  }
  for (std::size_t step = 1; step < 64; ++step)
    EXPECT_EQ(in_pieces(all, step, step), (reading{values, ""})) << step;
}

TEST(resp_reader, what_is_not_complete_is_not_told) {
  for (const auto& s : samples()) {
    const auto last = s.values.size() - 1;
    for (std::size_t cut = 0; cut < s.bytes.size(); ++cut) {
      const auto part = read(s.bytes.substr(0, cut));
      EXPECT_LE(part.values.size(), last) << s.bytes << " up to " << cut;
      EXPECT_EQ(part.why, "") << s.bytes << " up to " << cut;
    }
  }
}

TEST(resp_reader, an_error_says_what_is_wrong) {
  struct wrong {
    std::string bytes, why;
  };
  const std::vector<wrong> all{
      {"HTTP/1.1 400 Bad Request\r\n", "a reply can not begin with 'H'"},
      {std::string(1, '\0'), "a reply can not begin with byte 0"},
      {"\r\n", "a reply can not begin with byte 13"},
      {"+a\n", "a line does not end as it should"},
      {"+a\rb\r\n", "a line does not end as it should"},
      {":\r\n", "a number that is none, or too large"},
      {":1a\r\n", "a number that is none, or too large"},
      {":+-1\r\n", "a number that is none, or too large"},
      {":9223372036854775808\r\n", "a number that is none, or too large"},
      {",\r\n", "a real number that is none, or too large"},
      {",1.5x\r\n", "a real number that is none, or too large"},
      {"(\r\n", "a big number that is none"},
      {"(1.5\r\n", "a big number that is none"},
      {"#x\r\n", "a truth that is neither t nor f"},
      {"_x\r\n", "a null with something in it"},
      {"$x\r\n", "a string whose length is no number"},
      {"$-2\r\n", "a string whose length is no number"},
      {"$99999999999999999999\r\n", "a string whose length is no number"},
      {"$?\r\n", "a string in pieces, which nobody asked for"},
      {"!-1\r\n", "a string whose length is no number"},
      {"$1\r\nabc", "a string is not as long as it says"},
      {"=3\r\nabc\r\n", "a verbatim string without its kind"},
      {"=5\r\nabcde\r\n", "a verbatim string without its kind"},
      {"*x\r\n", "a list whose length is no number"},
      {"%-1\r\n", "a list whose length is no number"},
      {"*?\r\n", "a list in pieces, which nobody asked for"},
      {"*1\r\n>1\r\n:1\r\n", "a push within another value"},
      {"|1\r\n+a\r\n>1\r\n:1\r\n", "a push within another value"},
  };
  for (const auto& w : all) {
    EXPECT_EQ(read(w.bytes), (reading{{}, w.why})) << w.bytes;
    EXPECT_EQ(in_pieces(w.bytes, 1, 1), (reading{{}, w.why})) << w.bytes << " byte by byte";
    EXPECT_EQ(read("+OK\r\n" + w.bytes + "+OK\r\n"), (reading{{"'OK'"}, w.why}))
        << "nothing is read behind it: " << w.bytes;
  }
}

TEST(resp_reader, is_bounded_in_bytes) {
  const bounds most{.bytes = 20};
  EXPECT_EQ(read("$14\r\n12345678901234\r\n", most).values.size(), 1U);
  EXPECT_EQ(read("$16\r\n", most).why, "a reply is longer than it may be");
  EXPECT_EQ(read("*4\r\n+abcd\r\n+abcd\r\n+abcd\r\n", most).why,
            "a reply is longer than it may be");
  EXPECT_EQ(read("$18446744073709551615\r\n").why, "a reply is longer than it may be");
  const bounds short_lines{.line = 4};
  EXPECT_EQ(read("+abcd\r\n", short_lines).values, texts{"'abcd'"});
  EXPECT_EQ(read("+abcde\r\n", short_lines).why, "a line is longer than it may be");
  EXPECT_EQ(read("+abcde", short_lines).why, "a line is longer than it may be") << "not the end";
}

TEST(resp_reader, is_bounded_in_parts) {
  const bounds most{.elements = 4};
  EXPECT_EQ(read("*4\r\n:1\r\n:1\r\n:1\r\n:1\r\n", most).values.size(), 1U);
  EXPECT_EQ(read("*5\r\n", most).why, "a reply has more parts than it may have");
  EXPECT_EQ(read("%3\r\n", most).why, "a reply has more parts than it may have");
  EXPECT_EQ(read("*2\r\n*3\r\n", most).why, "a reply has more parts than it may have");
  EXPECT_EQ(read("*18446744073709551615\r\n").why, "a reply has more parts than it may have");
  EXPECT_EQ(read("%9223372036854775808\r\n").why, "a reply has more parts than it may have");
  // Attributes without a value behind them would never end.
  std::string attributes;
  for (int i = 0; i < 6; ++i) attributes += "|0\r\n";
  EXPECT_EQ(read(attributes, most).why, "a reply has more parts than it may have");
}

TEST(resp_reader, is_bounded_in_depth) {
  const bounds most{.depth = 2};
  EXPECT_EQ(read("*1\r\n*1\r\n*0\r\n", most).values, texts{"[[[]]]"});
  EXPECT_EQ(read("*1\r\n*1\r\n*1\r\n:1\r\n", most).why, "a reply is deeper than it may be");
}

TEST(resp_reader, bounds_are_of_each_value) {
  std::string many;
  for (int i = 0; i < 50; ++i) many += "*3\r\n:1\r\n:2\r\n+abc\r\n";
  EXPECT_EQ(read(many, {.bytes = 24, .elements = 4}).values.size(), 50U);
  EXPECT_EQ(in_pieces(many, 7, 7, {.bytes = 24, .elements = 4}).values.size(), 50U);
}

/// What has been read is not kept, and what is not complete is not read again: a long list byte by
/// byte would take hours else.
TEST(resp_reader, the_work_is_linear) {
  std::string list = "*50000\r\n";
  for (int i = 0; i < 50'000; ++i) list += "$10\r\n0123456789\r\n";
  reader r;
  std::size_t told = 0;
  for (int rounds = 0; rounds < 3; ++rounds)
    for (const char c : list) {
      r.take({&c, 1});
      while (const auto v = r.next()) {
        ++told;
        EXPECT_EQ(v->size(), 50'000U);
      }
    }
  EXPECT_EQ(told, 3U);
  EXPECT_LE(r.held(), list.size());
  r.take("+OK\r\n");
  EXPECT_TRUE(r.next());
  EXPECT_FALSE(r.next());
  EXPECT_EQ(r.held(), 0U);
}

TEST(resp_value, is_looked_at_by_place) {
  const auto it = parse("*3\r\n%1\r\n+a\r\n*1\r\n:1\r\n-NOSCRIPT No matching script.\r\n:5\r\n");
  const auto v = it->root();
  ASSERT_EQ(v.size(), 3U);
  EXPECT_EQ(v[0][1][0].number(), 1);
  EXPECT_TRUE(v[1].is_error());
  EXPECT_EQ(v[1].word(), "NOSCRIPT");
  EXPECT_EQ(v[2].number(), 5);
  EXPECT_EQ(v.first().next().next().number(), 5);
  EXPECT_TRUE(parse("+OK\r\n")->root().is_text("OK"));
  EXPECT_FALSE(parse("-OK\r\n")->root().is_text("OK"));
  EXPECT_THROW(parse("+OK\r\n+more\r\n"), std::invalid_argument);
  EXPECT_THROW(parse("+OK"), std::invalid_argument);
}

TEST(resp_value, a_reply_owns_what_it_is_made_of) {
  std::optional<reply> kept;
  {
    reader r;
    r.take("+first\r\n*2\r\n$5\r\nhello\r\n:7\r\n");
    ASSERT_TRUE(r.next());
    kept.emplace(*r.next());
  }
  EXPECT_EQ(shown(kept->root()), "['hello' 7]");
}

}  // namespace
}  // namespace gate::resp
