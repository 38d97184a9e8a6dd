#include "actors/embed/recorders.hpp"

#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include "actors/recording/egress_recorder_actor.hpp"
#include "actors/recording/ingress_recorder_actor.hpp"
#include "actors/recording/router_recorder_actor.hpp"
#include "actors/recording/store_recorder_actor.hpp"
#include "actors/recording/watch_recorder_actor.hpp"
#include "config/named_secrets.hpp"
#include "protocol/audit/event.hpp"

namespace gate::embed {
namespace {

void learn_from(std::string_view document, const secret_source& secrets, secret_register& to) {
  for (const auto& name : config::named_secrets(document))
    if (const auto secret = secrets(name)) to.add(*secret);
}

/// A store's URL is a secret, and its password wherever it stands.
void learn_store(std::string_view url, secret_register& to) {
  const auto begin = url.find("://");
  const auto end = url.rfind('@');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin + 3) return;
  const auto user = url.substr(begin + 3, end - begin - 3);
  to.add(user);
  if (const auto colon = user.find(':'); colon != std::string_view::npos)
    to.add(user.substr(colon + 1));
}

}  // namespace

result<std::unique_ptr<recorders>> recorders::begin(const recording_options& o,
                                                    std::string_view document,
                                                    const config::snapshot& s,
                                                    const runtime::options& world,
                                                    const secret_source& secrets) {
  if (o.path.empty()) return std::unique_ptr<recorders>{};
  auto shared = std::make_shared<recording::common>();
  shared->secrets = std::make_shared<secret_register>();
  shared->now = world.now;
  shared->names = o.redact;
  for (const auto& u : s.doc.upstreams)
    if (u.auth.header) shared->headers.push_back(*u.auth.header);
  shared->key.resize(32);
  system_random()({reinterpret_cast<std::uint8_t*>(shared->key.data()), shared->key.size()});
  learn_from(document, secrets, *shared->secrets);
  if (const auto url = s.doc.server.redis_url ? s.doc.server.redis_url : secrets("REDIS_URL"))
    learn_store(*url, *shared->secrets);

  recording::redactor of_first(shared->key, shared->names);
  for (const auto& one : shared->secrets->from(0)) of_first.know(one);
  recording::preamble p{
      GATE_VERSION, gate::audit::rfc3339(system_wall_clock()()), world.threads, {}};
  shared->began = shared->now();
  const auto within = shared->began.time_since_epoch() % std::chrono::minutes(1);
  p.clock = static_cast<std::uint64_t>(within / std::chrono::microseconds(1));
  of_first.document(p.config, document);
  std::string line;
  recording::append_preamble(line, p);
  auto file = recording_file::make(o.path, line, o.max_bytes);
  if (!file) return problem{"--record " + o.path + ": " + file.error().what};
  shared->file = std::move(*file);
  return std::unique_ptr<recorders>(new recorders(std::move(shared)));
}

void recorders::listen(secret_source& secrets, std::function<result<std::string>()>& read_config) {
  secrets = [known = shared_->secrets, read = std::move(secrets)](std::string_view name) {
    auto secret = read(name);
    if (secret) known->add(*secret);
    return secret;
  };
  if (!read_config) return;
  // Used by LOADER alone, so it has a journal of its own.
  const auto where = std::make_shared<recording::journal>(shared_, 0);
  read_config = [where, secrets, known = shared_->secrets, read = std::move(read_config)] {
    auto text = read();
    if (text) {
      learn_from(*text, secrets, *known);
      where->document(*text);
    }
    return text;
  };
}

void recorders::stand_before(caf::actor_system& system, supervisor::gateway_parts& parts) {
  for (std::size_t i = 0; i < parts.units.size(); ++i) {
    auto& u = parts.units[i];
    const auto where = std::make_shared<recording::journal>(shared_, i);
    if (i == 0) first_ = where;
    const auto keep = [this](const auto& handle) {
      spawned_.push_back(caf::actor_cast<caf::actor>(handle));
      return handle;
    };
    u.ingress = keep(system.spawn<recording::ingress_recorder_actor>(u.unit, u.ingress, where));
    u.egress = keep(system.spawn<recording::egress_recorder_actor>(u.unit, u.egress, where));
    if (u.store)
      u.store = keep(system.spawn<recording::store_recorder_actor>(u.unit, u.store, where));
    // (Also where no audit trail is wanted: a replay compares its events.)
    beside_.push_back(keep(system.spawn<recording::router_recorder_actor>(u.unit, where)));
    u.recorder = beside_.back();
    u.threshold = beside_.back();
  }
}

watcher_handle recorders::between(caf::actor_system& system, caf::execution_unit* unit,
                                  watcher_handle to) {
  watcher_handle made = system.spawn<recording::watch_recorder_actor>(unit, std::move(to), first_);
  spawned_.push_back(caf::actor_cast<caf::actor>(made));
  return made;
}

void recorders::end(bool orderly) {
  // The last audit events may be on their way.
  if (orderly) recording::catch_up_all(beside_, shared_->now() + limits::recording_flush);
  beside_.clear();
  for (const auto& one : spawned_) caf::anon_send_exit(one, caf::exit_reason::kill);
  spawned_.clear();
  shared_->file->end(orderly ? recording::ending::shutdown : recording::ending::none);
}

}  // namespace gate::embed
