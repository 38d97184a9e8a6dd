#include "actors/companion/companion.hpp"

#include <caf/send.hpp>
#include <ostream>

#include "transport/log.hpp"
#include "transport/process.hpp"

namespace gate::companion {

int program::complain(std::string_view what, int code) const {
  err << name << ": " << what << '\n';
  return code;
}

int program::say(std::string_view text) const {
  out << text;
  return config::exit_ok;
}

int program::say_version() const {
  return say(std::string(name) + " " GATE_VERSION "\n");
}

std::function<void()> only_actor::stopped() const {
  return [orderly = orderly_] { *orderly = true; };
}

void only_actor::is(const watcher_handle& who, runtime& world) const {
  // Not by `stopped`: one that crashed has ended too.
  caf::actor_cast<caf::abstract_actor*>(who)->attach_functor(
      [ended = ended_] { ended->set_value(); });
  caf::anon_send(world.watch(), watch_for{who});
}

bool only_actor::wait() const {
  settle_down();
  ended_->get_future().wait();
  return *orderly_;
}

int run(const program& p, config::log_format format, config::log_level level,
        const runtime::options& w, const std::function<int(runtime&)>& serve) {
  log::init(format == config::log_format::json ? log::format::json : log::format::text,
            static_cast<log::level>(level));
  auto world = runtime::start(w);
  if (!world) return p.complain(world.error().what, config::exit_invalid);
  const int code = serve(**world);
  world->reset();  // joins the threads
  if (code == config::exit_ok) log::info("Stopped.");
  return code;
}

result<webhook::callers> bearer_of(const std::string& variable) {
  if (variable.empty()) return webhook::callers();
  const webhook::organization one{std::string(webhook::callers::only), variable, true};
  return webhook::callers::of({&one, 1}, environment_variable);
}

}  // namespace gate::companion
