#include "actors/doctor/discovery_visit.hpp"

#include <algorithm>
#include <utility>

#include "actors/doctor/document_checks.hpp"
#include "actors/doctor/upstream_visit.hpp"
#include "actors/doctor/words.hpp"
#include "config/discovery/discovered.hpp"
#include "config/named_secrets.hpp"
#include "protocol/limits.hpp"

namespace gate::doctor {
namespace {

constexpr std::string_view source_place = "/discovery/url";

request document_request(const http::url& where, std::string_view bearer) {
  return make_request(where, verb::get, "Accept: application/json\r\n" + std::string(bearer), {});
}

}  // namespace

discovery_visit::discovery_visit(config::document own, std::string_view bearer,
                                 secret_source secrets, wall_clock wall)
    : asking_visit(
          {std::string(source_place), check::discovery, http::parse_url(own.discovery->url).value(),
           document_request(http::parse_url(own.discovery->url).value(), bearer),
           [this](const reply& r, notes& say) { judge(r, say); }},
          wall),
      own_(std::move(own)),
      secrets_(std::move(secrets)),
      wall_(std::move(wall)) {}

void discovery_visit::judge(const reply& r, notes& say) {
  if (r.status == 401 || r.status == 403)
    return say.error(check::discovery, "it refuses us (HTTP " + std::to_string(r.status) + ")",
                     R"(see whether "bearerSecretRef" names the right secret)");
  if (r.status != 200)
    return say.error(check::discovery, "it answers HTTP " + std::to_string(r.status),
                     "see its own log");
  if (r.text.size() > limits::discovery_bytes)
    return say.error(
        check::discovery,
        "its document is larger than " + std::to_string(limits::discovery_bytes) + " bytes",
        "the gateway does not take it");
  auto read = config::read_discovered(r.text, *own_.discovery);
  if (!read.problems.empty()) return refuse(read.problems, say);
  const auto merged = config::merge(own_, std::move(read.upstreams));
  if (!merged.problems.empty()) return refuse(merged.problems, say);
  say.ok(check::discovery,
         "its document is good: " +
             counted(merged.doc.upstreams.size() - merged.discovered_from, "upstream"));
  visit(merged.doc, merged.discovered_from, r.text, say);
}

void discovery_visit::refuse(const std::vector<config::config_problem>& problems,
                             notes& say) const {
  const auto told = std::min<std::size_t>(problems.size(), limits::logged_problems);
  for (std::size_t i = 0; i < told; ++i)
    say.error(check::discovery,
              "its document is refused: " + printable(say.clean(config::to_line(problems[i]))),
              "mend it");
}

void discovery_visit::visit(const config::document& merged, std::size_t from, std::string_view text,
                            notes& say) {
  examinations peers;
  std::vector<std::string> met;
  for (const auto& name : config::named_secrets(text))
    if (auto secret = secrets_(name)) met.push_back(std::move(*secret));
  for (auto i = from; i < merged.upstreams.size(); ++i) {
    const auto& u = merged.upstreams[i];
    for (const auto& f : wrong_secrets_of(u, secrets_))
      say.error(f.what, "upstream " + in_quotes(u.id) + ": " + f.seen, f.advice);
    visit_upstream(
        u, merged.routing.namespace_separator,
        [](std::string_view) { return std::string(source_place); }, secrets_, wall_, peers);
  }
  go_on_with(std::move(peers), std::move(met));
}

}  // namespace gate::doctor
