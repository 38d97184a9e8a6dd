#include "actors/pipeline/ladder.hpp"

#include "actors/pipeline/target.hpp"
#include "protocol/http/response_lines.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/mcp/http_rules.hpp"
#include "protocol/mcp/log_levels.hpp"
#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/stateless/headers.hpp"
#include "protocol/mcp/stateless/task_shapes.hpp"

namespace gate::pipeline {
namespace {

using climbing = fact<stage::rate_limit>;

/// The header names the revision that the envelope names, and it is spoken here.
std::optional<refused> check_revision(climbing& c, const mcp::stateless::known_envelope& e) {
  const auto named = c->request().head->version_named;
  if (named != e.version)
    return refuse(
        std::move(c), reason::header_mismatch,
        "the header MCP-Protocol-Version is missing or is not the version in params._meta");
  if (!mcp::speaks_stateless(e.version))
    return refused{std::move(c), mcp::unsupported_era(json::quoted(e.version)), {}};
  return {};
}

/// Its header alone says that it is of this generation.
refused lacks_envelope(climbing c) {
  if (c->message.method == mcp::names::initialize)
    return refuse(std::move(c), reason::header_mismatch,
                  "initialize begins a session, which the revision in MCP-Protocol-Version does "
                  "not have");
  return refuse(std::move(c), reason::envelope_invalid,
                "params._meta must name " + std::string(mcp::stateless::keys::version) + " and " +
                    std::string(mcp::stateless::keys::capabilities));
}

}  // namespace

void note_method(call& c) {
  auto& notes = c.ticket.notes();
  c.method = mcp::find_method(c.message.method, c.era);
  if (c.method) {
    notes.method = c.method->name;
    notes.unaudited = c.method->unaudited;
  } else {
    notes.method = audit::other_method;
    notes.name = c.message.method;
  }
}

std::optional<refused> climb_ladder(climbing& c, mcp::stateless::known_envelopes::reading read,
                                    desk& d) {
  if (c->of_a_batch)
    return refuse_by(std::move(c), mcp::broken(mcp::http_rule::batch_version, mcp::batch_version));
  c->era = mcp::era::stateless;
  if (c->message.kind == jsonrpc::kind::response)
    return refuse(std::move(c), reason::invalid_request, "nobody asks clients of this revision");
  note_method(*c);
  if (!c->is_request) return {};
  const auto& head = *c->request().head;
  if (!read.named) return lacks_envelope(std::move(c));
  if (!read.it) return refuse(std::move(c), reason::envelope_invalid, std::move(read.flaw));
  const auto& envelope = *read.it;
  if (auto no = check_revision(c, envelope)) return no;
  if (auto wrong = mcp::stateless::disagreement(head, c->message, c->method))
    return refuse(std::move(c), reason::header_mismatch, std::move(*wrong));
  if (!c->method) return refuse(std::move(c), reason::method_unknown, "method not found");
  c->session = d.sessions.visit(c->access(), envelope, c->from->peer());
  if (!c->session)
    return refuse(std::move(c), reason::overloaded, "too many callers: try again later",
                  std::string(http::retry_later));
  if (const auto level = mcp::severity(envelope.log_level); level < mcp::log_levels.size())
    c->log_level = mcp::log_levels[level];
  c->declares = envelope.capabilities;
  c->takes_tasks = envelope.takes_tasks;
  c->question.only_envelope = envelope.alone;
  return {};
}

std::optional<refused> read_listening(climbing& c) {
  const auto notifications = json::member(c->message.params, "notifications");
  if (!c->takes_tasks && !json::member(notifications, "taskIds").empty())
    return lacks_tasks(std::move(c), "what is told of tasks");
  auto wanted = mcp::stateless::read_filter(notifications);
  if (!wanted) return refuse(std::move(c), reason::invalid_params, wanted.error().what);
  c->listening = std::make_unique<listening>();
  c->listening->wanted = std::move(*wanted);
  c->route = route::listen;
  return {};
}

}  // namespace gate::pipeline
