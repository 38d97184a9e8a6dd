#include "actors/reload/loader_actor.hpp"

#include <exception>
#include <iterator>
#include <utility>

#include "config/diff.hpp"
#include "config/discovery/discovered.hpp"
#include "config/validate.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::reload {
namespace {

loaded refused(std::vector<config::config_problem> problems) {
  loaded out;
  out.problems = std::move(problems);
  return out;
}

/// GATEWAY waits for the answer, so there is one even if there is a bug. (Nothing has changed then:
/// the compiler remembers a snapshot last of all.)
template <class F>
loaded guarded(F make) {
  try {
    return make();
  } catch (const std::exception& e) {
    log::error("LOADER failed; the document is refused. This is a bug.", {{"reason", e.what()}});
    auto out = refused(
        {{"", std::string("it could not be judged, which is a bug of the gateway: ") + e.what()}});
    out.judged = false;
    return out;
  }
}

/// The operator's own part of what runs, and the discovered one.
config::document own_part(const config::snapshot& s) {
  auto out = s.doc;
  out.upstreams.erase(out.upstreams.begin() + static_cast<std::ptrdiff_t>(s.discovered_from),
                      out.upstreams.end());
  return out;
}
std::vector<config::upstream> discovered_part(const config::snapshot& s) {
  return {s.doc.upstreams.begin() + static_cast<std::ptrdiff_t>(s.discovered_from),
          s.doc.upstreams.end()};
}

}  // namespace

loader_actor::loader_actor(caf::actor_config& cfg, loader_parts parts)
    : loader_handle::base(cfg), parts_(std::move(parts)) {}

loader_actor::behavior_type loader_actor::make_behavior() {
  return {
      [this](const load_document& m) {
        auto out = guarded([&] { return from_document(m.text); });
        out.number = m.number;
        send(parts_.asker, std::move(out));
      },
      [this](const load_discovered& m) {
        auto out = guarded([&] { return from_discovered(m.text); });
        out.number = m.number;
        send(parts_.asker, std::move(out));
      },
  };
}

void loader_actor::on_exit() {
  parts_ = {};
}

loaded loader_actor::from_document(const std::optional<std::string>& text) {
  std::string again;
  if (!text) {
    if (!parts_.source)
      return refused({{"",
                       "the configuration was given inline and cannot be read again: give a file, "
                       "or restart"}});
    auto read = parts_.source();
    if (!read) return refused({{"", read.error().what}});
    again = std::move(*read);
  }
  const auto& wanted_text = text ? *text : again;
  // Of a file so much is not even read; here it is a program's.
  if (wanted_text.size() > limits::document_bytes)
    return refused({{"", "the document is larger than " +
                             std::to_string(limits::document_bytes >> 20) + " MiB"}});
  auto wanted = config::load(wanted_text);
  if (!wanted.problems.empty()) return refused(std::move(wanted.problems));
  const auto& running = *parts_.compiler->latest();
  if (auto fixed = config::restart_problems(running.doc, wanted.doc); !fixed.empty())
    return refused(std::move(fixed));
  return take_over(std::move(wanted.doc), discovered_part(running));
}

loaded loader_actor::from_discovered(const std::string& text) {
  const auto& running = *parts_.compiler->latest();
  if (!running.doc.discovery) return refused({{"/discovery", "no discovery source is configured"}});
  auto read = config::read_discovered(text, *running.doc.discovery);
  if (!read.problems.empty()) return refused(std::move(read.problems));
  return take_over(own_part(running), std::move(read.upstreams));
}

loaded loader_actor::take_over(config::document own, std::vector<config::upstream> discovered) {
  auto merged = config::merge(std::move(own), std::move(discovered));
  if (!merged.problems.empty()) return refused(std::move(merged.problems));
  loaded out;
  out.snapshot = parts_.compiler->compile(std::move(merged.doc), merged.discovered_from);
  return out;
}

}  // namespace gate::reload
