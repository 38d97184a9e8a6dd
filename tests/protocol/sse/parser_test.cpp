#include "protocol/sse/parser.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gate::sse {
namespace {

struct heard {
  std::string type, data, id;
  bool has_id;
  bool operator==(const heard&) const = default;
};

void PrintTo(const heard& h, std::ostream* out) {
  *out << '{' << h.type << '|' << h.data << '|' << h.id << '|' << h.has_id << '}';
}

using list = std::vector<heard>;

/// Feeds `text` in pieces that end at the given places.
list feed(parser& p, std::string_view text, std::vector<std::size_t> cuts = {}) {
  list events;
  std::size_t from = 0;
  cuts.push_back(text.size());
  for (auto to : cuts) {
    p.feed(text.substr(from, to - from), [&](event&& e) {
      events.push_back({std::move(e.type), std::move(e.data), std::move(e.id), e.has_id});
    });
    from = to;
  }
  return events;
}

list parse(std::string_view text) {
  parser p(1 << 20);
  return feed(p, text);
}

/// Line feeds replaced by another line ending.
std::string with_ending(std::string_view text, std::string_view ending) {
  std::string out;
  for (char c : text) c == '\n' ? out += ending : out += c;
  return out;
}

TEST(sse_parser, fields_and_events) {
  EXPECT_EQ(parse("data: a\n\n"), (list{{"", "a", "", false}}));
  EXPECT_EQ(parse("data:a\n\n"), (list{{"", "a", "", false}}));
  EXPECT_EQ(parse("data:  a\n\n"), (list{{"", " a", "", false}})) << "one blank only";
  EXPECT_EQ(parse("data: a:b\n\n"), (list{{"", "a:b", "", false}}));
  EXPECT_EQ(parse("data: a\ndata\ndata: b\n\n"), (list{{"", "a\n\nb", "", false}}));
  EXPECT_EQ(parse("data\n\n"), (list{{"", "", "", false}}));
  EXPECT_EQ(parse("data:\n\n"), (list{{"", "", "", false}}));
  EXPECT_EQ(parse("event: x\ndata: a\n\n"), (list{{"x", "a", "", false}}));
  EXPECT_EQ(parse("data: a\nevent: x\nevent: y\n\n"), (list{{"y", "a", "", false}}));
  EXPECT_EQ(parse("Data: a\nDATA: b\n data: c\n\n"), list{}) << "field names are exact";
  EXPECT_EQ(parse("data : a\n\n"), list{});
  EXPECT_EQ(parse("foo: a\n:comment\n: data: b\nfoo\ndata: c\n\n"), (list{{"", "c", "", false}}));
  EXPECT_EQ(parse("\n\n\n"), list{});
  EXPECT_EQ(parse(""), list{});
  EXPECT_EQ(parse("data: \xFF\xC3\n\n"), (list{{"", "\xFF\xC3", "", false}})) << "bytes pass";
}

TEST(sse_parser, counts_lines_however_they_end) {
  for (const std::string text : {":\n:\n\n", ":\r:\r\r", ":\r\n:\r\n\r\n", "data: a\n\n:"}) {
    parser p(1 << 20);
    feed(p, text, {1, 2, 3});
    EXPECT_EQ(p.lines(), text.starts_with(':') ? 3U : 2U) << text;
  }
}

TEST(sse_parser, what_the_end_cuts_off_is_discarded) {
  EXPECT_EQ(parse("data: a\n\ndata: b\n"), (list{{"", "a", "", false}}));
  EXPECT_EQ(parse("data: a\n\ndata: b"), (list{{"", "a", "", false}}));
  EXPECT_EQ(parse("data: a"), list{});
  EXPECT_EQ(parse("id: 7\ndata: a\n"), list{}) << "an id counts when its event is complete";
}

TEST(sse_parser, a_type_without_data_is_forgotten) {
  EXPECT_EQ(parse("event: x\n\ndata: a\n\n"), (list{{"", "a", "", false}}));
}

TEST(sse_parser, events_carry_their_own_ids) {
  parser p(100);
  EXPECT_EQ(feed(p, "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n"),
            (list{{"", "a", "1", true}, {"", "b", "", false}, {"", "c", "", true}}))
      << "not copied into those that follow: it may be as long as an event";
  EXPECT_EQ(feed(p, std::string_view("id: 2\nid: a\0b\ndata: d\n\n", 23)),
            (list{{"", "d", "2", true}}))
      << "an id with a null is ignored";
}

TEST(sse_parser, priming_events_are_delivered) {
  parser p(100);
  EXPECT_EQ(feed(p, "id: e1\nretry: 500\ndata: \n\n"), (list{{"", "", "e1", true}}));
  EXPECT_EQ(p.retry_ms(), 500u);
  EXPECT_EQ(feed(p, "id: e2\n\n"), (list{{"", "", "e2", true}}));
}

TEST(sse_parser, retry_is_digits_only) {
  auto retry = [](std::string_view value) {
    parser p(100);
    feed(p, "retry: 1\nretry:" + std::string(value) + "\n");
    return p.retry_ms().value_or(0);
  };
  EXPECT_EQ(retry("500"), 500u);
  EXPECT_EQ(retry(" 0500"), 500u);
  EXPECT_EQ(retry("4294967295"), 4294967295u);
  EXPECT_EQ(retry("0"), 0u);
  for (std::string_view ignored :
       {"", " ", "-5", "+5", "5.0", "5s", "0x5", "  5", "5 ", "4294967296", "1e3"})
    EXPECT_EQ(retry(ignored), 1u) << ignored;
  EXPECT_FALSE(parser(10).retry_ms().has_value());
}

TEST(sse_parser, byte_order_mark_only_at_the_start) {
  const std::string bom = "\xEF\xBB\xBF";
  EXPECT_EQ(parse(bom + "data: a\n\n"), (list{{"", "a", "", false}}));
  EXPECT_EQ(parse(bom + bom + "data: a\n\n"), list{});
  EXPECT_EQ(parse("\n" + bom + "data: a\n\n"), list{});
  EXPECT_EQ(parse(bom + "\ndata: a\n\n"), (list{{"", "a", "", false}}));
}

TEST(sse_parser, every_cut_with_every_line_ending) {
  const std::string stream =
      "\xEF\xBB\xBF: hello\nevent: message\nid: 1\ndata: {\"a\":\ndata: 1}\n\nretry: 20\n\n\ndata: "
      "x\n\nid: 2\n\nevent: t\ndata\ndata\n\ndata: cut off";
  const list expected{{"message", "{\"a\":\n1}", "1", true},
                      {"", "x", "", false},
                      {"", "", "2", true},
                      {"t", "\n", "", false}};
  for (std::string_view ending : {"\n", "\r", "\r\n"}) {
    auto text = with_ending(stream, ending);
    for (std::size_t i = 0; i <= text.size(); ++i) {
      for (std::size_t j = i; j <= text.size(); ++j) {
        parser p(1000);
        ASSERT_EQ(feed(p, text, {i, j}), expected) << i << ' ' << j << ' ' << ending.size();
        ASSERT_EQ(p.retry_ms(), 20u);
      }
    }
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < text.size(); ++i) all.push_back(i);
    parser p(1000);
    EXPECT_EQ(feed(p, text, all), expected) << "byte by byte";
  }
}

