#include "shim/up/up_actor.hpp"

#include <caf/send.hpp>

#include "protocol/http/url.hpp"
#include "protocol/limits/client_files.hpp"

namespace gate::up {

up_actor::up_actor(caf::actor_config& cfg, caf::execution_unit* unit, up_parts parts)
    : pinned(cfg, unit), parts_(std::move(parts)), conduct_(*this, parts_.verbose) {}

up_actor::behavior_type up_actor::make_behavior() {
  set_down_handler([this](const caf::down_msg& m) { lost(m.source); });
  conduct_.begin(std::move(parts_.what), clock().now());
  delayed_send(this, limits::server_look, look_at_servers{});
  delayed_send(this, limits::client_file_look, look_at_files{});
  return {
      [this](kept_listens& m) {
        // Where clients were told to call it, it is called from now on.
        if (const auto at = http::parse_url(m.url); at && m.id == gateway_id)
          parts_.port = at->port;
        conduct_.listens(m.id, std::move(m.url), clock().now());
      },
      [this](const kept_said& m) { conduct_.said(m.id, m.line, clock().now()); },
      [this](const kept_ended& m) {
        if (m.for_good) programs_.erase(m.id);
        conduct_.ended(m.id, m.why, m.for_good, clock().now());
      },
      [this](const fetched& m) { take(m); },
      [this](const streamed& m) {
        const auto it = asked_.find(m.id);
        if (it == asked_.end()) return;
        for (const auto& e : m.events)
          if (!e.data.empty()) it->second.said = e.data;
      },
      [this](look_at_servers) {
        conduct_.look(clock().now());
        delayed_send(this, limits::server_look, look_at_servers{});
      },
      [this](look_at_files) {
        look_at_the_files();
        delayed_send(this, limits::client_file_look, look_at_files{});
      },
      [this](stop_requested) { conduct_.end(); },
      // Its terminal was closed: files are looked at anyway.
      [this](reload_requested) { conduct_.end(); },
  };
}

void up_actor::on_exit() {
  programs_.clear();
  parts_ = {};
}

void up_actor::keep(kept_parts what) {
  what.start = parts_.start;
  what.user = caf::actor_cast<kept_user>(this);
  const auto id = what.id;
  const auto made = spawn<kept_program_actor>(unit(), std::move(what));
  monitor(made);
  programs_[id] = made;
}

void up_actor::start_server(const clients::planned_server& s) {
  kept_parts it;
  it.id = s.id;
  it.any_port = true;
  it.spec = [s, where = parts_.where](std::uint16_t port) { return stdio_of(s, where, port); };
  keep(std::move(it));
}

void up_actor::start_gateway(const clients::named_values& secrets) {
  kept_parts it;
  it.id = gateway_id;
  it.port = parts_.port;
  it.spec = [path = document_, keep = parts_.keep_document, text = kept_, secrets,
             where = parts_.where, host = parts_.host](std::uint16_t port) {
    static_cast<void>(keep(*text));  // what can not be read, gate says
    return gate_of(path, secrets, where, host, port);
  };
  keep(std::move(it));
}

void up_actor::keep_document(const std::string& text) {
  *kept_ = text;
  const auto path = parts_.keep_document(text);
  if (path)
    document_ = *path;
  else
    say("The gateway's document can not be kept: " + path.error().what + "\n");
}

/// One that ends as it should is known to be gone by then.
void up_actor::lost(const caf::actor_addr& who) {
  for (const auto& [id, program] : programs_)
    if (caf::actor_cast<caf::actor_addr>(program) == who) {
      const auto name = id;
      programs_.erase(name);
      return conduct_.ended(name, "who watched over it has crashed", true, clock().now());
    }
}

void up_actor::forget_gateway() {
  std::erase_if(asked_,
                [](const auto& q) { return q.second.id.empty() || q.second.id == gateway_id; });
}

/// Names of tools and words of servers are others' text: none of it moves a cursor.
void up_actor::say(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if ((static_cast<unsigned char>(c) < ' ' && c != '\n') || c == '\x7f') c = '?';
  parts_.say(out);
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
  asked_[next_fetch_++] = {std::move(id), {}};
  send(parts_.egress, start_fetch{std::move(*what), caf::actor_cast<fetch_client>(this)});
}

void up_actor::take(const fetched& m) {
  const auto it = asked_.find(m.id);
  if (it == asked_.end()) return;
  const auto [id, said] = std::move(it->second);
  asked_.erase(it);
  const int status = m.end == fetch_end::complete ? m.status : 0;
  const std::string_view body = m.body ? std::string_view(*m.body) : std::string_view(said);
  if (id.empty())
    conduct_.tools(status, body, clock().now());
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
