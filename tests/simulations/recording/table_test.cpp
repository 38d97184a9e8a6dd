// Calls as a table, and what a stranger can not do with it.
#include "simulations/recording/table.hpp"

#include <boost/json.hpp>

#include "simulations/recording/moment.hpp"
#include "simulations/recording/printable.hpp"
#include "tests/simulations/recording/lines.hpp"

namespace gate::recording {
namespace {

call sample(std::uint64_t at = 1'500'000) {
  call c;
  c.at = at;
  c.client = "10.0.0.1";
  c.method = "tools/call";
  c.name = "files__x";
  c.upstreams = {"files", "web"};
  c.outcome = "ok";
  c.took = 2500;
  return c;
}

TEST(recording_table, is_as_wide_as_needed) {
  table t(0);
  t.add(sample());
  auto other = sample(500'000);
  other.name = "a_longer_name";
  other.took.reset();
  t.add(other);
  EXPECT_EQ(t.take(),
            "    time  client    method      name           upstream   outcome   ms\n"
            "0.500000  10.0.0.1  tools/call  a_longer_name  files,web  ok         -\n"
            "1.500000  10.0.0.1  tools/call  files__x       files,web  ok       2.5\n");
  EXPECT_TRUE(t.empty());
  EXPECT_EQ(t.take(), "");
  // The heading is not written again, unless columns are others.
  t.add(sample());
  EXPECT_EQ(t.take(), "1.500000  10.0.0.1  tools/call  files__x       files,web  ok       2.5\n");
  auto ruled = sample();
  ruled.rule = "r";
  t.add(ruled);
  EXPECT_TRUE(
      t.take().starts_with("    time  client    method      name           upstream   "
                           "outcome   ms  rule\n"));
}

TEST(recording_table, fits_on_a_terminal) {
  for (const std::size_t width : {76, 100, 200}) {
    table t(width);
    auto c = sample();
    c.name = std::string(300, 'n');
    c.session = "secret:12345678";
    t.add(c);
    const auto text = t.take();
    std::size_t at = 0;
    while (at < text.size()) {
      const auto end = text.find('\n', at);
      EXPECT_LE(columns_of(text.substr(at, end - at)), width);
      at = end + 1;
    }
    EXPECT_NE(text.find("nn…"), std::string::npos);
  }
}

TEST(recording_table, strangers_do_not_reach_the_terminal) {
  table t(0);
  auto c = sample();
  c.name = "\x1b[2J\x07\r\n\xe2\x80\xae\xff";
  c.client = c.principal = c.session = c.method = c.outcome = c.rule = c.name;
  c.upstreams = {c.name};
  t.add(c);
  const auto text = t.take();
  for (const char b : text) EXPECT_TRUE(b == '\n' || (b >= ' ' && b < 0x7f)) << int(b);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_NE(text.find(R"(\u001b[2J\u0007\u000d\u000a\u202e\xff)"), std::string::npos);
  const auto json = json_line(c, {"v", "2026-11-28T06:00:00Z", 1, "{}"});
  EXPECT_EQ(json.find('\x1b'), std::string::npos);
}

TEST(recording_table, printable_text) {
  EXPECT_EQ(printable("grün 漢字 😀"), "grün 漢字 😀");
  EXPECT_EQ(printable("\xc2\x9b"), R"(\u009b)");            // CSI as one character
  EXPECT_EQ(printable("\xed\xa0\x80"), R"(\xed\xa0\x80)");  // a surrogate
  EXPECT_EQ(printable("\xc0\xaf"), R"(\xc0\xaf)");          // overlong
  EXPECT_EQ(printable("\xf0\x9f"), R"(\xf0\x9f)");          // cut off
  EXPECT_EQ(printable("\xf3\xa0\x81\x81"), R"(\U000e0041)");
  EXPECT_EQ(columns_of("grün"), 4u);
  EXPECT_EQ(columns_of("漢字"), 4u);
  EXPECT_EQ(columns_of("e\xcc\x81"), 1u);
  EXPECT_EQ(cut_to("grün", 4), "grün");
  EXPECT_EQ(cut_to("grüner", 4), "grü…");
  EXPECT_EQ(cut_to("漢字漢", 4), "漢…");
  EXPECT_EQ(cut_to("abc", 0), "…");
}

TEST(recording_table, moments) {
  EXPECT_EQ(later("2026-11-28T06:00:00.000001Z", 0), "2026-11-28T06:00:00.000001Z");
  EXPECT_EQ(later("2024-02-28T23:59:59.5Z", 500'000), "2024-02-29T00:00:00.000000Z");
  EXPECT_EQ(later("2026-12-31T23:59:59Z", 1'000'000), "2027-01-01T00:00:00.000000Z");
  EXPECT_EQ(later("2026-13-31T23:59:59Z", 1), "");
  EXPECT_EQ(later("", 1), "");
}

TEST(recording_table, as_json_and_in_sum) {
  const preamble first{"0.1.0", "2026-11-28T06:00:00Z", 2, "{}"};
  auto c = sample();
  c.number = 7;
  c.rule = "r\"1";
  const auto parsed = boost::json::parse(json_line(c, first)).as_object();
  EXPECT_EQ(parsed.at("t").as_int64(), 1'500'000);
  EXPECT_EQ(parsed.at("time").as_string(), "2026-11-28T06:00:01.500000Z");
  EXPECT_EQ(parsed.at("upstreams").as_array().size(), 2u);
  EXPECT_EQ(parsed.at("ms").as_double(), 2.5);
  EXPECT_EQ(parsed.at("rule").as_string(), "r\"1");
  call stop;
  stop.operation = true;
  stop.method = "stop";
  EXPECT_EQ(boost::json::parse(json_line(stop, first)).as_object().at("operation"), "stop");
  story_counts counts;
  counts.calls = 3;
  counts.fetches = 1;
  counts.outcomes = {{"denied", 1}, {"ok", 2}};
  counts.last_at = 2'500'000;
  EXPECT_EQ(summary_line(counts, first, ending::limit),
            "3 calls: 1 denied, 2 ok; 1 fetch; 2.500 s from 2026-11-28T06:00:00Z, gate 0.1.0; ends "
            "by limit\n");
  const auto sum = boost::json::parse(json_summary(counts, first, ending::none)).as_object();
  EXPECT_EQ(sum.at("summary").at("outcomes").at("ok").as_int64(), 2);
  EXPECT_FALSE(sum.at("summary").as_object().contains("end"));
}

}  // namespace
}  // namespace gate::recording