TEST(sse_parser, endings_can_be_mixed) {
  EXPECT_EQ(parse("data: a\r\ndata: b\rdata: c\n\r\ndata: d\n\r"),
            (list{{"", "a\nb\nc", "", false}, {"", "d", "", false}}));
  EXPECT_EQ(parse("data: a\r\r\n"), (list{{"", "a", "", false}}));
  EXPECT_EQ(parse("data: a\r\n\r\n\r\n"), (list{{"", "a", "", false}}));
}

TEST(sse_parser, an_event_is_out_with_the_carriage_return_that_ends_it) {
  parser p(100);
  EXPECT_EQ(feed(p, "data: a\r\n\r").size(), 1u)
      << "whether a line feed follows may be told much later";
  EXPECT_EQ(feed(p, "\ndata: b\r\n\r\n"), (list{{"", "b", "", false}}));
}

TEST(sse_parser, lines_and_events_are_bounded) {
  auto broken_after = [](std::string_view text, std::vector<std::size_t> cuts = {}) {
    parser p(10);
    feed(p, text, cuts);
    return p.broken();
  };
  EXPECT_FALSE(broken_after("data: 1234\n"));
  EXPECT_TRUE(broken_after("data: 12345\n"));
  EXPECT_TRUE(broken_after("data: 12345", {6}));
  EXPECT_TRUE(broken_after(":2345678901"));
  EXPECT_FALSE(broken_after("data:12345\ndata:1234\n\ndata:12345\n\n"));
  EXPECT_TRUE(broken_after("data:12345\ndata:12345\n\n"));
  EXPECT_TRUE(
      broken_after("data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n\n"));
  for (std::size_t cut = 0; cut < 22; ++cut)
    EXPECT_TRUE(broken_after("data:12345\ndata:12345\n\n", {cut})) << cut;
  parser p(10);
  EXPECT_EQ(feed(p, "data: a\n\n12345678901\n\ndata: b\n\n").size(), 1u);
  EXPECT_EQ(feed(p, "\n\ndata: c\n\n").size(), 0u) << "no way back";
}

}  // namespace
}  // namespace gate::sse
