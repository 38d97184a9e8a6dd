#include "actors/embed/assembly.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include "config/options/listening.hpp"
#include "config/validate.hpp"
#include "protocol/limits.hpp"
#include "transport/lines.hpp"
#include "transport/log.hpp"
#include "transport/process.hpp"

namespace gate::embed {
namespace {

/// Reads and judges a document: it, or everything that is wrong with it.
std::variant<config::document, problems> read(std::string_view text) {
  if (text.size() > limits::document_bytes)
    return failure("the document is larger than " + std::to_string(limits::document_bytes >> 20) +
                   " MiB");
  auto parsed = config::load(text);
  if (!parsed.problems.empty()) return std::move(parsed.problems);
  return std::move(parsed.doc);
}

audits::sink audit_lines() {
  auto out = std::make_shared<line_writer>(
      standard_output, line_bounds{limits::audit_queue, limits::audit_queue_bytes});
  return {[out](std::string_view line) { return out->write(line); },
          [out](std::function<void()> done) { out->flush(std::move(done)); }};
}

result<audits::sink> audit_file(const std::string& path, std::uint64_t max_bytes) {
  auto opened = line_file::open(path, max_bytes, {limits::audit_queue, limits::audit_queue_bytes});
  if (!opened) return opened.error();
  std::shared_ptr<line_file> out = std::move(*opened);
  return audits::sink{[out](std::string_view line) { return out->write(line); },
                      [out](std::function<void()> done) { out->flush(std::move(done)); },
                      [out] { out->reopen(); }};
}

/// Where audit events go; `o` gives what takes those for standard output.
std::variant<std::vector<audits::place>, problems> places_of(const config::document& doc,
                                                             assembly_options& o) {
  if (!doc.audit) return std::vector<audits::place>{};
  const auto standard = [&o] { return o.audit.write ? std::move(o.audit) : audit_lines(); };
  return audits::open_places(*doc.audit, o.secrets, {standard, audit_file});
}

void announce(const std::string& host, std::uint16_t port, const config::snapshot& s) {
  log::info("gate " GATE_VERSION " is listening on " + config::url_of(host, port) +
            s.doc.server.mcp_path + " for " + std::to_string(s.upstreams.size()) + " upstream(s).");
}

/// Where the shared store is; nothing: there is none. Its URL may hold a password, and then it is a
/// secret.
result<std::optional<resp::store_url>> store_of(const config::server_section& s,
                                                const secret_source& secrets) {
  const auto text = s.redis_url ? s.redis_url : secrets("REDIS_URL");
  if (!text) return std::optional<resp::store_url>{};
  auto parsed = resp::parse_store_url(*text);
  if (!parsed) return problem{"REDIS_URL: not a usable URL of a store: " + parsed.error().what};
  return std::optional(std::move(*parsed));
}

/// What sessions of a fleet are sealed by; nothing: the store keeps it.
result<std::optional<std::string>> fleet_secret_of(const config::server_section& s,
                                                   const secret_source& secrets) {
  if (!s.fleet_key_ref) return std::optional<std::string>{};
  auto secret = secrets(*s.fleet_key_ref);
  if (!secret || secret->size() < limits::fleet_secret_bytes)
    return problem{"/server/fleetKeyRef: the environment variable " + *s.fleet_key_ref +
                   (secret ? " is too short" : " is not set") + ": give it at least " +
                   std::to_string(limits::fleet_secret_bytes) +
                   " characters that nobody can guess, the same at all instances"};
  return secret;
}

}  // namespace

problems failure(std::string what) {
  return {{"", std::move(what)}};
}

std::variant<std::unique_ptr<assembly>, problems> assembly::start(std::string_view document,
                                                                  assembly_options o) {
  auto text = read(document);
  if (auto* wrong = std::get_if<problems>(&text)) return std::move(*wrong);
  const auto snapshot = config::compile(std::move(std::get<config::document>(text)));
  std::optional<std::string> signing_key;
  if (snapshot->doc.auth.ema) signing_key = o.secrets(snapshot->doc.auth.ema->signing_key_ref);
  auto authority = identity::make_authority(snapshot->doc, signing_key);
  if (!authority) return failure(authority.error().what);

  // Whoever is started from here on: the threads of files are the first.
  std::optional<without_signals> shy;
  if (!o.world.owns_process) shy.emplace();
  auto places = places_of(snapshot->doc, o);
  if (auto* wrong = std::get_if<problems>(&places)) return std::move(*wrong);

  auto store = store_of(snapshot->doc.server, o.secrets);
  if (!store) return failure(store.error().what);
  auto fleet_secret = fleet_secret_of(snapshot->doc.server, o.secrets);
  if (!fleet_secret) return failure(fleet_secret.error().what);
  const auto counted = std::make_shared<metrics>();
  const auto database = *store ? (**store).database : 0;
  if (*store) o.world.store = make_shared_store(std::move(**store), counted);

  o.world.max_body_bytes = static_cast<std::size_t>(snapshot->doc.server.max_body_bytes);
  o.world.egress = spawn_egress;
  const auto host = o.world.host;
  auto world = runtime::start(o.world);
  if (!world) return failure(world.error().what);
  // Late, so that no start that fails leaves a file.
  auto recording = recorders::begin(o.record, document, *snapshot, o.world, o.secrets);
  if (!recording) return failure(recording.error().what);
  if (*recording) (*recording)->listen(o.secrets, o.read_config);
  std::unique_ptr<assembly> out(new assembly);
  out->runtime_ = std::move(*world);

  out->recorders_ = std::move(*recording);
  auto& r = *out->runtime_;
  supervisor::gateway_parts parts;
  parts.snapshot = snapshot;
  for (const auto& u : r.units())
    parts.units.push_back({u.unit, u.ingress, u.egress, u.tasks, u.store});
  parts.metrics = counted;
  parts.wall = system_wall_clock();
  parts.random = system_random();
  parts.secrets = std::move(o.secrets);
  parts.authority = std::move(*authority);
  parts.fleet_secret = std::move(*fleet_secret);
  parts.store_database = database;
  parts.read_config = std::move(o.read_config);
  parts.load_apart = true;
  parts.places = std::move(std::get<std::vector<audits::place>>(places));
  if (out->recorders_) out->recorders_->stand_before(r.system(), parts);
  parts.stopped = [orderly = out->orderly_] { *orderly = true; };
  out->boss_ =
      r.system().spawn<supervisor::gateway_actor>(r.units().front().unit, std::move(parts));
  // Not by `stopped`: a GATEWAY that crashed has ended too.
  auto ended = std::make_shared<std::promise<void>>();
  out->ended_ = ended->get_future().share();
  caf::actor_cast<caf::abstract_actor*>(out->boss_)->attach_functor([ended] {
    ended->set_value();
  });
  caf::anon_send(r.watch(),
                 watch_for{out->recorders_ ? out->recorders_->between(
                                                 r.system(), r.units().front().unit, out->boss_)
                                           : watcher_handle(out->boss_)});
  announce(host, r.port(), *snapshot);
  return out;
}

assembly::~assembly() {
  if (!boss_) return;
  stop();
  ended_.wait();
  boss_ = nullptr;
  if (recorders_) recorders_->end(in_good_order());
  if (in_good_order()) return;
  // What it supervised may run on, and the end of the threads would be waited for for ever.
  log::error("GATEWAY crashed; its threads are left behind.");
  static_cast<void>(runtime_.release());
}

problems assembly::ask(reload_with what) {
  auto answer = std::make_shared<std::promise<problems>>();
  auto future = answer->get_future();
  // Kept: whom nobody knows any more is gone without a word, and GATEWAY forgets who asked when it
  // drops a question.
  const auto asker =
      runtime_->system().spawn([boss = boss_, answer, what](caf::event_based_actor* self) {
        const auto ended = [self, answer] {
          answer->set_value(failure("the gateway has ended"));
          self->quit();
        };
        // Its answer may never come, if it is about to end.
        self->monitor(boss);
        self->set_down_handler([ended](const caf::down_msg&) { ended(); });
        self->request(boss, caf::infinite, what)
            .then(
                [self, answer](const reloaded& m) {
                  answer->set_value(m.problems);
                  self->quit();
                },
                [ended](const caf::error&) { ended(); });
      });
  return future.get();
}

void assembly::stop() {
  caf::anon_send(boss_, stop_requested{});
}

}  // namespace gate::embed
