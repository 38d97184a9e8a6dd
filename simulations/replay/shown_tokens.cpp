#include "simulations/replay/shown_tokens.hpp"

#include <algorithm>
#include <array>

#include "protocol/base/base64.hpp"
#include "protocol/http/request_gate.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/oauth/token.hpp"

namespace gate::replay {

std::string shown_tokens::body(const visit& v) const {
  std::string text = names_.body(tape_.body_of(v));
  const auto& with = v.body == nothing ? tape_.request_of(v) : tape_.events[v.body];
  std::string secret;
  const auto raw = json::member(with.token, "secret");
  if (raw.empty() || !json::unquote(raw, secret) || secret.empty() ||
      text.find(secret) == text.npos)
    return text;
  const auto token = token_for(v, with.token, secret);
  for (auto at = text.find(secret); at != text.npos; at = text.find(secret, at + token.size()))
    text.replace(at, secret.size(), token);
  return text;
}

std::string shown_tokens::authorization(const visit& v, const std::string& recorded,
                                        std::string_view token) const {
  const auto blank = recorded.find(' ');
  if (blank == recorded.npos) return recorded;
  const auto scheme = recorded.substr(0, blank + 1), shown = recorded.substr(blank + 1);
  // What belongs to the name that stands there, nobody asks.
  if (const auto name = shown.find(":secret:");
      name != shown.npos && http::same_name(scheme, "Basic "))
    return scheme + base64_encode(shown.substr(0, name) + ":a stand-in");
  return scheme + token_for(v, token, shown);
}

namespace {

/// Was it refused for what it says? Then it is again, whoever signed it.
bool is_refused_for_its_claims(std::string_view why) {
  using oauth::token_fault;
  constexpr std::array all{token_fault::type,    token_fault::audience, token_fault::subject,
                           token_fault::expired, token_fault::not_yet,  token_fault::no_expiry};
  return std::ranges::any_of(
      all, [&](token_fault f) { return why.find(oauth::describe(f)) != why.npos; });
}

}  // namespace

/// One that this gateway has minted, or what a stand-in issuer signs. One that was refused although
/// it says nothing wrong was signed by somebody else.
std::string shown_tokens::token_for(const visit& v, std::string_view token,
                                    const std::string& shown) const {
  if (const auto ours = names_.of(shown); ours != shown) return std::string(ours);
  const bool good = v.was.status == 401
                        ? is_refused_for_its_claims(v.was.body)
                        : v.was.body.find("signature is not valid") == std::string::npos;
  return issuer_.token(token, good).value_or(shown);
}

}  // namespace gate::replay
