// Bodies that make and change webhooks; how fields are read (protocol/webhook/fields).
#include "protocol/webhook/requests.hpp"

#include <gtest/gtest.h>

#include "protocol/limits/messages.hpp"
#include "protocol/limits/webhooks.hpp"
#include "protocol/webhook/events.hpp"
#include "protocol/webhook/fields.hpp"

namespace gate::webhook {
namespace {

const calling public_only;

/// `pointer: sentence`; empty: it is good.
template <class T>
std::string said_of(const checked<T>& read) {
  if (read) return {};
  EXPECT_EQ(read.error().code, error_code::validation);
  EXPECT_EQ(read.error().in, locus::pointer);
  return read.error().where + ": " + read.error().error;
}
std::string said_of_new(std::string_view body) {
  return said_of(read_new_webhook(body, public_only));
}
std::string said_of_changes(std::string_view body) {
  return said_of(read_webhook_changes(body, public_only));
}

TEST(a_new_webhook, is_read) {
  const auto w = read_new_webhook(
      R"( {"event":"deploy.failed","url":"https://a.example.com/x","secret":"sixteen characters",)"
      R"("description":"caf\u00e9","enabled":false} )",
      public_only);
  ASSERT_TRUE(w) << w.error().error;
  EXPECT_EQ(w->events, mask_of(event_type::deploy_failed));
  EXPECT_EQ(w->url, "https://a.example.com/x");
  EXPECT_EQ(w->secret, "sixteen characters");
  EXPECT_EQ(w->description, "caf\xC3\xA9");
  EXPECT_FALSE(w->enabled);
}

TEST(a_new_webhook, needs_an_event_and_a_url) {
  const auto w = read_new_webhook(
      R"({"\u0065vents":["deploy.success","usage.threshold"],"url":"https://A.example.com"})",
      public_only);
  ASSERT_TRUE(w) << w.error().error;
  EXPECT_EQ(w->events, mask_of(event_type::deploy_success) | mask_of(event_type::usage_threshold));
  EXPECT_EQ(w->url, "https://A.example.com") << "as it was written";
  EXPECT_EQ(w->secret, "");
  EXPECT_EQ(w->description, "");
  EXPECT_TRUE(w->enabled);
  EXPECT_EQ(said_of_new("{}"), "/url: the field /url is missing");
  EXPECT_EQ(said_of_new(R"({"event":"deploy.failed"})"), "/url: the field /url is missing");
  EXPECT_EQ(said_of_new(R"({"url":"https://a.example.com"})"),
            "/event: the field /event is missing");
}

TEST(a_new_webhook, names_events_once) {
  const auto of = [](std::string events) {
    return R"({"url":"https://a.example.com",)" + events + '}';
  };
  EXPECT_EQ(read_new_webhook(of(R"("events":["*"])"), public_only)->events, every_event);
  const std::pair<const char*, const char*> table[] = {
      {R"("event":"deploy")", "/event: the field /event is no event"},
      {R"("event":"*")", "/event: the field /event is no event"},
      {R"("event":"")", "/event: the field /event is no event"},
      {R"("event":["deploy.failed"])", "/event: the field /event must be a string"},
      {R"("event":null)", "/event: the field /event must be a string"},
      {R"("events":"*")", "/events: the field /events must be an array"},
      {R"("events":{})", "/events: the field /events must be an array"},
      {R"("events":[])", "/events: the field /events names nothing"},
      {R"("events":[1])", "/events/0: the field /events/0 must be a string"},
      {R"("events":["deploy.failed","x"])", "/events/1: the field /events/1 is no event"},
      {R"("events":["deploy.failed","deploy.failed"])",
       "/events/1: the field /events/1 names what was named before"},
      {R"("events":["*","deploy.failed"])",
       "/events/1: the field /events/1 names what was named before"},
      {R"("event":"deploy.failed","events":["*"])", "/event: there are both /event and /events"},
  };
  for (const auto& [events, why] : table) EXPECT_EQ(said_of_new(of(events)), why) << events;
  EXPECT_EQ(read_new_webhook(of(R"("event":"x")"), public_only).error().hint,
            "one of deploy.success, deploy.failed, activation.error, rollback.success, "
            "usage.threshold, or, among \"events\", *");
}

TEST(a_new_webhook, is_refused_by_its_place) {
  const auto with = [](std::string member) {
    return R"({"event":"deploy.failed","url":"https://a.example.com",)" + member + '}';
  };
  const std::pair<std::string, std::string> table[] = {
      {with(R"("secret":"short")"), "/secret: the secret is shorter than 16 characters"},
      {with(R"("secret":")" + std::string(300, 'x') + '"'),
       "/secret: the field /secret is longer than 256 bytes"},
      {with(R"("secret":"whsec_not base64, is it?")"),
       "/secret: what follows whsec_ is not base64 with padding"},
      {with(R"("secret":16161616161616161616)"), "/secret: the field /secret must be a string"},
      {with(R"("secret":null)"), "/secret: the field /secret must be a string"},
      {with(R"("description":7)"), "/description: the field /description must be a string"},
      {with(R"("description":"a\u0000b")"),
       "/description: the field /description must not contain U+0000 or a lone surrogate"},
      {with(R"("description":"\ud800")"),
       "/description: the field /description must not contain U+0000 or a lone surrogate"},
      {with(R"("description":")" + std::string(501, 'x') + '"'),
       "/description: the field /description is longer than 500 bytes"},
      {with(R"("enabled":"true")"), "/enabled: the field /enabled must be true or false"},
      {with(R"("enabled":1)"), "/enabled: the field /enabled must be true or false"},
      {with(R"("id":"hook_")"), "/id: there is no field /id"},
      {with(R"("a/b~c":1)"), "/a~1b~0c: there is no field /a~1b~0c"},
      {with(R"("":1)"), "/: there is no field /"},
      {with(R"("URL":1)"), "/URL: there is no field /URL"},
      {with(R"("url":"https://b.example.com")"), "/url: the field /url is there twice"},
      {with(R"("\u0075rl":"https://b.example.com")"), "/url: the field /url is there twice"},
      {with(R"("enabled":true,"enabled":true)"), "/enabled: the field /enabled is there twice"},
  };
  for (const auto& [body, why] : table) EXPECT_EQ(said_of_new(body), why) << body;
  EXPECT_EQ(said_of_new(with(R"("description":")" + std::string(500, 'x') + '"')), "");
}

// PostgreSQL takes no U+0000 and nothing that is not UTF-8; SQLite would.
TEST(a_text, that_no_ledger_is_to_have_is_refused) {
  const std::string parts[] = {R"("description":"a)", R"("secret":"sixteen characters )",
                               R"("url":"https://a.example.com/)", R"("event":"deploy.failed)",
                               R"("events":["deploy.failed)"};
  const std::string url = R"("url":"https://b.example.com")",
                    event = R"("event":"usage.threshold")";
  const std::string spoilt[] = {R"(\u0000)",       R"(\ud800)",    R"(\udc00\ud800)",
                                std::string(1, 0), "\xFF",         "\xC3",
                                "\xC0\x80",        "\xED\xA0\x80", "\xF4\x90\x80\x80"};
  for (const auto& part : parts) {
    const std::string end = part.find('[') == part.npos ? "\"" : "\"]";
    const bool is_url = part.starts_with("\"url"), is_event = part.starts_with("\"event");
    const auto more = (is_url ? "" : ',' + url) + (is_event ? "" : ',' + event);
    ASSERT_EQ(said_of_new('{' + part + end + more + '}'), "") << part;
    for (const auto& bad : spoilt) {
      EXPECT_NE(said_of_new('{' + part + bad + end + more + '}'), "") << part << bad;
      EXPECT_NE(said_of_changes('{' + part + bad + end + '}'), "") << part << bad;
    }
  }
  for (const auto& bad : spoilt)
    EXPECT_NE(said_of(read_rotation('{' + parts[1] + bad + "\"}")), "") << bad;
}

TEST(a_new_webhook, has_a_callable_url) {
  const auto of = [](std::string url) { return R"({"event":"deploy.failed","url":)" + url + '}'; };
  const std::pair<std::string, std::string> table[] = {
      {R"("http://a.example.com")", "/url: the URL must begin with https://"},
      {R"("https://127.0.0.1/")", "/url: the host is a loopback address"},
      {R"("https://10.0.0.1/")", "/url: the host is a private address"},
      {R"("https:\/\/localhost\/")", "/url: the host is a name that is not of the public internet"},
      {R"("")", "/url: a URL begins with http:// or https://"},
      {"7", "/url: the field /url must be a string"},
      {"null", "/url: the field /url must be a string"},
      {R"("https://a.example.com/)" + std::string(2048, 'x') + '"',
       "/url: the field /url is longer than 2048 bytes"},
  };
  for (const auto& [url, why] : table) EXPECT_EQ(said_of_new(of(url)), why) << url;
  EXPECT_TRUE(read_new_webhook(of(R"("http://localhost:8080/")"), {true, {}}));
}

TEST(a_body, that_is_no_object_is_refused) {
  for (const auto* body : {"[]", "7", "\"x\"", "null", "true", " [ ] "}) {
    EXPECT_EQ(said_of_new(body), ": the body must be an object") << body;
    EXPECT_EQ(said_of_changes(body), ": the body must be an object") << body;
    EXPECT_EQ(said_of(read_rotation(body)), ": the body must be an object") << body;
    EXPECT_EQ(said_of(read_nothing(body)), ": the body must be an object") << body;
  }
  for (const std::string body : {"{", "{}x", "{\"a\":}", "{'a':1}", "{\"a\":1,}", "\xFF",
                                 "{\"\xFF\":1}", "{\"a\":01}", "x"}) {
    EXPECT_TRUE(said_of_new(body).starts_with(": the body is malformed: ")) << body;
    EXPECT_TRUE(said_of_changes(body).starts_with(": the body is malformed: ")) << body;
    EXPECT_TRUE(said_of(read_rotation(body)).starts_with(": the body is malformed: ")) << body;
    EXPECT_TRUE(said_of(read_nothing(body)).starts_with(": the body is malformed: ")) << body;
  }
  EXPECT_TRUE(said_of_new("").starts_with(": the body is malformed: "));
  const auto deep =
      std::string(limits::json_depth + 1, '[') + std::string(limits::json_depth + 1, ']');
  EXPECT_EQ(said_of_new(deep), ": the body is malformed: JSON is nested too deeply");
}

TEST(a_body, shows_no_more_than_a_part_of_long_names) {
  const auto said = said_of_new("{\"" + std::string(5000, 'x') + "\":1}");
  EXPECT_LT(said.size(), 300U);
}

TEST(changes, are_read) {
  auto c = read_webhook_changes(R"({"enabled":false})", public_only);
  ASSERT_TRUE(c) << c.error().error;
  EXPECT_EQ(c->enabled, false);
  EXPECT_FALSE(c->events);
  EXPECT_FALSE(c->url);
  EXPECT_FALSE(c->description);
  c = read_webhook_changes(
      R"({"events":["*"],"url":"https://b.example.com","description":"","enabled":true})",
      public_only);
  ASSERT_TRUE(c) << c.error().error;
  EXPECT_EQ(c->events, every_event);
  EXPECT_EQ(c->url, "https://b.example.com");
  EXPECT_EQ(c->description, "");
  EXPECT_EQ(c->enabled, true);
  EXPECT_EQ(read_webhook_changes(R"({"event":"deploy.failed"})", public_only)->events,
            mask_of(event_type::deploy_failed));
}

TEST(changes, are_refused_by_their_place) {
  EXPECT_EQ(said_of_changes("{}"), ": the body changes nothing");
  EXPECT_EQ(said_of_changes(R"({"secret":"sixteen characters"})"),
            "/secret: the field /secret can not be changed so");
  EXPECT_EQ(said_of_changes(R"({"url":"https://[::1]/"})"), "/url: the host is a loopback address");
  EXPECT_EQ(said_of_changes(R"({"event":"x"})"), "/event: the field /event is no event");
  EXPECT_EQ(said_of_changes(R"({"event":"deploy.failed","events":["*"]})"),
            "/event: there are both /event and /events");
  EXPECT_EQ(said_of_changes(R"({"enabled":null})"),
            "/enabled: the field /enabled must be true or false");
  EXPECT_EQ(said_of_changes(R"({"description":null})"),
            "/description: the field /description must be a string");
  EXPECT_EQ(said_of_changes(R"({"id":"x"})"), "/id: there is no field /id");
  EXPECT_EQ(said_of_changes(R"({"enabled":true,"enabled":true})"),
            "/enabled: the field /enabled is there twice");
}

TEST(a_rotation, may_bring_a_secret) {
  for (const auto* none : {"", " \r\n", "{}", " { } "}) {
    const auto r = read_rotation(none);
    ASSERT_TRUE(r) << none;
    EXPECT_FALSE(*r) << none;
  }
  EXPECT_EQ(*read_rotation(R"({"secret":"sixteen characters"})"), "sixteen characters");
  EXPECT_EQ(said_of(read_rotation(R"({"secret":""})")),
            "/secret: the secret is shorter than 16 characters");
  EXPECT_EQ(said_of(read_rotation(R"({"secret":null})")),
            "/secret: the field /secret must be a string");
  EXPECT_EQ(said_of(read_rotation(R"({"old":"x"})")), "/old: there is no field /old");
}

TEST(nothing, is_no_body_or_an_empty_object) {
  for (const auto* none : {"", "\n", "{}", " { } "}) EXPECT_TRUE(read_nothing(none)) << none;
  EXPECT_EQ(said_of(read_nothing(R"({"a":1})")), "/a: there is no field /a");
}

TEST(a_pointer, escapes_what_divides_it) {
  EXPECT_EQ(member_pointer("", "a"), "/a");
  EXPECT_EQ(member_pointer("/3", "a/b~"), "/3/a~1b~0");
  EXPECT_EQ(member_pointer("", "~1"), "/~01");
}

}  // namespace
}  // namespace gate::webhook
