#include "protocol/webhook/routes.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace gate::webhook {
namespace {

const std::string some_hook_id = "hook_01ARYZ6S41TSV4RRFFQ69G5FAV";
const std::string some_delivery_id = "dlv_01ARYZ6S41TSV4RRFFQ69G5FAV";
constexpr verb every_verb[] = {verb::get, verb::post, verb::patch, verb::del, verb::options};

/// Ids that may stand in this place.
std::vector<std::string> good_ids(path_id kind) {
  switch (kind) {
    case path_id::webhook:
      return {some_hook_id};
    case path_id::delivery:
      return {some_delivery_id};
    case path_id::webhook_or_delivery:
      return {some_hook_id, some_delivery_id};
    case path_id::none:
      break;
  }
  return {""};
}

std::string filled(const route& r, const std::string& id) {
  std::string out(r.path);
  const auto open = out.find('{');
  if (open != out.npos) out.replace(open, out.find('}') + 1 - open, id);
  return out;
}

http::verbs known_by(std::string_view path) {
  http::verbs out{};
  for (const auto& r : routes)
    if (r.path == path) out.add(r.method);
  return out;
}

TEST(routes, are_found_by_path_and_method) {
  for (const auto& r : routes)
    for (const auto& id : good_ids(r.of_path))
      for (const auto v : every_verb) {
        const auto path = filled(r, id);
        const auto found = find_route(v, path);
        const auto known = known_by(r.path);
        const auto what = std::string(http::verbs::name(v)) + ' ' + path;
        if (!known.contains(v)) {
          ASSERT_FALSE(found) << what;
          EXPECT_EQ(found.error().why.code, error_code::method_not_allowed) << what;
          EXPECT_EQ(found.error().headers, known.allow()) << what;
          EXPECT_EQ(found.error().why.hint, known.hint()) << what;
        } else {
          ASSERT_TRUE(found) << what;
          EXPECT_EQ(found->row->path, r.path) << what;
          EXPECT_EQ(found->row->method, v) << what;
          EXPECT_EQ(found->id, id) << what;
        }
      }
}

TEST(routes, of_ids_that_are_none_lead_nowhere) {
  for (const auto& r : routes) {
    if (r.of_path == path_id::none) continue;
    std::vector<std::string> bad{"hook_",
                                 "dlv_",
                                 "x",
                                 "evt_01ARYZ6S41TSV4RRFFQ69G5FAV",
                                 some_hook_id + "0",
                                 "hook_01aryz6s41tsv4rrffq69g5fav",
                                 "hook_01ARYZ6S41TSV4RRFFQ69G5FA%56",
                                 "hook_81ARYZ6S41TSV4RRFFQ69G5FAV"};
    if (r.of_path == path_id::webhook) bad.push_back(some_delivery_id);
    if (r.of_path == path_id::delivery) bad.push_back(some_hook_id);
    for (const auto& id : bad) {
      const auto found = find_route(r.method, filled(r, id));
      ASSERT_FALSE(found) << r.path << ' ' << id;
      EXPECT_EQ(found.error().why.code, error_code::not_found) << r.path << ' ' << id;
      EXPECT_EQ(found.error().headers, "");
    }
  }
}

TEST(routes, lead_nowhere_from_other_paths) {
  for (const std::string_view path : {"",
                                      "/",
                                      "/webhook",
                                      "/webhooks/",
                                      "//webhooks",
                                      "/Webhooks",
                                      "/webhooks//test",
                                      "/webhooks/{id}/test/x",
                                      "/events/",
                                      "/events/x",
                                      "/webhook-deliveries",
                                      "/webhook-deliveries/",
                                      "/webhook-deliveries/dlq/",
                                      "/webhook-deliveries/dlq/stats/",
                                      "/deliveries",
                                      "/deliveries/",
                                      "/deliveries//retry",
                                      "/health/",
                                      "/healthz",
                                      "/metrics/x",
                                      "/openapi",
                                      "/openapi.json/",
                                      "/consoles",
                                      "/api/health",
                                      "/mcp",
                                      "webhooks"})
    for (const auto v : every_verb) {
      const auto found = find_route(v, path);
      ASSERT_FALSE(found) << path;
      EXPECT_EQ(found.error().why.code, error_code::not_found) << path;
    }
}

TEST(routes, what_is_spelled_out_is_no_id) {
  const auto stats = find_route(verb::get, "/webhook-deliveries/dlq/stats");
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->row->id, operation::dead_letter_stats);
  const auto gone = find_route(verb::del, "/webhook-deliveries/dlq/stats");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().headers, "Allow: GET\r\n");
}

TEST(routes, of_the_page_have_files_below) {
  for (const std::string_view path : {"/console", "/console/", "/console/a/b.js"}) {
    const auto found = find_route(verb::get, path);
    ASSERT_TRUE(found) << path;
    EXPECT_EQ(found->row->id, operation::console);
  }
  EXPECT_EQ(find_route(verb::post, "/console/x").error().headers, "Allow: GET\r\n");
}

TEST(routes, have_names_of_their_own_and_fit_together) {
  std::set<std::string_view> names;
  std::set<std::pair<std::string_view, verb>> places;
  for (const auto& r : routes) {
    EXPECT_TRUE(names.insert(r.name).second) << r.name;
    EXPECT_TRUE(places.insert({r.path, r.method}).second) << r.path;
    EXPECT_EQ(r.of_path != path_id::none, r.path.find('{') != r.path.npos) << r.path;
    EXPECT_TRUE(r.meaning.ends_with('.')) << r.name;
    EXPECT_EQ(r.status == 204, r.with == answered::nothing) << r.name;
    // Without admin rights: everything is read, and events are posted.
    const bool reads = r.method == verb::get || r.id == operation::post_events;
    if (r.of_caller != needs::nobody) {
      EXPECT_EQ(r.of_caller == needs::caller, reads) << r.name;
    }
    if (r.method == verb::get) {
      EXPECT_EQ(r.body, body_kind::nothing) << r.name;
    }
  }
}

}  // namespace
}  // namespace gate::webhook
