// The description of the API against what it describes (protocol/webhook/openapi_schemas): routes,
// readers and views. The whole of it: openapi.json beside this file.
#include "protocol/webhook/openapi.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "protocol/webhook/events.hpp"
#include "protocol/webhook/openapi_schemas.hpp"
#include "protocol/webhook/posted.hpp"
#include "protocol/webhook/queries.hpp"
#include "protocol/webhook/requests.hpp"
#include "protocol/webhook/routes.hpp"
#include "protocol/webhook/states.hpp"
#include "protocol/webhook/views.hpp"
#include "tests/support/generated.hpp"

namespace gate::webhook {
namespace {

using name_set = std::set<std::string, std::less<>>;

const boost::json::value& described() {
  static const boost::json::value read = boost::json::parse(openapi_document("0.0.0"));
  return read;
}

const boost::json::object& schema(std::string_view name) {
  return described().at("components").at("schemas").at(name).as_object();
}

std::string text_of(const boost::json::value& v) {
  return v.as_string().c_str();
}
name_set keys_of(const boost::json::value& object) {
  name_set out;
  for (const auto& member : object.as_object()) out.emplace(member.key());
  return out;
}
name_set keys_of(const std::string& text) {
  return keys_of(boost::json::parse(text));
}
name_set required_by(const boost::json::object& s) {
  name_set out;
  for (const auto& name : s.at("required").as_array()) out.insert(text_of(name));
  return out;
}
template <class Names>
name_set names_of_all(const Names& all) {
  return {all.begin(), all.end()};
}

void append_pretty(std::string& out, const boost::json::value& v, std::size_t depth) {
  const std::string inner(2 * depth + 2, ' '), outer(2 * depth, ' ');
  const bool object = v.is_object() && !v.as_object().empty();
  const bool array = v.is_array() && !v.as_array().empty();
  if (!object && !array) {
    out += boost::json::serialize(v);
    return;
  }
  out += object ? "{\n" : "[\n";
  bool first = true;
  const auto begin = [&] {
    out += first ? inner : ",\n" + inner;
    first = false;
  };
  if (object)
    for (const auto& [key, value] : v.as_object()) {
      begin();
      out += boost::json::serialize(boost::json::string(key)) + ": ";
      append_pretty(out, value, depth + 1);
    }
  else
    for (const auto& value : v.as_array()) {
      begin();
      append_pretty(out, value, depth + 1);
    }
  out += '\n' + outer + (object ? '}' : ']');
}

TEST(openapi, is_what_was_looked_at) {
  constexpr std::string_view golden = "tests/protocol/webhook/openapi.json";
  std::string text;
  append_pretty(text, described(), 0);
  text += '\n';
  const char* update = std::getenv("GATE_UPDATE_GOLDEN");
  if (update && *update) std::ofstream(source_path(golden), std::ios::binary) << text;
  EXPECT_EQ(testing::read_page(golden), text)
      << golden << " differs from the code; run this test with GATE_UPDATE_GOLDEN=1";
}

// --- routes --------------------------------------------------------------------------------------

std::string_view method_of(verb v) {
  switch (v) {
    case verb::get:
      return "get";
    case verb::post:
      return "post";
    case verb::patch:
      return "patch";
    case verb::del:
      return "delete";
    case verb::options:
      break;
  }
  return "options";
}

const boost::json::object& operation_of(const route& r) {
  return described().at("paths").at(r.path).at(method_of(r.method)).as_object();
}

TEST(openapi, has_each_route_and_no_other) {
  std::size_t operations = 0;
  for (const auto& path : described().at("paths").as_object())
    operations += path.value().as_object().size();
  EXPECT_EQ(operations, routes.size());
  for (const auto& r : routes) {
    const auto& o = operation_of(r);
    EXPECT_EQ(text_of(o.at("operationId")), r.name);
    EXPECT_EQ(o.contains("security"), r.of_caller == needs::nobody) << r.name;
    const auto& answers = o.at("responses").as_object();
    EXPECT_TRUE(answers.contains(std::to_string(r.status))) << r.name;
    EXPECT_EQ(answers.contains("401"), r.of_caller != needs::nobody) << r.name;
    EXPECT_EQ(answers.contains("429"), r.of_caller != needs::nobody) << r.name;
    if (r.of_path != path_id::none) {
      EXPECT_TRUE(answers.contains("404")) << r.name;
    }
    EXPECT_EQ(o.contains("requestBody"), r.body != body_kind::nothing || r.method == verb::post)
        << r.name;
  }
}

/// Of one place: the path, the query, the header.
name_set parameters_in(const route& r, std::string_view place) {
  name_set out;
  const auto& o = operation_of(r);
  if (!o.contains("parameters")) return out;
  for (const auto& p : o.at("parameters").as_array())
    if (text_of(p.at("in")) == place) out.insert(text_of(p.at("name")));
  return out;
}

TEST(openapi, has_the_parameters_that_are_read) {
  for (const auto& r : routes) {
    name_set wanted;
    if (r.query == query_kind::webhooks) wanted = names_of_all(webhooks_parameters);
    if (r.query == query_kind::deliveries) wanted = names_of_all(deliveries_parameters);
    if (r.query == query_kind::dead_letters) wanted = names_of_all(dead_parameters);
    EXPECT_EQ(parameters_in(r, "query"), wanted) << r.name;
    EXPECT_EQ(parameters_in(r, "path").size(), r.of_path == path_id::none ? 0U : 1U) << r.name;
    EXPECT_EQ(parameters_in(r, "header"),
              r.id == operation::post_events ? name_set{"Idempotency-Key"} : name_set{})
        << r.name;
  }
}

/// Every reference, wherever it stands.
void expect_references_lead_somewhere(const boost::json::value& v) {
  if (v.is_array())
    for (const auto& element : v.as_array()) expect_references_lead_somewhere(element);
  if (!v.is_object()) return;
  for (const auto& [key, value] : v.as_object()) {
    if (key == "$ref") {
      boost::system::error_code ec;
      const auto pointer = text_of(value).substr(1);
      EXPECT_NE(described().find_pointer(pointer, ec), nullptr) << pointer;
    }
    expect_references_lead_somewhere(value);
  }
}

TEST(openapi, refers_to_what_is_there) {
  expect_references_lead_somewhere(described());
  EXPECT_EQ(openapi_document("1").find('%'), std::string::npos);
  EXPECT_THROW(filled_in("%nothing%"), std::logic_error);
  EXPECT_THROW(filled_in("%events"), std::logic_error);
}

// --- bodies --------------------------------------------------------------------------------------

const calling usual_rules;

TEST(openapi, has_the_fields_that_are_read) {
  const auto properties = [](std::string_view name) {
    return keys_of(schema(name).at("properties"));
  };
  EXPECT_EQ(properties("NewWebhook"), names_of_all(new_webhook_fields));
  EXPECT_EQ(properties("WebhookChanges"), names_of_all(change_fields));
  EXPECT_EQ(properties("Rotation"), names_of_all(rotation_fields));
  EXPECT_EQ(properties("NewEvent"), names_of_all(event_fields));
  for (const std::string_view name :
       {"NewWebhook", "WebhookChanges", "Rotation", "NewEvent", "Nothing"})
    EXPECT_EQ(schema(name).at("additionalProperties"), false) << name;
}

TEST(openapi, requires_what_is_required) {
  EXPECT_EQ(required_by(schema("NewWebhook")), name_set{"url"});
  EXPECT_TRUE(
      read_new_webhook(R"({"url":"https://a.example.com","event":"deploy.failed"})", usual_rules));
  EXPECT_FALSE(read_new_webhook(R"({"event":"deploy.failed"})", usual_rules));
  EXPECT_FALSE(read_new_webhook(R"({"url":"https://a.example.com"})", usual_rules));
  EXPECT_EQ(required_by(schema("NewEvent")), (name_set{"type", "data"}));
  EXPECT_TRUE(read_events(R"({"type":"deploy.failed","data":null})", {}));
  EXPECT_FALSE(read_events(R"({"type":"deploy.failed"})", {}));
  EXPECT_FALSE(read_events(R"({"data":1})", {}));
}

// --- views ---------------------------------------------------------------------------------------

const wall_time described_at{std::chrono::milliseconds{1'700'000'000'123}};

webhook full_webhook() {
  webhook w;
  w.events = mask_of(event_type::deploy_failed);
  w.description = "d";
  w.why_not = disabled::gone;
  w.secret = "sixteen characters";
  w.last_status = 200;
  w.last_at = described_at;
  return w;
}

delivery full_delivery() {
  delivery d;
  d.status = state::dead;
  d.code = 500;
  d.error = "e";
  d.next_attempt = d.finished = d.first_failed = d.last_failed = described_at;
  d.log = {{described_at, {}, 500, "e"}};
  return d;
}

/// `least` has what is required, `most` together with it all that there is.
void expect_described(std::string_view name, const std::string& least, const std::string& most) {
  const auto& s = schema(name);
  auto there = keys_of(least);
  EXPECT_TRUE(std::ranges::includes(there, required_by(s))) << name;
  there.merge(keys_of(most));
  EXPECT_EQ(there, keys_of(s.at("properties"))) << name;
}

TEST(openapi, has_the_fields_of_webhooks) {
  webhook several;
  several.events = 0b11;
  expect_described("Webhook", view(several), view(full_webhook(), show_secret::once));
  const auto stats = boost::json::parse(view(several)).at("stats");
  EXPECT_EQ(keys_of(stats),
            keys_of(schema("Webhook").at("properties").at("stats").at("properties")));
  const webhook both[] = {several};
  expect_described("Webhooks", list_view(both, ""), list_view(both, "next"));
}

TEST(openapi, has_the_fields_of_deliveries) {
  expect_described("Delivery", view(delivery{}), view(full_delivery()));
  const auto log = boost::json::parse(view(full_delivery())).at("attempt_log").at(0);
  EXPECT_EQ(
      keys_of(log),
      keys_of(schema("Delivery").at("properties").at("attempt_log").at("items").at("properties")));
  const delivery one[] = {full_delivery()};
  expect_described("Deliveries", list_view(one, ""), list_view(one, "next"));
  expect_described("DeadLetters", dead_list_view(one, "", described_at),
                   dead_list_view(one, "n", described_at));
  auto dead = keys_of(dead_view(full_delivery(), described_at));
  for (const auto& key : keys_of(view(full_delivery()))) dead.erase(key);
  EXPECT_EQ(dead, keys_of(schema("DeadLetter").at("allOf").at(1).at("properties")));
}

TEST(openapi, has_the_fields_of_other_answers) {
  expect_described("AcceptedEvent", view(accepted_event{}), view(accepted_event{}));
  expect_described("DeadLetterStats", view(dead_counts{}), view(dead_counts{}));
  EXPECT_EQ(keys_of(boost::json::parse(view(dead_counts{})).at("by_age")),
            required_by(schema("DeadLetterStats").at("properties").at("by_age").as_object()));
  expect_described("Retried", view(retried{}), view(retried{}));
  expect_described("Tried", test_view(of_answer(200, "", described_at)),
                   test_view(of_failure(ending::timeout, "")));
  api_error e{error_code::conflict, "e", locus::pointer, "/x", "h"};
  expect_described("Error", render({error_code::conflict, "e", locus::nowhere, {}, {}}), render(e));
  name_set details;
  for (const auto in : {locus::pointer, locus::parameter, locus::header}) {
    e.in = in;
    details.merge(keys_of(boost::json::parse(render(e)).at("details")));
  }
  EXPECT_EQ(details, keys_of(schema("Error").at("properties").at("details").at("properties")));
}

TEST(openapi, has_the_words_of_the_tables) {
  const auto words = [](const boost::json::value& list) {
    name_set out;
    for (const auto& word : list.as_array()) out.insert(text_of(word));
    return out;
  };
  EXPECT_EQ(words(schema("EventName").at("enum")), names_of_all(event_names));
  auto with_star = names_of_all(event_names);
  with_star.insert(std::string(any_event));
  EXPECT_EQ(words(schema("EventNames").at("items").at("enum")), with_star);
  EXPECT_EQ(words(schema("Delivery").at("properties").at("status").at("enum")),
            names_of_all(state_names));
  name_set codes;
  for (const auto& row : error_rows) codes.emplace(row.name);
  EXPECT_EQ(words(schema("Error").at("properties").at("code").at("enum")), codes);
  EXPECT_EQ(words(schema("Webhook").at("properties").at("disabled_reason").at("enum")),
            (name_set{"manual", "gone", "failing"}));
  EXPECT_EQ(schema("NewEvents").at("oneOf").at(1).at("maxItems"), limits::webhook_batch);
}

}  // namespace
}  // namespace gate::webhook
