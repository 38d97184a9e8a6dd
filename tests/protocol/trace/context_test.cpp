#include "protocol/trace/context.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::trace {
namespace {

const std::string parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

std::string lines(std::vector<http::header> headers, std::string_view meta = {}) {
  return header_lines(read(headers, meta));
}

TEST(traceparent, is_read_byte_by_byte) {
  EXPECT_TRUE(is_traceparent(parent));
  // Every other byte at every place: only digits may be replaced, by digits.
  for (std::size_t i = 0; i < parent.size(); ++i)
    for (int b = 0; b < 256; ++b) {
      auto text = parent;
      text[i] = static_cast<char>(b);
      const bool hyphen = parent[i] == '-';
      const bool digit = (b >= '0' && b <= '9') || (b >= 'a' && b <= 'f');
      // Any version but ff may follow the same form.
      const bool good = hyphen ? b == '-' : digit;
      EXPECT_EQ(is_traceparent(text), good) << text;
    }
  for (std::size_t n = 0; n < parent.size(); ++n) EXPECT_FALSE(is_traceparent(parent.substr(0, n)));
}

TEST(header_lines, are_known_again) {
  for (const auto& what : std::vector<carried>{{},
                                               {parent, {}, {}, {}},
                                               {parent, "a=1", {}, {}},
                                               {{}, {}, "k=v", {}},
                                               {parent, "a=1", "k=v", {}}}) {
    const auto text = header_lines(what);
    EXPECT_TRUE(are_header_lines(text)) << text;
    EXPECT_LE(text.size(), header_lines_bytes);
    for (std::size_t i = 1; i < text.size(); ++i) {
      const auto rest = text.substr(0, i);
      const bool whole = rest.ends_with("\r\n");
      EXPECT_EQ(are_header_lines(rest), whole) << rest;
    }
  }
  // The largest that there can be.
  std::string state = "a=" + std::string(limits::trace_state_part_bytes, 'x');
  while (state.size() + 259 < limits::trace_state_bytes)
    state += ",b=" + std::string(limits::trace_state_part_bytes, 'x');
  const carried most{"01" + parent.substr(2) + "-" +
                         std::string(limits::trace_parent_bytes - parent.size() - 1, 'x'),
                     state,
                     std::string(limits::baggage_bytes, 'x'),
                     {}};
  EXPECT_TRUE(are_header_lines(header_lines(most)));
  EXPECT_LE(header_lines(most).size(), header_lines_bytes);
}

TEST(header_lines, are_nothing_else) {
  const auto good = "traceparent: " + parent + "\r\n";
  for (const std::string& text :
       {std::string("x"), std::string("\r\n"), good + "\r\n", good + good, good + "x: y\r\n",
        std::string("tracestate: a=1\r\n"), "tracestate: a=1\r\n" + good, "baggage: k=v\r\n" + good,
        std::string("baggage: \r\n"), std::string("baggage: a\nb: c\r\n"),
        "Traceparent: " + parent + "\r\n", "traceparent:" + parent + "\r\n",
        std::string("traceparent: x\r\n"), good + "tracestate: =\r\n"})
    EXPECT_FALSE(are_header_lines(text)) << text;
}

TEST(traceparent, of_zeros_or_of_no_version_is_none) {
  EXPECT_FALSE(is_traceparent("ff" + parent.substr(2)));
  EXPECT_FALSE(is_traceparent("00-00000000000000000000000000000000-00f067aa0ba902b7-01"));
  EXPECT_FALSE(is_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"));
  EXPECT_FALSE(is_traceparent(parent + "-x")) << "version 00 ends here";
  EXPECT_TRUE(is_traceparent("01" + parent.substr(2) + "-x"));
  EXPECT_FALSE(is_traceparent("01" + parent.substr(2) + "x"));
  EXPECT_FALSE(is_traceparent("01" + parent.substr(2) + "-\r\n"));
  EXPECT_FALSE(is_traceparent("01" + parent.substr(2) + "-" + std::string(1000, 'x')));
}

TEST(tracestate, is_a_list_of_members) {
  for (auto good : {"a=1", "a=1,b=2", "a=1 , b=2", "a=1,,b=2", "t@v=x", "0a@b=x!y~", "a-b_c*/d=1"})
    EXPECT_TRUE(is_tracestate(good)) << good;
  for (auto bad :
       {"", "a", "=1", "a=", "A=1", "a=1\r\nX: 1", "a=\x7f", "a=b=c", "a\t=1", "\xC3\xA9=1"})
    EXPECT_FALSE(is_tracestate(bad)) << bad;
  std::string many = "m0=1";
  for (std::size_t i = 1; i < limits::trace_state_members; ++i)
    many += ",m" + std::to_string(i) + "=1";
  EXPECT_TRUE(is_tracestate(many));
  EXPECT_FALSE(is_tracestate(many + ",x=1"));
  EXPECT_TRUE(is_tracestate("a=" + std::string(256, 'x')));
  EXPECT_FALSE(is_tracestate("a=" + std::string(257, 'x')));
}

TEST(header_lines, come_from_headers) {
  EXPECT_EQ(lines({}), "");
  EXPECT_EQ(lines({{"Accept", "x"}, {"X-Traceparent", parent}}), "");
  EXPECT_EQ(lines({{"TraceParent", parent}}), "traceparent: " + parent + "\r\n");
  EXPECT_EQ(lines({{"tracestate", "a=1"}}), "") << "it is nothing without a parent";
  EXPECT_EQ(lines({{"tracestate", "a=1"}, {"traceparent", parent}, {"tracestate", "b=2"}}),
            "traceparent: " + parent + "\r\ntracestate: a=1,b=2\r\n");
  EXPECT_EQ(lines({{"traceparent", parent}, {"traceparent", parent}}), "");
  EXPECT_EQ(lines({{"baggage", "a=1"}, {"Baggage", "b=2"}}), "baggage: a=1,b=2\r\n");
  EXPECT_EQ(lines({{"baggage", std::string(limits::baggage_bytes + 1, 'x')}}), "");
}

TEST(header_lines, of_meta_go_first) {
  const std::string mine = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
  const auto meta = [&](std::string_view more) {
    return R"({"progressToken":1,"traceparent":")" + mine + '"' + std::string(more) + "}";
  };
  const std::vector<http::header> headers{{"traceparent", parent}, {"tracestate", "a=1"}};
  EXPECT_EQ(lines(headers, R"({"progressToken":1})"),
            "traceparent: " + parent + "\r\ntracestate: a=1\r\n");
  EXPECT_EQ(lines(headers, meta("")), "traceparent: " + mine + "\r\n");
  EXPECT_EQ(lines(headers, meta(R"(,"tracestate":"b=2","baggage":"k=v")")),
            "traceparent: " + mine + "\r\ntracestate: b=2\r\nbaggage: k=v\r\n");
  EXPECT_EQ(lines({}, R"({"trace\u0070arent":"\u0030)" + mine.substr(1) + "\"}"),
            "traceparent: " + mine + "\r\n");
  for (auto bad : {R"("x\r\ny")", "7", "null", R"(["a"])", R"("")", R"("\u000d\u000aX-Evil: 1")"}) {
    EXPECT_EQ(lines({}, R"({"traceparent":)" + std::string(bad) + "}"), "") << bad;
    EXPECT_EQ(lines({}, R"({"baggage":)" + std::string(bad) + "}"), "") << bad;
  }
}

