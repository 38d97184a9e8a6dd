#include <algorithm>
#include <array>
#include <cctype>

#include "config/options/nearest.hpp"
#include "config/rules/rules.hpp"
#include "config/text.hpp"
#include "protocol/http/url.hpp"

namespace gate::config::rules {
namespace {

std::string lowered(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

void url(findings& out, std::string pointer, std::string_view text, scheme s) {
  auto parsed = http::parse_url(text);
  if (!parsed) return out.add(std::move(pointer), "not a usable URL: " + parsed.error().what);
  // Whoever can change this traffic could hand out keys, tokens or upstreams of their own.
  if (s == scheme::secure && !parsed->tls && !parsed->loopback()) {
    out.add(std::move(pointer), "must be https (http is accepted for loopback hosts only)");
  }
}

void base_url(findings& out, std::string pointer, std::string_view text, scheme s) {
  // A path is appended to it, which a query would swallow.
  if (text.find('?') != std::string_view::npos) {
    return out.add(std::move(pointer), "must not have a query");
  }
  url(out, std::move(pointer), text, s);
}

void header_name(findings& out, std::string pointer, std::string_view name) {
  if (!is_token(name)) {
    return out.add(std::move(pointer),
                   "not a header name: use letters, digits and hyphens, without blanks or colons");
  }
  // These frame the message or belong to the protocol: a second value would be a smuggling hole.
  static constexpr std::array<std::string_view, 18> own{"accept",
                                                        "connection",
                                                        "content-encoding",
                                                        "content-length",
                                                        "content-type",
                                                        "expect",
                                                        "host",
                                                        "keep-alive",
                                                        "last-event-id",
                                                        "mcp-protocol-version",
                                                        "mcp-session-id",
                                                        "proxy-connection",
                                                        "te",
                                                        "traceparent",
                                                        "tracestate",
                                                        "trailer",
                                                        "transfer-encoding",
                                                        "upgrade"};
  if (std::ranges::find(own, lowered(name)) != own.end()) {
    out.add(std::move(pointer), "the gateway sets this header itself: choose another");
  }
}

void scopes(findings& out, std::string_view pointer, const std::optional<text_list>& list) {
  if (!list) return;
  for (std::size_t i = 0; i < list->size(); ++i) {
    // Scopes travel as one string separated by blanks (RFC 6749 section 3.3).
    if (!is_scope((*list)[i])) {
      out.add(item(pointer, i), "not a scope: one entry a scope, without blanks or quotes");
    }
  }
}

void upstream_id(findings& out, std::string pointer, std::string_view id, const document& d) {
  // An id that names nothing grants nothing, which would show only as refused calls much later.
  // Discovered upstreams are not known yet when the document is read.
  if (d.discovery) return;
  if (std::ranges::find(d.upstreams, id, &upstream::id) != d.upstreams.end()) return;
  std::vector<std::string_view> known;
  for (const auto& u : d.upstreams) known.push_back(u.id);
  auto near = nearest(id, known);
  out.add(std::move(pointer),
          "no upstream has the id " + quote(id) +
              (near.empty() ? "" : "; did you mean " + quote(near) + "?"),
          {"/upstreams", "/discovery"});
}

std::string item(std::string_view list, std::size_t index) {
  return join_pointer(list, std::to_string(index));
}

std::string quote(std::string_view word) {
  return '"' + std::string(word) + '"';
}

}  // namespace gate::config::rules
