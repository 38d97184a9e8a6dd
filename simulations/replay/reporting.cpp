#include "simulations/replay/reporting.hpp"

#include "config/validate.hpp"
#include "protocol/http/url.hpp"
#include "protocol/trace/export.hpp"

namespace gate::replay {

std::string canonical_url(std::string_view url) {
  const auto parsed = http::parse_url(url);
  return parsed ? parsed->origin() + parsed->target : std::string(url);
}

std::set<std::string, std::less<>> reports_of(const tape& of) {
  std::set<std::string, std::less<>> out;
  const auto look = [&](std::string_view document) {
    const auto doc = config::load(document).doc;
    if (doc.audit)
      for (const auto& sink : doc.audit->sinks)
        if (sink.url) out.insert(canonical_url(*sink.url));
    if (!doc.tracing) return;
    auto to = http::parse_url(doc.tracing->otlp_endpoint);
    if (!to) return;
    if (to->target == "/") to->target = trace::export_path;
    out.insert(to->origin() + to->target);
  };
  look(of.head.config);
  for (const auto& e : of.events)
    if (e.what == recording::kind::document) look(e.document);
  return out;
}

}  // namespace gate::replay
