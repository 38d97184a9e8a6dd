// HAR 1.2 of recordings, checked member by member against what the specification says there must
// be.
#include "simulations/recording/har.hpp"

#include <boost/json.hpp>
#include <regex>

#include "tests/simulations/recording/lines.hpp"

namespace gate::recording {
namespace {

using namespace testing;
namespace js = boost::json;

// --- a checker of HAR 1.2 ------------------------------------------------------------------------

class har_checker {
 public:
  /// What is wrong with a document, by the member; none: nothing.
  static std::vector<std::string> problems_of(const js::value& document) {
    har_checker c;
    c.log(document);
    return c.problems_;
  }

 private:
  using check = void (har_checker::*)(const std::string&, const js::value&);
  struct rule {
    std::string_view name;
    check how;
    bool needed = true;
  };

  void wrong(const std::string& where, std::string_view why) {
    problems_.push_back(where + " " + std::string(why));
  }
  void object(const std::string& where, const js::value& v, const std::vector<rule>& rules) {
    if (!v.is_object()) return wrong(where, "is no object");
    for (const auto& r : rules) {
      const auto* found = v.as_object().if_contains(r.name);
      const auto name = where + "." + std::string(r.name);
      if (found)
        (this->*r.how)(name, *found);
      else if (r.needed)
        wrong(name, "is missing");
    }
    for (const auto& m : v.as_object()) {
      const std::string_view name(m.key());
      const bool known =
          std::ranges::any_of(rules, [name](const auto& r) { return r.name == name; });
      // Members of one's own begin with an underscore.
      if (!known && !name.starts_with('_') && name != "comment")
        wrong(where + "." + std::string(name), "is no member of HAR");
    }
  }
  void each(const std::string& where, const js::value& v, check how) {
    if (!v.is_array()) return wrong(where, "is no array");
    for (std::size_t i = 0; i < v.as_array().size(); ++i)
      (this->*how)(where + "[" + std::to_string(i) + "]", v.as_array()[i]);
  }
  void text(const std::string& where, const js::value& v) {
    if (!v.is_string()) wrong(where, "is no string");
  }
  void whole(const std::string& where, const js::value& v) {
    if (!v.is_int64() || v.as_int64() < 0) wrong(where, "is no whole number from 0");
  }
  void size(const std::string& where, const js::value& v) {
    if (!v.is_int64() || v.as_int64() < -1) wrong(where, "is no size");
  }
  void time(const std::string& where, const js::value& v) {
    if (!v.is_number() || v.to_number<double>() < 0) wrong(where, "is no time");
  }
  void perhaps_time(const std::string& where, const js::value& v) {
    if (!v.is_number() || (v.to_number<double>() < 0 && v.to_number<double>() != -1))
      wrong(where, "is no time, nor -1");
  }
  void moment(const std::string& where, const js::value& v) {
    static const std::regex iso(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))");
    if (!v.is_string() || !std::regex_match(std::string(v.as_string()), iso))
      wrong(where, "is no ISO 8601 time");
  }
  void url(const std::string& where, const js::value& v) {
    static const std::regex absolute(R"(https?://[^/\s]+/\S*)");
    if (!v.is_string() || !std::regex_match(std::string(v.as_string()), absolute))
      wrong(where, "is no absolute URL");
  }
  void pair(const std::string& where, const js::value& v) {
    object(where, v, {{"name", &har_checker::text}, {"value", &har_checker::text}});
  }
  void pairs(const std::string& where, const js::value& v) { each(where, v, &har_checker::pair); }
  void post_data(const std::string& where, const js::value& v) {
    object(where, v,
           {{"mimeType", &har_checker::text},
            {"params", &har_checker::pairs},
            {"text", &har_checker::text}});
  }
  void content(const std::string& where, const js::value& v) {
    object(where, v,
           {{"size", &har_checker::whole},
            {"mimeType", &har_checker::text},
            {"compression", &har_checker::size, false},
            {"text", &har_checker::text, false},
            {"encoding", &har_checker::text, false}});
  }
  void request(const std::string& where, const js::value& v) {
    object(where, v,
           {{"method", &har_checker::text},
            {"url", &har_checker::url},
            {"httpVersion", &har_checker::text},
            {"cookies", &har_checker::pairs},
            {"headers", &har_checker::pairs},
            {"queryString", &har_checker::pairs},
            {"postData", &har_checker::post_data, false},
            {"headersSize", &har_checker::size},
            {"bodySize", &har_checker::size}});
  }
  void response(const std::string& where, const js::value& v) {
    object(where, v,
           {{"status", &har_checker::whole},
            {"statusText", &har_checker::text},
            {"httpVersion", &har_checker::text},
            {"cookies", &har_checker::pairs},
            {"headers", &har_checker::pairs},
            {"content", &har_checker::content},
            {"redirectURL", &har_checker::text},
            {"headersSize", &har_checker::size},
            {"bodySize", &har_checker::size}});
  }
  void cache(const std::string& where, const js::value& v) { object(where, v, {}); }
  void timings(const std::string& where, const js::value& v) {
    object(where, v,
           {{"blocked", &har_checker::perhaps_time, false},
            {"dns", &har_checker::perhaps_time, false},
            {"connect", &har_checker::perhaps_time, false},
            {"ssl", &har_checker::perhaps_time, false},
            {"send", &har_checker::time},
            {"wait", &har_checker::time},
            {"receive", &har_checker::time}});
  }
  void entry(const std::string& where, const js::value& v) {
    object(where, v,
           {{"pageref", &har_checker::text, false},
            {"startedDateTime", &har_checker::moment},
            {"time", &har_checker::time},
            {"request", &har_checker::request},
            {"response", &har_checker::response},
            {"cache", &har_checker::cache},
            {"timings", &har_checker::timings},
            {"serverIPAddress", &har_checker::text, false},
            {"connection", &har_checker::text, false}});
    const auto& t = v.at("timings");
    double sum = 0;
    for (const auto name : {"send", "wait", "receive"}) sum += t.at(name).to_number<double>();
    if (std::abs(sum - v.at("time").to_number<double>()) > 0.0015)
      wrong(where + ".time", "is not the sum of its timings");
  }
  void entries(const std::string& where, const js::value& v) {
    each(where, v, &har_checker::entry);
  }
  void page(const std::string& where, const js::value&) {
    wrong(where, "is a page; none is known");
  }
  void pages(const std::string& where, const js::value& v) { each(where, v, &har_checker::page); }
  void program(const std::string& where, const js::value& v) {
    object(where, v, {{"name", &har_checker::text}, {"version", &har_checker::text}});
  }
  void version(const std::string& where, const js::value& v) {
    if (v != "1.2") wrong(where, "is not 1.2");
  }
  void log_members(const std::string& where, const js::value& v) {
    object(where, v,
           {{"version", &har_checker::version},
            {"creator", &har_checker::program},
            {"browser", &har_checker::program, false},
            {"pages", &har_checker::pages, false},
            {"entries", &har_checker::entries}});
  }
  void log(const js::value& v) { object("", v, {{"log", &har_checker::log_members}}); }

