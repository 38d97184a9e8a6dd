// What stands in a recording, and what can not stand there.
#include "protocol/recording/reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "protocol/limits/playback.hpp"
#include "protocol/recording/line.hpp"
#include "protocol/recording/parse.hpp"
#include "protocol/recording/shapes.hpp"

namespace gate::recording {
namespace {

constexpr std::string_view first_line =
    R"({"gate_recording":1,"version":"0.1.0","started":"2026-11-28T06:00:00.000001Z","units":2,)"
    R"("config":{"a":[1]}})";

/// The problem of the first line that has one; empty if none has.
std::string problem_of(const std::vector<std::string_view>& lines) {
  reader r;
  for (const auto line : lines)
    if (const auto taken = r.take(line); !taken) return taken.error().what;
  return {};
}

/// The same of lines that follow the first.
std::string trouble_of(std::vector<std::string_view> lines) {
  lines.insert(lines.begin(), first_line);
  return problem_of(lines);
}

event event_of(std::string_view line, std::vector<std::string_view> before = {}) {
  reader r;
  before.insert(before.begin(), first_line);
  for (const auto b : before) EXPECT_TRUE(r.take(b).has_value()) << b;
  const auto taken = r.take(line);
  EXPECT_TRUE(taken.has_value()) << taken.error().what;
  return taken && *taken ? **taken : event{};
}

constexpr std::string_view request_7 =
    R"({"t":0,"u":0,"e":"request","n":7,"peer":"127.0.0.1","method":"POST","target":"/mcp"})";
constexpr std::string_view fetch_3 =
    R"({"t":0,"u":1,"e":"fetch","n":3,"method":"POST","url":"http://up/mcp"})";

TEST(recording_reader, reads_the_first_line_and_the_last) {
  reader r;
  EXPECT_FALSE(r.first());
  ASSERT_TRUE(r.take(first_line));
  ASSERT_TRUE(r.first());
  EXPECT_EQ(*r.first(), (preamble{"0.1.0", "2026-11-28T06:00:00.000001Z", 2, R"({"a":[1]})"}));
  EXPECT_EQ(r.end(), ending::none);
  const auto last = r.take(R"({"end":"limit"})");
  ASSERT_TRUE(last);
  EXPECT_FALSE(*last);
  EXPECT_EQ(r.end(), ending::limit);
  EXPECT_EQ(r.lines(), 2u);
  for (const auto& [word, why] : endings) {
    reader other;
    ASSERT_TRUE(other.take(first_line));
    ASSERT_TRUE(other.take(R"({"end":")" + std::string(word) + R"("})"));
    EXPECT_EQ(other.end(), why);
  }
}

TEST(recording_reader, reads_requests) {
  const auto e = event_of(
      R"({"t":1042,"u":1,"e":"request","n":7,"peer":"::1","method":"POST","target":"/mcp?a=%00",)"
      R"("headers":[["Host","h"],["X","\u00e9"],["x",""]],"body":"{\"a\":1}","token":{"alg":"X"},)"
      R"("follows":true,"arrives":true,"flaw":"no length"})");
  EXPECT_EQ(e.what, kind::request);
  EXPECT_EQ(e.at, 1042u);
  EXPECT_EQ(e.unit, 1u);
  EXPECT_EQ(e.number, 7u);
  EXPECT_EQ(e.peer, "::1");
  EXPECT_EQ(e.method, "POST");
  EXPECT_EQ(e.target, "/mcp?a=%00");
  EXPECT_EQ(e.headers, (std::vector<header>{{"Host", "h"}, {"X", "é"}, {"x", ""}}));
  EXPECT_EQ(e.header_of("HOST"), "h");
  EXPECT_EQ(e.header_of("x"), "é");
  EXPECT_EQ(e.header_of("y"), "");
  EXPECT_EQ(e.body, R"({"a":1})");
  EXPECT_EQ(e.token, R"({"alg":"X"})");
  EXPECT_TRUE(e.follows);
  EXPECT_TRUE(e.arrives);
  EXPECT_EQ(e.flaw, "no length");
}

TEST(recording_reader, reads_what_became_of_requests) {
  const std::vector<std::string_view> asked{request_7};
  const std::vector<std::string_view> streams{request_7,
                                              R"({"t":6,"u":0,"e":"stream","n":7,"headers":[]})"};
  const auto body = event_of(R"({"t":6,"u":0,"e":"body","n":7,"body64":"/w=="})", asked);
  EXPECT_EQ(body.body, "\xff");
  const auto answer = event_of(
      R"({"t":6,"u":0,"e":"answer","n":7,"status":200,"type":"t","close":true,"body":""})", asked);
  EXPECT_EQ(answer.status, 200u);
  EXPECT_EQ(answer.type, "t");
  EXPECT_TRUE(answer.close);
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(event_of(R"({"t":6,"u":0,"e":"answer","n":7,"status":204})", asked).body, std::nullopt);
  EXPECT_EQ(event_of(R"({"t":6,"u":0,"e":"sent","n":7,"data":"x\n"})", streams).data, "x\n");
  EXPECT_EQ(event_of(R"({"t":6,"u":0,"e":"ended","n":7})", streams).what, kind::ended);
  EXPECT_EQ(event_of(R"({"t":6,"u":0,"e":"dropped","n":7})", asked).what, kind::dropped);
  EXPECT_EQ(event_of(R"({"t":6,"u":0,"e":"gone","n":7})", asked).what, kind::gone);
  EXPECT_EQ(event_of(R"({"t":6,"u":0,"e":"moved","n":7,"to":1})", asked).to, 1u);
}

TEST(recording_reader, reads_fetches) {
  const auto f = event_of(
      R"({"t":0,"u":1,"e":"fetch","n":3,"method":"POST","url":"http://up/mcp","body":"b"})");
  EXPECT_EQ(f.url, "http://up/mcp");
  const std::vector<std::string_view> asked{fetch_3};
  const auto streamed = event_of(
      R"({"t":7,"u":1,"e":"streamed","n":3,"session":"s","retry":0,"events":[{"data":"d"},)"
      R"({"id":"","event":"e"},{"data":"","id":"9"}]})",
      asked);
  ASSERT_EQ(streamed.events.size(), 3u);
  EXPECT_EQ(streamed.events[0].data, "d");
  EXPECT_FALSE(streamed.events[0].has_id);
  EXPECT_TRUE(streamed.events[1].has_id);
  EXPECT_EQ(streamed.events[1].type, "e");
  EXPECT_EQ(streamed.events[2].id, "9");
  EXPECT_EQ(streamed.retry, 0u);
  EXPECT_EQ(streamed.session, "s");
  const auto end = event_of(
      R"({"t":7,"u":1,"e":"fetched","n":3,"end":"broken","obstacle":"tls","untouched":true,)"
      R"("retry_after":"","why":"w","media":"none","status":503,"body":"x"})",
      asked);
  EXPECT_EQ(end.end, "broken");
  EXPECT_EQ(end.obstacle, "tls");
  EXPECT_TRUE(end.untouched);
  EXPECT_EQ(end.retry_after, "");
  EXPECT_EQ(end.retry, std::nullopt);
  EXPECT_EQ(end.why, "w");
  EXPECT_EQ(end.media, "none");
  EXPECT_EQ(end.status, 503u);
  EXPECT_EQ(event_of(R"({"t":7,"u":1,"e":"abandoned","n":3})", asked).what, kind::abandoned);
}

TEST(recording_reader, reads_what_has_no_number) {
  EXPECT_EQ(event_of(R"({"t":7,"u":0,"e":"reload"})").what, kind::reload);
  EXPECT_EQ(event_of(R"({"t":7,"u":0,"e":"reload","n":0})").what, kind::reload);
  EXPECT_EQ(event_of(R"({"t":7,"u":0,"e":"stop"})").what, kind::stop);
  EXPECT_EQ(event_of(R"({"t":7,"u":0,"e":"document","document":{"x": 1}})").document,
            R"({"x": 1})");
  EXPECT_EQ(event_of(R"({"t":7,"u":0,"e":"audit","line":{"a":1}})").line, R"({"a":1})");
}

TEST(recording_reader, reads_the_store) {
  constexpr std::string_view asked =
      R"({"t":7,"u":0,"e":"asked","n":1,"op":"get","words":["GET","k"]})";
  EXPECT_EQ(event_of(asked).words, R"(["GET","k"])");
  const auto told = event_of(R"({"t":8,"u":0,"e":"told","n":1,"outcome":"ok","reply":7})", {asked});
  EXPECT_EQ(told.outcome, "ok");
  EXPECT_EQ(told.reply, "7");
  EXPECT_TRUE(event_of(R"({"t":8,"u":0,"e":"turned","n":0,"here":true,"anew":true})").anew);
  const auto heard = event_of(R"({"t":8,"u":0,"e":"heard","n":0,"channel":"c","text":"x"})");
  EXPECT_EQ(heard.channel, "c");
  EXPECT_EQ(heard.text, "x");
  EXPECT_NE(trouble_of({asked, asked}).find("begins store operation 1 of unit 0"),
            std::string::npos);
}

/// An event as the writer writes it, member by member.
std::string written(const event& e) {
  std::string out;
  line l(out, e.what, e.at, e.unit, e.number);
  const auto text = [&](field f, const std::string& value) {
    if (value.empty() || !has(e.what, f)) return;
    if (row(f).of == shape::bytes)
      l.bytes(f, value);
    else if (row(f).of == shape::json)
      l.json(f, value);
    else
      l.text(f, value);
  };
  const auto number = [&](field f, std::uint64_t value) {
    if (has(e.what, f)) l.number(f, value);
  };
  const auto flag = [&](field f, bool value) {
    if (has(e.what, f)) l.flag(f, value);
  };
  text(field::peer, e.peer);
  text(field::method, e.method);
  text(field::target, e.target);
  text(field::url, e.url);
  if (has(e.what, field::headers))
    l.headers(field::headers, std::span<const header>(e.headers.all()));
  if (e.body) text(field::body, *e.body);
  text(field::token, e.token);
  text(field::flaw, e.flaw);
  text(field::type, e.type);
  text(field::data, e.data);
  text(field::session, e.session);
  text(field::media, e.media);
  text(field::end, e.end);
  text(field::obstacle, e.obstacle);
  text(field::why, e.why);
  text(field::op, e.op);
  text(field::words, e.words);
  text(field::outcome, e.outcome);
  text(field::reply, e.reply);
  text(field::channel, e.channel);
  text(field::text, e.text);
  text(field::document, e.document);
  text(field::line, e.line);
  if (e.retry_after) text(field::retry_after, *e.retry_after);
  number(field::status, e.status);
  number(field::to, e.to);
  if (e.retry) number(field::retry, *e.retry);
  for (const auto& [f, value] :
       {std::pair(field::follows, e.follows), std::pair(field::arrives, e.arrives),
        std::pair(field::close, e.close), std::pair(field::untouched, e.untouched),
        std::pair(field::here, e.here), std::pair(field::anew, e.anew)})
    flag(f, value);
  if (has(e.what, field::events) && !e.events.empty())
    l.events(field::events, std::span<const sse::event>(e.events));
  l.end();
  out.pop_back();  // the line feed
  return out;
}

TEST(recording_reader, reads_what_the_writer_writes) {
  std::string first, last;
  append_preamble(first, {"0.1.0", "2026-11-28T06:00:00.000001Z", 3, R"({"x":1})"});
  append_ending(last, ending::gap);
  for (const auto& k : kind_table) {
    event e;
    e.what = k.what;
    e.at = 12;
    e.unit = 2;
    e.number = 5;
    e.peer = e.method = e.target = e.url = e.flaw = e.type = e.session = e.media = e.end =
        "te\"\n\x01xt";
    e.obstacle = e.why = e.op = e.outcome = e.channel = e.text = "grün";
    e.headers = {{"a", "b"}, {"c", ""}};
    e.body = "\xff\x00x";
    e.data = "data";
    e.token = e.words = e.reply = e.document = e.line = R"({"a":[1,"x"]})";
    e.retry_after = "1";
    e.status = 200;
    e.to = 1;
    e.retry = 7;
    e.follows = e.arrives = e.close = e.untouched = e.here = e.anew = true;
    e.events = {{"t", "d", "i", true}, {"", "x", "", false}};
    const auto once = written(e);
    reader r;
    ASSERT_TRUE(r.take(std::string_view(first).substr(0, first.size() - 1)));
    // What begins it.
    event begun;
    begun.unit = 2;
    begun.number = 5;
    begun.method = begun.url = begun.op = "x";
    const auto of = series_of(k.what);
    begun.what = of == series::fetch   ? kind::fetch
                 : of == series::store ? kind::asked
                                       : kind::request;
    if (of != series::none && begun.what != k.what) {
      ASSERT_TRUE(r.take(written(begun)));
    }
    if (k.what == kind::sent || k.what == kind::ended) {
      begun.what = kind::stream;
      ASSERT_TRUE(r.take(written(begun)));
    }
    const auto read = r.take(once);
    ASSERT_TRUE(read) << once << read.error().what;
    EXPECT_EQ(written(**read), once);
    ASSERT_TRUE(r.take(std::string_view(last).substr(0, last.size() - 1)));
    EXPECT_EQ(r.end(), ending::gap);
  }
}

TEST(recording_reader, members_may_come_in_any_order_and_spelling) {
  const auto e = event_of(R"( {"\u0065":"r\u0065load", "u" : 0 ,"t":864000000000000})");
  EXPECT_EQ(e.what, kind::reload);
  EXPECT_EQ(e.at, 864000000000000u);
}

// --- damage
// ---------------------------------------------------------------------------------------

TEST(recording_reader, refuses_what_is_no_recording) {
  const std::string binary(
      "\x7f"
      "ELF\0\1",
      6);
  for (const auto line : {std::string_view("hello"), std::string_view(binary),
                          std::string_view("{}"), std::string_view(R"({"gate_recording")"),
                          std::string_view("[1]"), std::string_view(R"({"log":{"entries":[]}})")}) {
    const auto what = problem_of({line});
    EXPECT_TRUE(what.starts_with("line 1: is not ")) << what;
  }
  EXPECT_NE(problem_of({"hello"}).find("gate --record"), std::string::npos);
  EXPECT_NE(problem_of({request_7}).find("is not the first line of a recording"),
            std::string::npos);
}

TEST(recording_reader, refuses_other_formats) {
  EXPECT_EQ(problem_of({R"({"gate_recording":2,"version":"9.1","whatever":[]})"}),
            "line 1: is of format 2, and this version reads 1: use the gate-sim of the gateway "
            "that wrote it (9.1)");
  EXPECT_EQ(problem_of({R"({"gate_recording":"1"})"}),
            "line 1: is of format \"1\", and this version reads 1: use the gate-sim of the gateway "
            "that wrote it");
}

TEST(recording_reader, refuses_first_lines_that_are_wrong) {
  const auto of = [](std::string_view version, std::string_view started, std::string_view units,
                     std::string_view config, std::string_view more = "") {
    std::string line = R"({"gate_recording":1,"version":)";
    line.append(version).append(R"(,"started":)").append(started).append(R"(,"units":)");
    line.append(units).append(R"(,"config":)").append(config).append(more).append("}");
    return problem_of({line});
  };
  constexpr std::string_view v = R"("1")", s = R"("2026-11-28T06:00:00Z")", c = "{}";
  EXPECT_EQ(of(v, s, "1", c), "");
  EXPECT_NE(of("1", s, "1", c).find("`version`"), std::string::npos);
  for (const auto bad : {R"("now")", "1", R"("2026-11-28T06:00:00")", R"("2026-11-28T06:00:00.Z")",
                         R"("2026-11-28T06:00:00.0000000001Z")", R"("2026-11-28 06:00:00Z")",
                         R"("2026-02-29T06:00:00Z")", R"("2026-11-28T24:00:00Z")"})
    EXPECT_NE(of(v, bad, "1", c).find("`started`"), std::string::npos) << bad;
  for (const auto bad : {"0", "-1", "1.5", R"("1")", "null", "18446744073709551616"})
    EXPECT_NE(of(v, s, bad, c).find("`units`"), std::string::npos) << bad;
  EXPECT_EQ(of(v, s, "64", c), "");
  EXPECT_NE(of(v, s, "65", c).find("`units` that is larger than 64"), std::string::npos);
  EXPECT_NE(of(v, s, "1", "[]").find("`config`"), std::string::npos);
  EXPECT_NE(of(v, s, "1", c, R"(,"more":1)").find("`more`"), std::string::npos);
  EXPECT_NE(of(v, s, "1", c, R"(,"units":1)").find("`units` twice"), std::string::npos);
}

TEST(recording_reader, refuses_lines_that_are_wrong) {
  const auto expect = [](std::string_view line, std::string_view part) {
    const auto what = trouble_of({request_7, fetch_3, line});
    EXPECT_TRUE(what.starts_with("line 4: ")) << what;
    EXPECT_NE(what.find(part), std::string::npos) << what;
  };
  expect("", "is empty");
  expect("{", "is not JSON");
  expect("[]", "is not a JSON object");
  expect(R"({"t":1,"u":0,"e":"stop"} x)", "is not JSON");
  expect("{\"t\":1,\"u\":0,\"e\":\"audit\",\"line\":\"\xff\"}", "is not JSON");
  expect(R"({"t":1,"u":0,"e":"wait"})", "of a kind that this format does not have");
  expect(R"({"u":0,"e":"stop"})", "has no `t`");
  expect(R"({"t":"1","u":0,"e":"stop"})", "has a `t` that is not a whole number from 0");
  expect(R"({"t":1e3,"u":0,"e":"stop"})", "has a `t`");
  expect(R"({"t":864000000000001,"u":0,"e":"stop"})", "is longer than 10000 days");
  expect(R"({"t":18446744073709551616,"u":0,"e":"stop"})", "has a `t`");
  expect(R"({"t":01,"u":0,"e":"stop"})", "is not JSON");
  expect(R"({"t":1,"e":"stop"})", "has no `u`");
  expect(R"({"t":1,"u":2,"e":"stop"})", "is of unit 2, and the first line says that there are 2");
  expect(R"({"t":1,"u":0,"e":"gone"})", "has no `n`");
  expect(R"({"t":1,"u":0})", "has no `e`");
  expect(R"({"t":1,"u":0,"end":"shutdown"})", "has no `e`");
  expect(R"({"end":"shutdown","body":"x"})", "has no `e`");
  expect(R"({"end":"enough"})", "ends the recording for a reason");
  expect(R"({"t":1,"u":0,"e":"stop","status":1})", "which events of the kind `stop` do not have");
  expect(R"({"t":1,"u":0,"e":"stop","colour":1})", "has a member `colour`");
  expect(R"({"t":1,"u":0,"e":"stop","line64":"eA=="})", "has a member `line64`");
  expect(R"({"t":1,"t":1,"u":0,"e":"stop"})", "has `t` twice");
  expect(R"({"t":1,"u":0,"e":"audit"})", "has no `line`");
  expect(R"({"t":1,"u":0,"e":"answer","n":7})", "has no `status`");
  expect(R"({"t":1,"u":0,"e":"answer","n":7,"status":99})", "HTTP does not have: 99");
  expect(R"({"t":1,"u":0,"e":"answer","n":7,"status":200,"close":false})", "is not `true`");
  expect(R"({"t":1,"u":0,"e":"body","n":7,"body":"x","body64":"eA=="})", "has both");
  expect(R"({"t":1,"u":0,"e":"body","n":7,"body64":"eA"})", "is not base64 with padding");
  expect(R"({"t":1,"u":0,"e":"body","n":7,"body":1})", "has a `body` that is not a string");
  expect(R"({"t":1,"u":0,"e":"moved","n":7,"to":2})", "moves to unit 2");
  for (const auto bad : {"1", "[1]", R"([["a"]])", R"([["a","b","c"]])", R"([["a",1]])"})
    expect(R"({"t":1,"u":0,"e":"stream","n":7,"headers":)" + std::string(bad) + "}", "`headers`");
  for (const auto bad : {"1", "[1]", R"([{"x":""}])", R"([{"data":1}])", R"([{"id":"","id":""}])"})
    expect(R"({"t":1,"u":1,"e":"streamed","n":3,"events":)" + std::string(bad) + "}", "`events`");
}

TEST(recording_reader, has_bounds) {
  std::string headers, events;
  for (std::size_t i = 0; i <= limits::playback_header_lines; ++i) headers += R"(,["a","b"])";
  for (std::size_t i = 0; i <= limits::playback_events; ++i) events += ",{}";
  const auto many = R"({"t":1,"u":0,"e":"stream","n":7,"headers":[)" + headers.substr(1) + "]}";
  EXPECT_NE(trouble_of({request_7, many}).find("more than 1024 lines"), std::string::npos);
  const auto lots = R"({"t":1,"u":1,"e":"streamed","n":3,"events":[)" + events.substr(1) + "]}";
  EXPECT_NE(trouble_of({fetch_3, lots}).find("more than 100000 events"), std::string::npos);
  const auto deep = R"({"t":1,"u":0,"e":"audit","line":)" + std::string(5000, '[') + "}";
  EXPECT_NE(trouble_of({deep}).find("is not JSON"), std::string::npos);
  const std::string huge(limits::playback_line_bytes + 1, 'x');
  EXPECT_NE(problem_of({huge}).find("longer than 192 MiB"), std::string::npos);
  const auto quoted = trouble_of({R"({"t":1,"u":0,"e":")" + std::string(5000, 'x') + "\"}"});
  EXPECT_LT(quoted.size(), 200u);
}

TEST(recording_reader, refuses_what_can_not_stand_there) {
  constexpr std::string_view answer = R"({"t":6,"u":0,"e":"answer","n":7,"status":200})";
  constexpr std::string_view stream = R"({"t":6,"u":0,"e":"stream","n":7})";
  constexpr std::string_view sent = R"({"t":6,"u":0,"e":"sent","n":7,"data":"x"})";
  constexpr std::string_view ended = R"({"t":6,"u":0,"e":"ended","n":7})";
  constexpr std::string_view fetched = R"({"t":6,"u":1,"e":"fetched","n":3,"end":"complete"})";
  constexpr std::string_view gone = R"({"t":6,"u":0,"e":"gone","n":7})";
  EXPECT_EQ(trouble_of({request_7, stream, sent, sent, ended, gone}), "");
  EXPECT_EQ(trouble_of({request_7, request_7}),
            "line 3: begins request 7 of unit 0, which began at line 2; a number is used once: one "
            "of the two lines was added or changed");
  EXPECT_NE(trouble_of({fetch_3, fetched, fetch_3}).find("which began at line 2"),
            std::string::npos);
  EXPECT_EQ(trouble_of({request_7, answer, answer}),
            "line 4: `answer` answers request 7 of unit 0, which line 3 has answered; one of the "
            "two was added");
  EXPECT_NE(trouble_of({request_7, stream, answer}).find("which line 3 has answered"),
            std::string::npos);
  EXPECT_NE(trouble_of({fetch_3, fetched, fetched}).find("which line 3 has answered"),
            std::string::npos);
  EXPECT_EQ(trouble_of({answer}),
            "line 2: `answer` is of request 7 of unit 0, which no line before it begins: lines are "
            "missing, or in another order");
  EXPECT_NE(trouble_of({request_7, fetched}).find("fetch 3 of unit 1, which no line before"),
            std::string::npos);
  EXPECT_NE(trouble_of({request_7, sent}).find("its `stream` is missing"), std::string::npos);
  EXPECT_NE(trouble_of({request_7, stream, ended, sent}).find("none any more since line 4"),
            std::string::npos);
  EXPECT_NE(trouble_of({R"({"end":"gap"})", request_7}).find("behind the last line"),
            std::string::npos);
}

TEST(recording_reader, numbers_are_of_a_unit_and_of_a_series) {
  EXPECT_EQ(trouble_of({request_7, R"({"t":5,"u":1,"e":"request","n":7})",
                        R"({"t":5,"u":0,"e":"fetch","n":7,"method":"GET","url":"u"})"}),
            "");
}

TEST(recording_reader, a_problem_changes_nothing) {
  reader r;
  ASSERT_TRUE(r.take(first_line));
  EXPECT_FALSE(r.take("{"));
  EXPECT_EQ(r.lines(), 1u);
  EXPECT_TRUE(r.take(request_7));
}

TEST(recording_parse, quotes_whole_characters) {
  EXPECT_EQ(quote_of("short"), "short");
  EXPECT_EQ(quote_of(std::string(59, 'x') + "é and more"), std::string(59, 'x') + "…");
  EXPECT_EQ(quote_of(std::string(61, '\x80')), "…");
}

TEST(recording_shapes, each_member_is_of_kinds_that_exist) {
  for (const auto& f : field_table) {
    std::size_t in = 0, words = 1;
    for (const auto& k : kind_table) in += has(k.what, f.what);
    for (const char c : f.in) words += c == ' ';
    EXPECT_EQ(in, words) << f.name;
  }
}

}  // namespace
}  // namespace gate::recording
