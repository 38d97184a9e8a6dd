#include "protocol/webhook/openapi.hpp"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <vector>

#include "protocol/http/ascii.hpp"
#include "protocol/http/media.hpp"
#include "protocol/webhook/openapi_schemas.hpp"
#include "protocol/webhook/queries.hpp"
#include "protocol/webhook/routes.hpp"
#include "protocol/webhook/writer.hpp"

namespace gate::webhook {
namespace {

constexpr std::string_view about =
    "Webhooks that are told of events, once an event is on disk until they have taken it or it is "
    "in the dead-letter queue. Every object belongs to the organization of the token. Bodies and "
    "queries are read strictly: what is not described here is refused.";

std::string reference(std::string_view kind, std::string_view name) {
  return R"({"$ref":"#/components/)" + std::string(kind) + '/' + std::string(name) + "\"}";
}

// --- what is asked -------------------------------------------------------------------------------

std::span<const std::string_view> parameters_of(query_kind q) {
  switch (q) {
    case query_kind::webhooks:
      return webhooks_parameters;
    case query_kind::deliveries:
      return deliveries_parameters;
    case query_kind::dead_letters:
      return dead_parameters;
    case query_kind::nothing:
      break;
  }
  return {};
}

std::string path_pattern(path_id kind) {
  switch (kind) {
    case path_id::webhook:
      return filled_in(R"({"type":"string","pattern":"%hook%"})");
    case path_id::delivery:
      return filled_in(R"({"type":"string","pattern":"%delivery%"})");
    default:
      return filled_in(R"({"oneOf":[{"type":"string","pattern":"%hook%"},)"
                       R"({"type":"string","pattern":"%delivery%"}]})");
  }
}

struct described_parameter {
  std::string_view name, in;
  std::string schema;
  std::string_view meaning;
};

std::vector<described_parameter> parameters_of(const route& r) {
  std::vector<described_parameter> out;
  if (r.of_path != path_id::none) {
    const auto open = r.path.find('{') + 1;
    out.push_back(
        {r.path.substr(open, r.path.find('}') - open), "path", path_pattern(r.of_path), {}});
  }
  for (const auto name : parameters_of(r.query)) {
    const auto row = std::ranges::find(parameter_rows, name, &parameter_row::name);
    out.push_back({name, "query", filled_in(row->schema), row->meaning});
  }
  if (r.body == body_kind::events)
    out.push_back({"Idempotency-Key", "header",
                   filled_in(R"({"type":"string","pattern":"^[A-Za-z0-9_-]+$","minLength":1,)"
                             R"("maxLength":%webhook_event_id_bytes%})"),
                   "Becomes the event's id. The same event under the same key is accepted once; "
                   "another one is a conflict. Not with an array."});
  return out;
}

void append_parameters(object_writer& to, const route& r) {
  const auto all = parameters_of(r);
  if (all.empty()) return;
  append_list(to, "parameters", all, [](const described_parameter& p, std::string& out) {
    object_writer w(out);
    w.text("name", p.name);
    w.text("in", p.in);
    if (p.in == "path") w.flag("required", true);
    if (!p.meaning.empty()) w.text("description", p.meaning);
    w.key("schema") += p.schema;
    w.end();
  });
}

struct described_body {
  std::string_view schema;
  bool required;
};

described_body body_of(const route& r) {
  switch (r.body) {
    case body_kind::new_webhook:
      return {"NewWebhook", true};
    case body_kind::changes:
      return {"WebhookChanges", true};
    case body_kind::events:
      return {"NewEvents", true};
    case body_kind::rotation:
      return {"Rotation", false};
    case body_kind::nothing:
      break;
  }
  return {r.method == verb::post ? "Nothing" : std::string_view{}, false};
}

void append_content(object_writer& to, std::string_view media, std::string_view schema) {
  object_writer content(to.key("content"));
  object_writer type(content.key(media));
  if (!schema.empty()) type.key("schema") += reference("schemas", schema);
  type.end();
  content.end();
}

void append_body(object_writer& to, const route& r) {
  const auto [schema, required] = body_of(r);
  if (schema.empty()) return;
  object_writer body(to.key("requestBody"));
  body.flag("required", required);
  append_content(body, http::json_type, schema);
  body.end();
}

// --- what is answered ----------------------------------------------------------------------------

struct described_answer {
  std::string_view media, schema;
};

described_answer answer_of(const route& r) {
  constexpr auto json = http::json_type;
  switch (r.with) {
    case answered::nothing:
      return {};
    case answered::webhook:
    case answered::webhook_with_secret:
      return {json, "Webhook"};
    case answered::webhooks:
      return {json, "Webhooks"};
    case answered::tried:
      return {json, "Tried"};
    case answered::delivery:
      return {json, "Delivery"};
    case answered::deliveries:
      return {json, "Deliveries"};
    case answered::accepted:
      return {json, "Accepted"};
    case answered::dead_stats:
      return {json, "DeadLetterStats"};
    case answered::dead_letters:
      return {json, "DeadLetters"};
    case answered::retried:
      return {json, "Retried"};
    case answered::health:
      return {json, "Health"};
    case answered::metrics:
      return {"text/plain", {}};
    case answered::document:
      return {json, {}};
    case answered::page:
      break;
  }
  return {"text/html", {}};
}

bool may_conflict(operation o) {
  using enum operation;
  return o == create_webhook || o == retry_delivery || o == post_events || o == retry_dead_letters;
}

/// The errors that are worth a line of their own; all others are `default`.
std::vector<int> errors_of(const route& r) {
  if (r.of_caller == needs::nobody) return {};
  std::vector<int> out{400, 401, 403};
  if (r.of_path != path_id::none || r.query == query_kind::dead_letters) out.push_back(404);
  if (may_conflict(r.id)) out.push_back(409);
  if (!body_of(r).schema.empty()) out.insert(out.end(), {413, 415});
  out.insert(out.end(), {429, 503});
  return out;
}

void append_answers(object_writer& to, const route& r) {
  object_writer all(to.key("responses"));
  object_writer good(all.key(std::to_string(r.status)));
  const auto [media, schema] = answer_of(r);
  good.text("description", r.status == 204 ? "It is gone." : "As asked.");
  if (!media.empty()) append_content(good, media, schema);
  good.end();
  if (r.with == answered::health) {
    object_writer down(all.key("503"));
    down.text("description", "The store does not answer.");
    append_content(down, media, schema);
    down.end();
  }
  for (const int status : errors_of(r)) {
    const auto name = std::to_string(status);
    all.key(name) += reference("responses", "Error" + name);
  }
  all.key("default") += reference("responses", "Error");
  all.end();
}

// --- paths, components ---------------------------------------------------------------------------

void append_operation(object_writer& path, const route& r) {
  std::string method;
  for (const char c : http::verbs::name(r.method)) method += http::lower(c);
  object_writer w(path.key(method));
  w.text("operationId", r.name);
  w.text("summary", r.meaning);
  if (r.of_caller == needs::admin) w.text("description", "Of organizations with admin rights.");
  if (r.of_caller == needs::nobody) w.key("security") += "[]";
  append_parameters(w, r);
  append_body(w, r);
  append_answers(w, r);
  w.end();
}

/// Rows of the same path stand in one object, where the first of them stands.
void append_paths(object_writer& document) {
  object_writer paths(document.key("paths"));
  for (const auto& r : routes) {
    const auto* first = std::ranges::find(routes, r.path, &route::path);
    if (first != &r) continue;
    object_writer path(paths.key(r.path));
    for (const auto& other : routes)
      if (other.path == r.path) append_operation(path, other);
    path.end();
  }
  paths.end();
}

std::string codes_of(int status) {
  std::string out;
  for (const auto& row : error_rows) {
    if (status != 0 && row.status != status) continue;
    if (!out.empty()) out += ", ";
    out += row.name;
  }
  return out;
}

std::string_view header_of(int status) {
  if (status == 401) return "WWW-Authenticate";
  return status == 429 || status == 503 ? "Retry-After" : std::string_view{};
}

/// `status` 0: any other.
void append_error(object_writer& to, std::string_view name, int status) {
  object_writer w(to.key(name));
  w.text("description", status == 0 ? "Any other error." : codes_of(status));
  if (const auto header = header_of(status); !header.empty()) {
    object_writer headers(w.key("headers"));
    headers.key(header) += R"({"schema":{"type":"string"}})";
    headers.end();
  }
  append_content(w, http::json_type, "Error");
  w.end();
}

void append_components(object_writer& document) {
  object_writer components(document.key("components"));
  components.key("schemas") += filled_in(schemas);
  object_writer responses(components.key("responses"));
  int last = 0;
  for (const auto& row : error_rows) {
    if (row.status == last) continue;  // rows of one status stand together
    last = row.status;
    append_error(responses, "Error" + std::to_string(row.status), row.status);
  }
  append_error(responses, "Error", 0);
  responses.end();
  components.key("securitySchemes") += R"({"token":{"type":"http","scheme":"bearer"}})";
  components.end();
}

}  // namespace

std::string openapi_document(std::string_view version) {
  std::string out;
  object_writer document(out);
  document.text("openapi", "3.1.0");
  object_writer info(document.key("info"));
  info.text("title", "gate-hooks");
  info.text("version", version);
  info.text("description", about);
  info.end();
  document.key("security") += R"([{"token":[]}])";
  append_paths(document);
  append_components(document);
  document.end();
  return out;
}

}  // namespace gate::webhook
