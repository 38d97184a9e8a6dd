#include "actors/audit/places.hpp"

#include <memory>
#include <utility>

#include "protocol/http/ascii.hpp"
#include "protocol/http/bearer.hpp"
#include "protocol/http/url.hpp"
#include "protocol/limits.hpp"

namespace gate::audits {
namespace {

std::uint64_t bytes_of(const config::audit_sink& file) {
  return file.max_bytes ? static_cast<std::uint64_t>(*file.max_bytes) : limits::audit_file_bytes;
}

/// The header lines of a delivery; what the operator names is sent as it is.
result<std::string> header_lines(const config::audit_sink& s, const secret_source& secrets) {
  std::string out;
  bool typed = false;
  if (s.headers)
    for (const auto& [name, value] : *s.headers) {
      typed = typed || http::same_text(name, "Content-Type");
      out.append(name).append(": ").append(value).append("\r\n");
    }
  if (!typed) out += "Content-Type: application/json\r\n";
  if (!s.bearer_secret_ref) return {boost::system::in_place_value, std::move(out)};
  const auto secret = secrets(*s.bearer_secret_ref);
  if (!secret) return problem{"the environment variable " + *s.bearer_secret_ref + " is not set"};
  if (!http::can_be_bearer(*secret))
    return problem{"the environment variable " + *s.bearer_secret_ref +
                   " holds what is not a bearer token"};
  return {boost::system::in_place_value, out + "Authorization: Bearer " + *secret + "\r\n"};
}

result<outbox::address> address_of(const config::audit_sink& s, const secret_source& secrets) {
  auto lines = header_lines(s, secrets);
  if (!lines) return lines.error();
  auto to = std::make_shared<destination>();
  to->url = http::parse_url(*s.url).value();
  to->max_response_bytes = limits::outbox_answer_bytes;
  to->redirects = false;  // what was configured is who may read it
  to->share = "audit";
  return outbox::address{std::move(to), std::make_shared<const std::string>(std::move(*lines))};
}

}  // namespace

std::variant<std::vector<place>, std::vector<config::config_problem>> open_places(
    const config::audit_section& section, const secret_source& secrets, const openers& how) {
  std::vector<place> out;
  std::vector<config::config_problem> wrong;
  for (const auto& s : section.sinks) {
    const auto at = "/audit/sinks/" + std::to_string(&s - section.sinks.data());
    place p{s.type, {}, {}};
    switch (s.type) {
      case config::sink_type::standard_output:
        p.lines = how.standard_output();
        break;
      case config::sink_type::file:
        if (auto lines = how.file(*s.path, bytes_of(s)))
          p.lines = std::move(*lines);
        else
          wrong.push_back({at + "/path", lines.error().what});
        break;
      case config::sink_type::webhook:
        if (auto where = address_of(s, secrets))
          p.where = std::move(*where);
        else
          wrong.push_back({at + "/bearerSecretRef", where.error().what});
        break;
    }
    out.push_back(std::move(p));
  }
  if (!wrong.empty()) return wrong;
  return out;
}

}  // namespace gate::audits
