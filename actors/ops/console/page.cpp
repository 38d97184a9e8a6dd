#include "actors/ops/console/page.hpp"

#include "actors/ops/auth_hint.hpp"
#include "protocol/http/url.hpp"

namespace gate::ops {

std::string console_issuer_origin(const config::document& d) {
  if (d.auth.mode != config::auth_mode::required) return {};
  const auto parsed = http::parse_url(console_issuer(d));
  // Nothing that ends an origin, or the policy; nor IPv6 addresses, which policies cannot name.
  constexpr auto plain = "abcdefghijklmnopqrstuvwxyz0123456789.-:";
  if (!parsed || parsed->authority().find_first_not_of(plain) != std::string::npos) return {};
  return (parsed->tls ? "https://" : "http://") + parsed->authority();
}

bool console_is_there(std::string_view path) {
  return console::is_there(console::gateway_files(), path);
}

console::page console_page(std::string_view path, std::span<const http::header> request,
                           const config::document& d) {
  return console::answer(console::gateway_files(), path, request, console_issuer_origin(d));
}

}  // namespace gate::ops
