#include "gate/gateway.hpp"

#include <exception>
#include <utility>

#include "actors/embed/assembly.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"
#include "transport/process.hpp"

namespace gate {
namespace {

/// Within a function of the embedding program: waiting for the gateway there would be for ever.
thread_local bool in_callback = false;

class callback_mark {
 public:
  callback_mark() : before_(std::exchange(in_callback, true)) {}
  ~callback_mark() { in_callback = before_; }
  callback_mark(const callback_mark&) = delete;
  callback_mark& operator=(const callback_mark&) = delete;

 private:
  bool before_;
};

gateway::problems translate(const embed::problems& from) {
  gateway::problems out;
  for (const auto& p : from) out.push_back({p.pointer, p.what});
  return out;
}

secret_source secrets_of(const gateway::options& o) {
  if (!o.secrets) return environment_variable;
  return [ask = o.secrets](std::string_view name) -> std::optional<std::string> {
    const callback_mark mark;
    try {
      auto secret = ask(std::string(name));
      if (secret && secret->empty()) secret.reset();
      return secret;
    } catch (const std::exception& e) {
      log::error("The embedding program failed to look up a secret.",
                 {{"name", std::string(name)}, {"error", e.what()}});
      return {};
    }
  };
}

std::function<result<std::string>()> source_of(const gateway::options& o) {
  if (!o.reread) return {};
  return [ask = o.reread]() -> result<std::string> {
    const callback_mark mark;
    try {
      return {boost::system::in_place_value, ask()};
    } catch (const std::exception& e) {
      return problem{e.what()};
    }
  };
}

audits::sink audit_of(const gateway::options& o) {
  if (!o.audit) return {};
  const auto write = [take = o.audit](std::string_view line) -> lost_lines {
    const callback_mark mark;
    if (line.ends_with('\n')) line.remove_suffix(1);
    try {
      take(line);
      return {};
    } catch (const std::exception& e) {
      log::error("The embedding program failed to take an audit line.", {{"error", e.what()}});
      return {.failed = 1};
    }
  };
  return {write};
}

void choose(const gateway::log& l) {
  const auto json = l.form == gateway::log::format::json;
  log::init(json ? log::format::json : log::format::text, static_cast<log::level>(l.least));
}

static_assert(static_cast<int>(gateway::log::level::off) == static_cast<int>(log::level::off));

}  // namespace

struct gateway::state {
  std::unique_ptr<embed::assembly> it;

  problems ask(reload_with what) const {
    if (in_callback)
      return {{"", "a function that the gateway has called can not wait for the gateway"}};
    return translate(it->ask(std::move(what)));
  }
};

std::variant<gateway, gateway::problems> gateway::start(std::string_view document,
                                                        const options& o) {
  if (o.threads < 1 || o.threads > limits::threads_most)
    return problems{{"", "threads: expected 1 to " + std::to_string(limits::threads_most)}};
  if (o.host.empty()) return problems{{"", "host: expected an address, found nothing"}};
  if (o.log) choose(*o.log);
  embed::assembly_options a;
  a.world.host = o.host;
  a.world.port = o.port;
  a.world.threads = o.threads;
  a.world.owns_process = false;
  a.secrets = secrets_of(o);
  a.read_config = source_of(o);
  a.audit = audit_of(o);
  auto started = embed::assembly::start(document, std::move(a));
  if (const auto* wrong = std::get_if<embed::problems>(&started)) return translate(*wrong);
  auto s = std::make_unique<state>();
  s->it = std::move(std::get<std::unique_ptr<embed::assembly>>(started));
  return gateway(std::move(s));
}

std::variant<gateway, gateway::problems> gateway::start(std::string_view document) {
  return start(document, {});
}

gateway::gateway(std::unique_ptr<state> s) noexcept : state_(std::move(s)) {}
gateway::gateway(gateway&& from) noexcept = default;
gateway& gateway::operator=(gateway&& from) noexcept = default;
gateway::~gateway() = default;

gateway::problems gateway::reload(std::string_view document) {
  return state_->ask({std::string(document)});
}

gateway::problems gateway::reload_from_source() {
  return state_->ask({});
}

std::uint16_t gateway::port() const noexcept {
  return state_->it->port();
}

std::string_view gateway::version() noexcept {
  return GATE_VERSION;
}

void gateway::stop() {
  state_->it->stop();
}

void gateway::wait() {
  state_->it->ended().wait();
}

bool gateway::wait_for(std::chrono::milliseconds most) {
  return state_->it->ended().wait_for(most) == std::future_status::ready;
}

bool gateway::running() const {
  return state_->it->ended().wait_for(std::chrono::seconds{0}) != std::future_status::ready;
}

}  // namespace gate
