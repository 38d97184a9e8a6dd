#include "shim/up/up_actor.hpp"

#include <caf/send.hpp>

#include "protocol/limits/client_files.hpp"
#include "shim/up/kept_program_actor.hpp"

namespace gate::up {

up_actor::up_actor(caf::actor_config& cfg, caf::execution_unit* unit, up_parts parts)
    : pinned(cfg, unit), parts_(std::move(parts)), conduct_(*this, parts_.verbose) {}

up_actor::behavior_type up_actor::make_behavior() {
  conduct_.begin(std::move(parts_.what), clock().now());
  delayed_send(this, limits::server_look, look_at_servers{});
  delayed_send(this, limits::client_file_look, look_at_files{});
  return {
      [this](kept_listens& m) { conduct_.listens(m.id, std::move(m.url), clock().now()); },
      [this](const kept_said& m) { conduct_.said(m.id, m.line, clock().now()); },
      [this](const kept_ended& m) {
        if (m.for_good) programs_.erase(m.id);
        conduct_.ended(m.id, m.why, m.for_good, clock().now());
      },
      [this](const fetched& m) { take(m); },
      [](const streamed&) {},
      [this](look_at_servers) {
        conduct_.look(clock().now());
        delayed_send(this, limits::server_look, look_at_servers{});
      },
      [this](look_at_files) {
        look_at_the_files();
        delayed_send(this, limits::client_file_look, look_at_files{});
      },
      [this](stop_requested) { conduct_.end(); },
      [](reload_requested) {},  // files are looked at anyway
  };
}

void up_actor::on_exit() {
  programs_.clear();
  parts_ = {};
}

void up_actor::keep(std::string id, std::uint16_t port,
                    std::function<program_spec(std::uint16_t)> spec) {
  programs_[id] = spawn<kept_program_actor>(
      unit(),
      kept_parts{id, std::move(spec), port, parts_.start, caf::actor_cast<kept_user>(this)});
}

void up_actor::start_server(const clients::planned_server& s) {
  keep(s.id, 0, [s, where = parts_.where](std::uint16_t port) { return stdio_of(s, where, port); });
}

void up_actor::start_gateway(const clients::named_values& secrets) {
  keep(std::string(gateway_id), parts_.port,
       [document = document_, secrets, where = parts_.where, host = parts_.host](
           std::uint16_t port) { return gate_of(document, secrets, where, host, port); });
}

void up_actor::keep_document(const std::string& text) {
  document_ = parts_.keep_document(text);
}

void up_actor::reload_gateway() {
  if (const auto it = programs_.find(gateway_id); it != programs_.end())
    send(it->second, reload_kept{});
}

void up_actor::end_program(std::string_view id) {
  if (const auto it = programs_.find(id); it != programs_.end()) send(it->second, end_kept{});
}

void up_actor::ask_health(std::string_view id, const std::string& url) {
  ask(std::string(id), up::ask_health(next_fetch_, url));
}

void up_actor::ask_tools(const std::string& url, std::string_view cursor) {
  ask({}, up::ask_tools(next_fetch_, url, cursor));
}

void up_actor::ask(std::string id, result<fetch_ptr> what) {
  if (!what) {
    say("gate-up can not ask: " + what.error().what + "\n");
    return;
  }
  asked_[next_fetch_++] = std::move(id);
  send(parts_.egress, start_fetch{std::move(*what), caf::actor_cast<fetch_client>(this)});
}

void up_actor::take(const fetched& m) {
  const auto it = asked_.find(m.id);
  if (it == asked_.end()) return;
  const auto id = std::move(it->second);
  asked_.erase(it);
  const int status = m.end == fetch_end::complete ? m.status : 0;
  const std::string_view body = m.body ? std::string_view(*m.body) : std::string_view();
  if (id.empty())
    conduct_.tools(status, body);
  else
    conduct_.health(id, status, body, clock().now());
}

void up_actor::look_at_the_files() {
  auto now = parts_.look_again();
  if (!now) return;
  if (*now)
    conduct_.changed(std::move(**now), clock().now());
  else
    say("The files have changed, and what was read before holds: " + now->error().what + "\n");
}

void up_actor::over(bool well) {
  parts_.over(well);
  quit();
}

}  // namespace gate::up
