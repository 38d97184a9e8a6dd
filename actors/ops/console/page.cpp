#include "actors/ops/console/page.hpp"

#include <algorithm>

#include "actors/ops/auth_hint.hpp"
#include "actors/ops/console/asset.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/http/url.hpp"

namespace gate::console {
namespace {

constexpr std::string_view root = "/console";

/// What follows `/console/`; `path` begins so.
std::string_view below(std::string_view path) {
  return path.substr(root.size() + 1);
}

/// Of the issuer to sign in at, as browsers write origins; empty: nobody signs in, or only by
/// pasting.
std::string issuer_origin(const config::document& d) {
  if (d.auth.mode != config::auth_mode::required) return {};
  const auto parsed = http::parse_url(ops::console_issuer(d));
  // Nothing that ends an origin, or the policy; nor IPv6 addresses, which policies cannot name.
  constexpr auto plain = "abcdefghijklmnopqrstuvwxyz0123456789.-:";
  if (!parsed || parsed->authority().find_first_not_of(plain) != std::string::npos) return {};
  return (parsed->tls ? "https://" : "http://") + parsed->authority();
}

/// Weak comparison: of a list of tags, or of any. What is between quotes is hexadecimal, so it can
/// not be a part of something else.
bool has_it(std::span<const http::header> request, std::string_view digest) {
  const auto asked = http::find(request, "if-none-match");
  return http::trim(asked) == "*" ||
         asked.find('"' + std::string(digest) + '"') != std::string_view::npos;
}

}  // namespace

const asset* find_asset(std::string_view path) {
  if (path.empty()) path = "index.html";
  const auto found = std::ranges::lower_bound(assets(), path, {}, &asset::path);
  return found != assets().end() && found->path == path ? &*found : nullptr;
}

bool is_there(std::string_view path) {
  return path == root || (path.size() > root.size() && find_asset(below(path)));
}

bool takes_gzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    auto entry = accept_encoding.substr(0, accept_encoding.find(','));
    accept_encoding.remove_prefix(std::min(entry.size() + 1, accept_encoding.size()));
    const auto coding = http::trim(entry.substr(0, entry.find(';')));
    if (!http::same_text(coding, "gzip")) continue;
    const auto quality = entry.find("q=");
    // `q=0`, `q=0.0`…: not wanted.
    return quality == std::string_view::npos ||
           http::trim(entry.substr(quality + 2)).find_first_not_of("0.") != std::string_view::npos;
  }
  return false;
}

std::string content_policy(const config::document& d) {
  const auto issuer = issuer_origin(d);
  return "default-src 'self'; connect-src 'self'" + (issuer.empty() ? issuer : " " + issuer) +
         "; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
         "require-trusted-types-for 'script'; trusted-types lit-html";
}

page answer(std::string_view path, std::span<const http::header> request,
            const config::document& d) {
  // No `..`: a reverse proxy may have put the gateway below a path of its own.
  if (path == root) return {308, {}, "Location: console/\r\n", {}};
  const auto* file = find_asset(below(path));
  page out{200, file->type, {}, file->plain};
  out.headers = "Content-Security-Policy: " + content_policy(d) +
                "\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
                "X-Content-Type-Options: nosniff\r\nCross-Origin-Opener-Policy: same-origin\r\n"
                "Cross-Origin-Resource-Policy: same-origin\r\n"
                // Whoever has it asks whether it is still the same: after an update of the gateway
                // no file may meet one of another version.
                "Cache-Control: no-cache\r\nVary: Accept-Encoding\r\nETag: W/\"";
  out.headers.append(file->digest).append("\"\r\n");
  if (has_it(request, file->digest)) return {304, {}, std::move(out.headers), {}};
  if (takes_gzip(http::find(request, "accept-encoding"))) {
    out.body = file->packed;
    out.headers += "Content-Encoding: gzip\r\n";
  }
  return out;
}

}  // namespace gate::console
