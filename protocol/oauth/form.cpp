#include "protocol/oauth/form.hpp"

#include <algorithm>

#include "protocol/base/base64.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::oauth {
namespace {

constexpr std::string_view scheme = "Basic ";

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = http::lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// Quoting replaces what is not UTF-8, so only UTF-8 comes back as it was.
bool is_utf8(std::string_view text) {
  std::string back;
  return json::unquote(json::quoted(text), back) && back == text;
}

/// One name or value; nothing if an escape is cut off or the text is not UTF-8.
std::optional<std::string> unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 1 < text.size() ? hex(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex(text[i + 2]) : -1;
    if (high < 0 || low < 0) return {};
    out += static_cast<char>(high << 4 | low);
    i += 2;
  }
  if (!is_utf8(out)) return {};
  return out;
}

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const char low = http::lower(c);
    if ((low >= 'a' && low <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
        c == '*')
      out += c;
    else if (c == ' ')
      out += '+';
    else
      (out += '%') += {digits[byte >> 4], digits[byte & 0xF]};
  }
}

}  // namespace

result<form> read_form(std::string_view body) {
  form out;
  while (!body.empty()) {
    const auto pair = body.substr(0, body.find('&'));
    body.remove_prefix(std::min(pair.size() + 1, body.size()));
    if (pair.empty()) continue;
    if (out.size() == limits::form_fields) return problem{"the form has too many fields"};
    const auto equals = std::min(pair.find('='), pair.size());
    auto name = unescape(pair.substr(0, equals));
    auto value = unescape(pair.substr(std::min(equals + 1, pair.size())));
    if (!name || !value)
      return problem{"the form has a malformed percent escape or text that is not UTF-8"};
    if (std::ranges::find(out, *name, &form::value_type::first) != out.end())
      return problem{"the form has a field twice"};
    out.emplace_back(std::move(*name), std::move(*value));
  }
  return out;
}

std::string_view field(const form& f, std::string_view name) noexcept {
  const auto found = std::ranges::find(f, name, &form::value_type::first);
  return found == f.end() ? std::string_view{} : std::string_view(found->second);
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  if (!out.empty()) out += '&';
  append_escaped(out, name);
  out += '=';
  append_escaped(out, value);
}

std::string basic_credentials(std::string_view client_id, std::string_view secret) {
  std::string pair;
  append_escaped(pair, client_id);
  pair += ':';
  append_escaped(pair, secret);
  return std::string(scheme) + base64_encode(pair);
}

result<std::string> basic_client(std::string_view authorization) {
  const auto text = http::trim(authorization);
  if (!http::same_text(text.substr(0, scheme.size()), scheme))
    return problem{"the Authorization header is not Basic"};
  const auto pair = base64_decode(http::trim(text.substr(scheme.size())));
  const auto colon = pair ? pair->find(':') : std::string::npos;
  if (colon == std::string::npos) return problem{"the Basic credentials are malformed"};
  auto id = unescape(std::string_view(*pair).substr(0, colon));
  if (!id || id->empty()) return problem{"the Basic credentials name no client"};
  return {boost::system::in_place_value, std::move(*id)};
}

}  // namespace gate::oauth
