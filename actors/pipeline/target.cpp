#include "actors/pipeline/target.hpp"

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/app_resources.hpp"
#include "protocol/mcp/names.hpp"
#include "protocol/mcp/stateless/input_requests.hpp"

namespace gate::pipeline {
namespace {

/// Does a header say what it is about?
bool is_named(const call& c) {
  const auto by = c.method->routing;
  return by == mcp::routing::named || by == mcp::routing::owned || by == mcp::routing::task;
}

/// The parts of the params where they came.
void keep_parts(call& c, std::string_view named) {
  auto& q = c.question;
  q.token = c.token;
  q.meta = c.message.meta;
  q.arguments = c.message.arguments;
  q.named = is_named(c) ? named : std::string_view{};
  q.keep = c.arrived;
}

std::string_view inside(std::string_view raw_string) {
  return raw_string.substr(1, raw_string.size() - 2);
}

/// The params as they are; `raw`: the string that says what they are about.
void keep_params(call& c, std::string_view raw) {
  c.question.first = c.message.params;
  keep_parts(c, inside(raw));
}

/// The params with this text where `raw`, a string within them, stands.
void write_anew(call& c, std::string_view raw, std::string_view by) {
  const auto params = c.message.params;
  const auto before = static_cast<std::size_t>(raw.data() - params.data());
  auto text = std::make_shared<std::string>(params.substr(0, before));
  json::append_quoted(*text, by);
  const auto written = text->size() - before;
  *text += params.substr(before + raw.size());
  auto& q = c.question;
  q.first = *text;
  q.second = {};
  keep_parts(c, inside(q.first.substr(before, written)));
  for (auto* part : {&q.token, &q.meta, &q.arguments}) {
    if (part->empty()) continue;
    auto place = static_cast<std::size_t>(part->data() - params.data());
    if (place > before) place += written - raw.size();
    *part = q.first.substr(place, part->size());
  }
  q.keep = text;
}

/// The params without the `prefix` bytes that `raw`, a string within them, begins with.
void skip_prefix(call& c, std::string_view raw, std::string_view bare, std::size_t prefix) {
  const auto params = c.message.params;
  const auto before = static_cast<std::size_t>(raw.data() - params.data()) + 1;  // with its quote
  auto& q = c.question;
  if (raw.find('\\') == raw.npos) {
    q.first = params.substr(0, before);
    q.second = params.substr(before + prefix);
    return keep_parts(c, q.second.substr(0, bare.size()));
  }
  write_anew(c, raw, bare);  // it has escapes
}

}  // namespace

void set_target(call& c, const config::compiled_upstream& u) {
  c.upstream = &u;
  c.ticket.notes().upstream = u.id;
  c.ticket.notes().owner = u.owner ? &*u.owner : nullptr;
  c.route = route::upstream;
  c.via = c.question.client = c.session->key;
  c.question.method = c.method->name;
  c.question.profile = c.session->profile;
  c.question.declares = c.declares;
  c.question.log_level = c.log_level;
  if (c.era == mcp::era::stateless && c.message.other_params &&
      mcp::stateless::asks_by_result(c.method->name)) {
    const auto with = mcp::stateless::read_attempt(c.message.params);
    c.question.has_input = with.again();
    // (Answers without a state belong to no call that waits: the request is a new one.)
    c.question.resumes = !with.state.empty();
    c.question.has_task = !json::member(c.message.params, "task").empty();
  }
  c.question.caller = c.caller_for(u);
  c.question.request = c.arrived->number();
}

void set_task_target(call& c, const config::compiled_upstream& u, std::uint64_t minted_for) {
  set_target(c, u);
  auto& q = c.question;
  c.via = q.client = minted_for;
  c.anywhere = q.anywhere = true;
  q.as = c.session->lists_as;
  q.profile = nullptr;  // the session it goes over may be another client's
}

std::optional<refused> target_task(unrouted& c, std::string_view raw) {
  if (c->era == mcp::era::stateless && !c->takes_tasks)
    return lacks_tasks(std::move(c), "the method");
  if (raw.size() <= 2 || !raw.starts_with('"'))
    return refuse(std::move(c), reason::invalid_params, "params.taskId must be a string");
  if (raw.size() > limits::name_bytes)
    return refuse(std::move(c), reason::invalid_params, "params.taskId is too long");
  if (!json::unquote(raw, c->uri))
    return refuse(std::move(c), reason::invalid_params, "params.taskId is not a valid string");
  c->ticket.notes().name = c->uri;
  keep_params(*c, raw);
  c->route = route::task;
  return {};
}

std::optional<refused> target_name(unrouted& c, std::string_view raw) {
  if (raw.size() <= 2 || !raw.starts_with('"'))
    return refuse(std::move(c), reason::invalid_params, "params.name must be a string");
  if (raw.size() > limits::name_bytes)
    return refuse(std::move(c), reason::invalid_params, "params.name is too long");
  const auto& snapshot = *c->snapshot;
  std::string name;
  if (!json::unquote(raw, name))
    return refuse(std::move(c), reason::invalid_params, "params.name is not a valid string");
  // Some servers end a text there, and would call what policy was not asked about.
  if (name.find('\0') != name.npos)
    return refuse(std::move(c), reason::invalid_params, "params.name must not contain U+0000");
  c->ticket.notes().name = name;
  const auto unknown = [&] {
    return refuse(std::move(c), reason::unknown_name,
                  "unknown name \"" + name + "\": no upstream owns this namespace");
  };
  if (snapshot.passthrough) {
    if (!c->view().visible(snapshot.upstreams.front().index)) return unknown();
    set_target(*c, snapshot.upstreams.front());
    keep_params(*c, raw);
    return {};
  }
  const auto split = mcp::split(name, snapshot.separator);
  const auto* upstream = split ? snapshot.find_namespace(split->space) : nullptr;
  // What the caller's tenant does not see is not there.
  if (!upstream || !c->view().visible(upstream->index)) return unknown();
  set_target(*c, *upstream);
  skip_prefix(*c, raw, split->bare, name.size() - split->bare.size());
  return {};
}

std::optional<refused> target_uri(unrouted& c, std::string_view raw) {
  if (raw.size() <= 2 || !raw.starts_with('"'))
    return refuse(std::move(c), reason::invalid_params, "params.uri must be a string");
  if (raw.size() > limits::uri_bytes)
    return refuse(std::move(c), reason::invalid_params, "params.uri is too long");
  if (!json::unquote(raw, c->uri))
    return refuse(std::move(c), reason::invalid_params, "params.uri is not a valid string");
  c->ticket.notes().name = c->uri;
  keep_params(*c, raw);
  if (c->snapshot->passthrough) {
    if (!c->view().visible(c->snapshot->upstreams.front().index))
      return refuse(std::move(c), reason::resource_unknown, "resource not found");
    set_target(*c, c->snapshot->upstreams.front());
    return {};
  }
  // Such a name of the federation says whose it is, in a list or not.
  if (const auto app = mcp::read_minted(c->uri)) {
    const auto* owner = c->snapshot->find_namespace(app->space);
    if (owner && c->view().visible(owner->index)) {
      set_target(*c, *owner);
      write_anew(*c, raw, app->own);
      return {};
    }
  }
  c->route = route::owner;
  return {};
}

std::optional<refused> target_ref(unrouted& c) {
  const auto& m = c->message;
  if (!m.ref.starts_with('{'))
    return refuse(std::move(c), reason::invalid_params, "params.ref is not a reference");
  for (const auto& r : mcp::references)
    if (json::says(m.ref_type, r.type))
      return mcp::owns_uris(r.of) ? target_uri(c, m.ref_uri) : target_name(c, m.ref_name);
  return refuse(std::move(c), reason::invalid_params,
                "params.ref.type must be \"ref/prompt\" or \"ref/resource\"");
}

}  // namespace gate::pipeline