  std::vector<std::string> problems_;
};

js::value har_of(const std::vector<std::string>& lines) {
  std::string text;
  har h([&text](std::string_view part) { text += part; });
  feed(lines, h);
  auto parsed = js::parse(text);
  for (const auto& p : har_checker::problems_of(parsed)) ADD_FAILURE() << p;
  EXPECT_EQ(parsed.at("log").at("entries").as_array().size(), h.entries());
  return parsed;
}

js::value entry_of(const std::vector<std::string>& lines) {
  auto all = har_of(lines);
  EXPECT_EQ(all.at("log").at("entries").as_array().size(), 1u);
  return all.at("log").at("entries").as_array().at(0);
}

// --- what it says --------------------------------------------------------------------------------

TEST(recording_har, of_nothing) {
  har_of({});
}

TEST(recording_har, the_checker_sees_what_is_wrong) {
  auto good = har_of({post(1, 1, "{}"), answered(2, 1, 200, "{}")});
  ASSERT_TRUE(har_checker::problems_of(good).empty());
  const auto broken = [&good](auto&& change) {
    auto copy = good;
    change(copy.at("log").as_object(), copy.at("log").at("entries").as_array()[0].as_object());
    return har_checker::problems_of(copy).size();
  };
  EXPECT_EQ(broken([](auto&, auto&) {}), 0u);
  EXPECT_GT(broken([](auto& log, auto&) { log["version"] = "1.1"; }), 0u);
  EXPECT_GT(broken([](auto& log, auto&) { log.erase("creator"); }), 0u);
  EXPECT_GT(broken([](auto&, auto& e) { e["time"] = 7; }), 0u);
  EXPECT_GT(broken([](auto&, auto& e) { e["startedDateTime"] = "now"; }), 0u);
  EXPECT_GT(broken([](auto&, auto& e) { e.erase("cache"); }), 0u);
  EXPECT_GT(broken([](auto&, auto& e) { e["odd"] = 1; }), 0u);
  EXPECT_GT(broken([](auto&, auto& e) { e["request"].as_object()["url"] = "/mcp"; }), 0u);
  EXPECT_GT(broken([](auto&, auto& e) { e["response"].as_object().erase("content"); }), 0u);
  EXPECT_GT(broken([](auto&, auto& e) { e["timings"].as_object()["wait"] = -1; }), 0u);
}

TEST(recording_har, a_request_and_its_answer) {
  const auto e = entry_of(
      {event_line(
           1'000'000, "request", 1,
           R"("peer":"10.0.0.1","method":"POST","target":"/mcp?a=1&b","headers":[["Host","h:1"],)"
           R"(["Content-Type","application/json"]],"body":"{\"x\":\"\u001b\"}")"),
       answered(1'002'500, 1, 200, "{}")});
  EXPECT_EQ(e.at("startedDateTime"), "2026-11-28T06:00:01.000000Z");
  EXPECT_EQ(e.at("time").to_number<double>(), 2.5);
  const auto& request = e.at("request");
  EXPECT_EQ(request.at("url"), "http://h:1/mcp?a=1&b");
  EXPECT_EQ(request.at("queryString"),
            js::parse(R"([{"name":"a","value":"1"},{"name":"b","value":""}])"));
  EXPECT_EQ(request.at("headers").as_array().size(), 2u);
  EXPECT_EQ(request.at("postData").at("text"), "{\"x\":\"\x1b\"}");
  EXPECT_EQ(request.at("bodySize").as_int64(), 9);
  const auto& response = e.at("response");
  EXPECT_EQ(response.at("status").as_int64(), 200);
  EXPECT_EQ(response.at("statusText"), "OK");
  EXPECT_EQ(response.at("content").at("text"), "{}");
  EXPECT_EQ(response.at("content").at("mimeType"), "application/json");
  EXPECT_EQ(response.at("headersSize").as_int64(), -1);
  EXPECT_EQ(e.at("_client"), "10.0.0.1");
}

TEST(recording_har, a_stream_is_its_text) {
  const auto e = entry_of({event_line(1000, "request", 1, R"("method":"GET","target":"/mcp")"),
                           event_line(2000, "stream", 1, R"("headers":[["mcp-session-id","s"]])"),
                           event_line(3000, "sent", 1, R"("data":"data: 1\n\n")"),
                           event_line(5000, "sent", 1, R"("data":"data: 2\n\n")"),
                           event_line(6000, "ended", 1)});
  EXPECT_EQ(e.at("response").at("content").at("text"), "data: 1\n\ndata: 2\n\n");
  EXPECT_EQ(e.at("response").at("content").at("mimeType"), "text/event-stream");
  EXPECT_EQ(e.at("timings").at("wait").to_number<double>(), 1);
  EXPECT_EQ(e.at("timings").at("receive").to_number<double>(), 4);
}

TEST(recording_har, fetches_name_their_upstreams) {
  const auto all = har_of(
      {event_line(1, "fetch", 1, R"("method":"POST","url":"http://files:1/mcp","body":"{}")"),
       event_line(2, "streamed", 1,
                  R"("session":"s","events":[{"data":"a\nb","id":"7","event":"e"}])"),
       event_line(3, "fetched", 1, R"("end":"complete")"),
       event_line(4, "fetch", 2, R"("method":"GET","url":"https://issuer/keys")"),
       event_line(5, "fetched", 2, R"("end":"connect_failed","why":"refused")"),
       event_line(6, "fetch", 3, R"("method":"POST","url":"http://w1/mcp")"),
       event_line(7, "abandoned", 3)});
  const auto& entries = all.at("log").at("entries").as_array();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].at("_upstream"), "files");
  EXPECT_EQ(entries[0].at("comment"), "by the gateway, to upstream files");
  EXPECT_EQ(entries[0].at("response").at("content").at("text"),
            "event: e\nid: 7\ndata: a\ndata: b\n\n");
  EXPECT_EQ(entries[1].at("_upstream"), "");
  EXPECT_EQ(entries[1].at("response").at("status").as_int64(), 0);
  EXPECT_EQ(entries[1].at("response").at("_error"), "connect_failed: refused");
  EXPECT_EQ(entries[2].at("_upstream"), "web");
}

TEST(recording_har, what_has_no_answer_says_why) {
  const auto error_of = [](const std::vector<std::string>& lines) {
    const auto e = entry_of(lines);
    EXPECT_EQ(e.at("response").at("status").as_int64(), 0);
    return std::string(e.at("response").at("_error").as_string());
  };
  EXPECT_EQ(error_of({post(1, 1, "{}"), event_line(2, "gone", 1)}),
            "the client closed the connection");
  EXPECT_EQ(error_of({post(1, 1, "{}"), event_line(2, "dropped", 1)}), "dropped by the gateway");
  EXPECT_EQ(error_of({post(1, 1, "{}")}), "open when the recording ended");
}

TEST(recording_har, bytes_that_are_no_text) {
  const auto e =
      entry_of({event_line(1, "request", 1, R"("method":"POST","target":"/","follows":true)"),
                event_line(2, "body", 1, R"("body64":"/w==")"),
                event_line(3, "answer", 1, R"("status":200,"type":"image/png","body64":"/w==")")});
  EXPECT_EQ(e.at("request").at("postData").at("text"), "/w==");
  EXPECT_EQ(e.at("response").at("content").at("encoding"), "base64");
  EXPECT_EQ(e.at("response").at("content").at("text"), "/w==");
  EXPECT_EQ(e.at("response").at("content").at("size").as_int64(), 1);
}

}  // namespace
}  // namespace gate::recording
