#include "protocol/trace/span.hpp"

#include <gtest/gtest.h>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "tests/support/decoded_span.hpp"

namespace gate::trace {
namespace {

using testing::decode_span;
using namespace std::chrono_literals;

span usual() {
  span s;
  s.self = *read_parent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  s.name = "tools/call";
  s.began = wall_time{1s};
  s.ended = wall_time{1s + 5ms};
  return s;
}

TEST(a_span, says_what_it_is) {
  auto s = usual();
  s.parent[7] = 9;
  s.remote_parent = true;
  s.state = "a=1";
  s.kind = kind::client;
  s.lead = "upstream ";
  s.name = "a";
  s.add("k", "v");
  s.add("empty", "");
  const std::array links{span_context{{1}, {2}, 1}};
  s.links = links;
  const auto read = decode_span(encode(s));
  EXPECT_EQ(read.trace, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(read.id, "00f067aa0ba902b7");
  EXPECT_EQ(read.parent, "0000000000000009");
  EXPECT_EQ(read.state, "a=1");
  EXPECT_EQ(read.name, "upstream a");
  EXPECT_EQ(read.kind, 3U);
  EXPECT_EQ(read.start, 1'000'000'000U);
  EXPECT_EQ(read.end, 1'005'000'000U);
  EXPECT_EQ(read.attributes, (std::map<std::string, std::string>{{"k", "v"}}));
  EXPECT_EQ(read.links, std::vector<std::string>{"0200000000000000"});
  EXPECT_EQ(read.flags, 0x301U);
  EXPECT_EQ(read.status, 0U);
}

TEST(a_span, without_a_parent_is_a_root) {
  const auto read = decode_span(encode(usual()));
  EXPECT_EQ(read.parent, "");
  EXPECT_EQ(read.kind, 2U);
  EXPECT_EQ(read.flags, 0x101U);
}

TEST(a_span, that_failed_says_so) {
  auto s = usual();
  s.failed = true;
  s.why = "no";
  auto read = decode_span(encode(s));
  EXPECT_EQ(read.status, 2U);
  EXPECT_EQ(read.why, "no");
  s.why = {};
  EXPECT_EQ(decode_span(encode(s)).status, 2U);
}

/// One byte that is no text, and a collector refuses all that comes with it.
TEST(a_span, is_text_whatever_anybody_says) {
  auto s = usual();
  const std::string longest(limits::trace_text_bytes, 'x');
  const std::string wide = longest.substr(1) + "\xC3\xA4";
  s.add("bad", "a\xFF\xC3");
  s.add("nul", std::string_view("a\0b", 3));
  s.add("good", "\xC3\xA4\xF0\x9F\x99\x82");
  s.add("fits", longest);
  s.add("cut", wide);
  s.name = "\xED\xA0\x80";
  const auto read = decode_span(encode(s));
  EXPECT_EQ(read["bad"], "a\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(read["nul"], std::string("a\0b", 3));
  EXPECT_EQ(read["good"], "\xC3\xA4\xF0\x9F\x99\x82");
  EXPECT_EQ(read["fits"], longest);
  EXPECT_EQ(read["cut"], longest.substr(1) + " …") << "at the beginning of a character";
  for (const auto& [key, value] : read.attributes)
    EXPECT_EQ(json::validate(json::quoted(value), {}), json::fault::none) << key;
  EXPECT_EQ(read.name.find('\xED'), std::string::npos);
}

/// How long it is, is known at its end, and stands at its beginning.
TEST(a_span, says_how_long_it_is_behind_others_however_long) {
  span tiny, huge = usual();
  const std::string longest(limits::trace_text_bytes, 'x');
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < span::most; ++i) keys.push_back("k" + std::to_string(i));
  for (const auto& key : keys) huge.add(key, longest);
  std::string out = "before";
  for (const auto* s : {&tiny, &huge, &tiny}) append(out, *s);
  EXPECT_EQ(out, "before" + encode(tiny) + encode(huge) + encode(tiny));
  EXPECT_LT(encode(tiny).size(), 128U);
  EXPECT_GT(encode(huge).size(), 16U * 1024);
  EXPECT_EQ(decode_span(encode(huge)).attributes.size(), span::most);
  EXPECT_TRUE(decode_span(encode(tiny)).attributes.empty());
}

/// Whether a text is plain is seen wherever in it a byte is not.
TEST(a_span, is_text_wherever_it_is_none) {
  for (std::size_t size = 1; size < 20; ++size)
    for (std::size_t at = 0; at < size; ++at) {
      auto s = usual();
      std::string text(size, 'x'), mended = text;
      text[at] = '\xFF';
      mended.replace(at, 1, "\xEF\xBF\xBD");
      s.add("bad", text);
      EXPECT_EQ(decode_span(encode(s))["bad"], mended) << at << " of " << size;
    }
}

TEST(a_span, has_as_many_attributes_and_links_as_it_may) {
  auto s = usual();
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < span::most + 5; ++i) keys.push_back("k" + std::to_string(i));
  for (const auto& key : keys) s.add(key, "v");
  const std::vector<span_context> links(limits::trace_links + 3, span_context{{1}, {2}, 1});
  s.links = links;
  const auto read = decode_span(encode(s));
  EXPECT_EQ(read.attributes.size(), span::most);
  EXPECT_EQ(read.links.size(), limits::trace_links);
}

}  // namespace
}  // namespace gate::trace