TEST(carried, says_what_else_was_named) {
  const std::string mine = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
  const auto meta = R"({"traceparent":")" + mine + "\"}";
  const auto both = read({{"traceparent", parent}}, meta);
  EXPECT_EQ(both.parent, mine);
  EXPECT_EQ(both.other, parent);
  EXPECT_EQ(read({{"traceparent", mine}}, meta).other, "") << "it is the same";
  EXPECT_EQ(read({{"traceparent", "x"}}, meta).other, "");
  EXPECT_EQ(read({{"traceparent", parent}}, "{}").other, "");
  EXPECT_TRUE(read({}, "{}").empty());
}

TEST(trace_in, is_the_trace_that_lines_name) {
  EXPECT_EQ(hex(trace_in(lines({{"traceparent", parent}}))), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(trace_in(lines({{"baggage", "k=v"}})), trace_id{});
  EXPECT_EQ(trace_in(""), trace_id{});
  EXPECT_EQ(trace_in("traceparent: 00-4bf92f3577b34da6"), trace_id{});
}

TEST(in_meta, stands_what_lines_say) {
  const auto all = header_lines({parent, R"(a="\)", "k=v", {}});
  const auto said = R"("traceparent":")" + parent + R"(","tracestate":"a=\"\\","baggage":"k=v"})";
  EXPECT_EQ(in_meta("{}", all), "{" + said);
  EXPECT_EQ(in_meta(R"({"x": {"traceparent":1} , "trace\u0070arent":"y","tracestate":7})", all),
            R"({"x":{"traceparent":1},)" + said);
  EXPECT_EQ(in_meta(R"({"a":1})", ""), R"({"a":1})");
  EXPECT_EQ(in_meta(R"({"a":1})", "broken"), R"({"a":1})");
}

TEST(parent_in, is_found_if_it_is_one_text) {
  EXPECT_EQ(parent_in(R"({"a":{"traceparent":"x"},"traceparent" : "y"})"), "y");
  for (auto none : {"{}", R"({"traceparent":7})", R"({"traceparent":"a","traceparent":"b"})",
                    R"({"Traceparent":"a"})"})
    EXPECT_EQ(parent_in(none), "") << none;
}

}  // namespace
}  // namespace gate::trace
