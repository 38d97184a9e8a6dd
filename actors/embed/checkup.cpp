#include "actors/embed/checkup.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <future>
#include <iterator>
#include <memory>
#include <utility>

#include "actors/doctor/doctor_actor.hpp"
#include "actors/doctor/document_checks.hpp"
#include "actors/doctor/report.hpp"
#include "actors/doctor/upstream_visit.hpp"
#include "actors/doctor/visits.hpp"
#include "config/named_secrets.hpp"
#include "config/validate.hpp"
#include "protocol/resp/store_url.hpp"
#include "transport/inspection.hpp"
#include "transport/runtime.hpp"
#include "transport/surroundings.hpp"

namespace gate::embed {
namespace {

/// All that must not be printed, wherever it comes from.
std::vector<std::string> secrets_in(std::string_view document, const config::document& doc,
                                    const secret_source& secrets) {
  std::vector<std::string> out;
  for (const auto& name : config::named_secrets(document))
    if (auto secret = secrets(name)) out.push_back(std::move(*secret));
  if (auto store = secrets("REDIS_URL")) {
    if (auto read = resp::parse_store_url(*store)) out.push_back(std::move(read->password));
    out.push_back(std::move(*store));
  }
  if (doc.audit)
    for (const auto& sink : doc.audit->sinks)
      if (sink.headers)
        for (const auto& [name, value] : *sink.headers) out.push_back(value);
  return out;
}

doctor::machine this_machine(const checkup_options& o) {
  doctor::machine at;
  at.host = o.host;
  at.port = o.port;
  at.threads = o.threads;
  at.descriptors = raise_descriptor_limit();
  at.clients = connections_within(at.descriptors, o.threads, 0) * o.threads;
  at.secrets = o.secrets;
  at.port_taken = [&o]() -> std::optional<doctor::taken_port> {
    auto wrong = could_not_listen(o.host, o.port);
    if (!wrong) return std::nullopt;
    const auto by = wrong->in_use && wrong->owner.empty() ? doctor::port_owner::unseen
                    : wrong->owner == "gate"              ? doctor::port_owner::gateway
                                                          : doctor::port_owner::other;
    return doctor::taken_port{std::move(wrong->what), by};
  };
  at.could_write = [](const std::string& path) { return could_write(path); };
  return at;
}

/// Has all of them examined, and waits.
result<void> examine(const doctor::examinations& whom, const checkup_options& o,
                     doctor::discretion& secrets) {
  if (whom.empty()) return {};
  runtime::options w;
  w.listens = false;
  // Nobody here would hear of a signal: each does what it does to any program, it ends it.
  w.owns_process = false;
  w.egress = spawn_egress;
  auto world = runtime::start(w);
  if (!world) return world.error();
  auto& system = (*world)->system();
  const auto& unit = (*world)->units().front();
  auto ended = std::make_shared<std::promise<void>>();
  const auto inspector = spawn_inspector(system, unit.unit);
  {
    doctor::doctor_parts parts;
    parts.peers = &whom;
    parts.egress = unit.egress;
    parts.inspector = inspector;
    parts.each = o.each;
    parts.secrets = &secrets;
    parts.progress = o.progress;
    const auto it = system.spawn<doctor::doctor_actor>(unit.unit, std::move(parts));
    caf::actor_cast<caf::abstract_actor*>(it)->attach_functor([ended] { ended->set_value(); });
  }
  ended->get_future().wait();
  caf::anon_send_exit(inspector, caf::exit_reason::kill);
  return {};
}

/// Each one's, and behind them those of whom it went on with.
void collect(const doctor::examinations& whom, doctor::findings& out) {
  for (const auto& it : whom) {
    std::ranges::copy(it->found(), std::back_inserter(out));
    collect(it->further(), out);
  }
}

}  // namespace

result<doctor::findings> check_up(std::string_view document, const checkup_options& o) {
  const auto read = config::load(document);
  doctor::discretion secrets(secrets_in(document, read.doc, o.secrets));
  auto out = doctor::examine_document(read, this_machine(o));
  if (read.problems.empty()) {
    const auto whom = doctor::visits_of(read.doc, o.secrets, system_wall_clock());
    if (auto done = examine(whom, o, secrets); !done) return done.error();
    collect(whom, out);
    std::ranges::move(doctor::compare_lists(whom), std::back_inserter(out));
  }
  return secrets.without(std::move(out));
}

}  // namespace gate::embed
