#include "protocol/recording/line.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "protocol/base/base64.hpp"
#include "protocol/json/scan.hpp"

namespace gate::recording {
namespace {

boost::json::object read(const std::string& text) {
  EXPECT_TRUE(text.ends_with('\n'));
  EXPECT_EQ(text.find('\n'), text.size() - 1) << "more than one line";
  return boost::json::parse(text).as_object();
}

void write(line& l, field f) {
  switch (row(f).of) {
    case shape::text:
      l.text(f, "a \"quote\"\n\x01 é");
      break;
    case shape::bytes:
      l.bytes(f, "two\nlines");
      break;
    case shape::number:
      l.number(f, 18446744073709551615u);
      break;
    case shape::flag:
      l.flag(f, true);
      break;
    case shape::json:
      l.json(f, "{\"a\":\n [1,\r\n2]}");
      break;
    case shape::headers: {
      const std::vector<header> two{{"A", "b"}, {"C", "\"d"}};
      l.headers(f, std::span<const header>(two));
      break;
    }
    case shape::events: {
      const std::vector<sse::event> two{{"", "x\ny", "", false}, {"ping", "", "7", true}};
      l.events(f, two);
      break;
    }
  }
}

boost::json::value expected(field f) {
  switch (row(f).of) {
    case shape::text:
      return "a \"quote\"\n\x01 é";
    case shape::bytes:
      return "two\nlines";
    case shape::number:
      return 18446744073709551615u;
    case shape::flag:
      return true;
    case shape::json:
      return boost::json::parse(R"({"a":[1,2]})");
    case shape::headers:
      return boost::json::parse(R"([["A","b"],["C","\"d"]])");
    case shape::events:
      return boost::json::parse(R"([{"data":"x\ny"},{"data":"","id":"7","event":"ping"}])");
  }
  return nullptr;
}

TEST(recording_line, every_kind_writes_each_of_its_members_and_no_other) {
  for (const auto& k : kind_table) {
    std::string out;
    line l(out, k.what, 1042, 3, 7);
    std::size_t count = 4;
    for (const auto& f : field_table)
      if (has(k.what, f.what)) {
        write(l, f.what);
        ++count;
      }
    l.end();
    const auto o = read(out);
    EXPECT_EQ(o.size(), count) << out;
    EXPECT_EQ(o.at("t").to_number<int>(), 1042);
    EXPECT_EQ(o.at("u").to_number<int>(), 3);
    EXPECT_EQ(o.at("n").to_number<int>(), 7);
    EXPECT_EQ(o.at("e").as_string(), k.name);
    for (const auto& f : field_table) {
      if (!has(k.what, f.what)) continue;
      EXPECT_EQ(o.at(f.name), expected(f.what)) << k.name << ' ' << f.name;
    }
  }
}

TEST(recording_line, each_field_is_of_a_kind_that_exists) {
  for (const auto& f : field_table) {
    std::string left(f.in), found;
    for (const auto& k : kind_table)
      if (has(k.what, f.what)) found.append(found.empty() ? "" : " ").append(k.name);
    EXPECT_EQ(std::ranges::count(left, ' '), std::ranges::count(found, ' ')) << f.name;
    EXPECT_FALSE(found.empty()) << f.name;
  }
}

TEST(recording_line, what_is_not_utf8_is_base64_under_the_other_name) {
  const std::string_view bad[] = {
      "\xff",         "a\xC0\x80",           "\xED\xA0\x80", "\xF4\x90\x80\x80",
      "\xE2\x82",     "\xF0\x80\x80\x80",    "\x80",         "abcdefgh\xC1\xBF",
      "\xE0\x80\x80", "\xF8\x88\x80\x80\x80"};
  for (const auto text : bad) {
    std::string out;
    line(out, kind::body, 0, 0, 0).bytes(field::body, text).end();
    const auto o = read(out);
    EXPECT_FALSE(o.contains("body")) << out;
    EXPECT_EQ(o.at("body64").as_string(), base64_encode(text));
  }
  const std::string_view good[] = {"",
                                   "plain",
                                   "é",
                                   "\xE2\x82\xAC",
                                   "\xF0\x9F\x98\x80",
                                   "\xED\x9F\xBF",
                                   "\xF4\x8F\xBF\xBF",
                                   "\xEF\xBF\xBD",
                                   "\xE0\xA0\x80"};
  for (const auto text : good) {
    std::string out;
    line(out, kind::sent, 0, 0, 0).bytes(field::data, text).end();
    EXPECT_EQ(read(out).at("data").as_string(), text);
  }
}

TEST(recording_line, a_flag_that_is_not_set_is_absent) {
  std::string out;
  line(out, kind::answer, 0, 0, 0).flag(field::close, false).end();
  EXPECT_EQ(out, "{\"t\":0,\"u\":0,\"e\":\"answer\",\"n\":0}\n");
}

TEST(recording_line, lines_follow_each_other_in_one_string) {
  std::string out;
  line(out, kind::gone, 1, 0, 1).end();
  line(out, kind::stop, 2, 0, 0).end();
  EXPECT_EQ(out,
            "{\"t\":1,\"u\":0,\"e\":\"gone\",\"n\":1}\n{\"t\":2,\"u\":0,\"e\":\"stop\",\"n\":0}\n");
}

#ifndef NDEBUG
TEST(recording_line_death, a_member_of_another_kind_is_a_bug) {
  std::string out;
  EXPECT_DEATH(line(out, kind::gone, 0, 0, 0).text(field::why, "x"), "");
  EXPECT_DEATH(line(out, kind::fetched, 0, 0, 0).number(field::why, 1), "");
}
#endif

TEST(recording_line, first_and_last) {
  std::string out;
  append_preamble(out, {"0.1.0", "2026-11-28T06:00:00.000000Z", 3, "{\n\"version\": 1}\n"});
  const auto o = read(out);
  EXPECT_EQ(o.at("gate_recording").to_number<std::uint64_t>(), format);
  EXPECT_EQ(o.at("version").as_string(), "0.1.0");
  EXPECT_EQ(o.at("units").to_number<int>(), 3);
  EXPECT_EQ(o.at("config"), boost::json::parse(R"({"version":1})"));
  for (const auto& [word, how] : endings) {
    out.clear();
    append_ending(out, how);
    EXPECT_EQ(read(out).at("end").as_string(), word);
  }
  out.clear();
  append_ending(out, ending::none);
  EXPECT_EQ(out, "");
}

TEST(recording_line, texts_are_quoted_alike_wherever_their_quotes_stand) {
  const auto quoted = [](std::string_view value) {
    std::string out;
    line(out, kind::sent).bytes(field::data, value);
    return out;
  };
  const auto expect = [&](const std::string& value) {
    EXPECT_EQ(quoted(value), R"(,"data":)" + json::quoted(value)) << value;
  };
  for (std::size_t size = 0; size < 70; ++size)
    for (std::size_t at = 0; at < size; ++at)
      for (const auto* special : {"\"", "\\", "\n", "\x01", "\xC3\xA9"}) {
        std::string value(size, 'x');
        expect(value.replace(at, 1, special));
      }
  expect(std::string(40, '"'));
  expect(std::string(200'000, '"'));
  expect(std::string(200'000, 'x') + "\"");
}

}  // namespace
}  // namespace gate::recording
