// What is secret by its place: headers, URLs, forms, tokens that are presented.
#include <algorithm>
#include <utility>

#include "protocol/base/base64.hpp"
#include "protocol/base/base64url.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/recording/redaction.hpp"
#include "protocol/recording/secret_names.hpp"

namespace gate::recording {
namespace {

/// Percent escapes resolved, as far as they are; `+` is a blank.
std::string decoded(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'                             ? c - '0'
           : http::lower(c) >= 'a' && http::lower(c) <= 'f' ? http::lower(c) - 'a' + 10
                                                            : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 &&
        digit(text[i + 2]) >= 0) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

/// What the header of an argument says: as the argument itself does.
std::string decoded_parameter(std::string_view value) {
  constexpr std::string_view begin = "=?base64?", end = "?=";
  if (!value.starts_with(begin) || !value.ends_with(end) ||
      value.size() < begin.size() + end.size())
    return std::string(value);
  value.remove_prefix(begin.size());
  value.remove_suffix(end.size());
  return base64_decode(value).value_or(std::string(value));
}

/// What is no part of a URL in a header that has some: `Link: <https://a/?b=1>; rel=next`.
constexpr std::string_view beside_urls = " \t<>\"(),";
/// What ends the part of a URL that names a host.
constexpr std::string_view behind_authority = "/?# \t<>\"(),;";

/// The raw value of a member whose value is a scalar; empty: none.
std::string_view scalar(std::string_view object, std::string_view name) {
  const auto raw = json::member(object, name);
  return !raw.empty() && raw.front() != '{' && raw.front() != '[' ? raw : std::string_view{};
}

bool is_stand_in(std::string_view text) {
  constexpr std::string_view begin = "secret:";
  return text.starts_with(begin) && (text.size() == 15 || text.size() == 17) &&
         text.find_first_not_of("0123456789abcdef", begin.size()) == std::string_view::npos;
}

}  // namespace

/// Basic credentials as `NAME:STAND-IN`; false: they name nobody. What has no password may be one.
bool redactor::append_client(std::string& out, std::string_view credentials) {
  const auto pair = base64_decode(credentials);
  const auto colon = pair ? pair->find(':') : std::string::npos;
  if (colon == std::string::npos || colon == 0 || colon + 1 == pair->size()) return false;
  const auto client = std::string_view(*pair).substr(0, colon);
  if (!std::ranges::all_of(client, [](char c) { return c > ' ' && c < 0x7f; })) return false;
  text(out, client);
  out += ':';
  out += stand_in(std::string_view(*pair).substr(colon + 1));
  return true;
}

void redactor::header_value(std::string& out, std::string_view name, std::string_view value,
                            bool of_form) {
  const auto low = [&](const std::string& h) { return http::same_text(h, name); };
  if (const auto argument = argument_of(name); !argument.empty() && is_named(argument)) {
    const auto said = decoded_parameter(value);
    out += stand_in(said);
    return;
  }
  if (!is_secret_header(name) && std::ranges::none_of(headers_, low) && !is_named(name))
    return value.find("://") != value.npos || value.starts_with('/') ||
                   http::same_text(name, "referer") || http::same_text(name, "location")
               ? urls(out, value)
               : text(out, value);
  if (value.empty()) return;
  // What stands before a credential says how to read it.
  constexpr std::string_view schemes[] = {"bearer ", "basic ", "dpop ", "token "};
  for (const auto scheme : schemes) {
    if (!http::same_text(value.substr(0, scheme.size()), scheme)) continue;
    out += value.substr(0, scheme.size());
    value.remove_prefix(scheme.size());
    const auto blanks = std::min(value.find_first_not_of(' '), value.size());
    out += value.substr(0, blanks);
    value.remove_prefix(blanks);
    if (of_form && scheme.starts_with("basic") && append_client(out, value)) return;
    break;
  }
  out += stand_in(value);
}

void redactor::urls(std::string& out, std::string_view in) {
  while (!in.empty()) {
    const auto one = in.substr(0, in.find_first_of(beside_urls));
    url(out, one);
    in.remove_prefix(one.size());
    if (in.empty()) break;
    out += in.front();
    in.remove_prefix(1);
  }
}

void redactor::pairs(std::string& out, std::string_view in, std::string_view apart,
                     bool (*secret)(std::string_view name)) {
  while (true) {
    const auto pair = in.substr(0, in.find_first_of(apart));
    const auto equals = pair.find('=');
    const auto name = decoded(pair.substr(0, equals));
    if (equals != std::string_view::npos && equals + 1 < pair.size() &&
        (secret(name) || is_named(name))) {
      text(out, pair.substr(0, equals + 1));
      // (One that was seen by its value has its stand-in already.)
      const auto value = pair.substr(equals + 1);
      if (is_stand_in(value))
        out += value;
      else
        out += stand_in(decoded(value));
    } else if (const auto said = decoded(pair); said != pair) {
      // Escapes may hide what would be seen without them.
      std::string kept;
      text(kept, said);
      if (kept == said)
        text(out, pair);
      else
        out += kept;
    } else {
      text(out, pair);
    }
    if (pair.size() == in.size()) break;
    out += in[pair.size()];
    in.remove_prefix(pair.size() + 1);
  }
}

void redactor::url(std::string& out, std::string_view in) {
  // First by value: one with characters that part a URL would be taken apart.
  std::string seen;
  plain(seen, in);
  in = seen;
  if (const auto scheme = in.find("://"); scheme != std::string_view::npos) {
    const auto begin = scheme + 3;
    const auto authority = in.substr(begin, in.find_first_of(behind_authority, begin) - begin);
    if (const auto user = authority.rfind('@'); user != std::string_view::npos) {
      out += in.substr(0, begin);
      out += stand_in(authority.substr(0, user));
      in.remove_prefix(begin + user);
    }
  }
  const auto query = in.find_first_of("?#");
  text(out, in.substr(0, query));
  if (query == std::string_view::npos) return;
  out += in[query];
  pairs(out, in.substr(query + 1), "&;#", is_secret_parameter);
}

void redactor::form(std::string& out, std::string_view body) {
  std::string seen;
  plain(seen, body);
  pairs(out, seen, "&", is_secret_field);
}

void redactor::token_answer(std::string& out, std::string_view body, bool fetched) {
  anything(out, body, fetched ? lore::fetched_answer : lore::answer, 0);
}

void redactor::document(std::string& out, std::string_view in) {
  walk(out, in, lore::document, 0);
}

std::string redactor::token(std::string_view presented) {
  std::string out = R"({"secret":)";
  json::append_quoted(out, stand_in(presented));
  const auto dot = presented.find('.');
  const auto second = dot == std::string_view::npos ? dot : presented.find('.', dot + 1);
  if (second != std::string_view::npos) {
    const auto header = base64url_decode(presented.substr(0, dot));
    const auto claims = base64url_decode(presented.substr(dot + 1, second - dot - 1));
    const auto object = [](const auto& text) {
      return text && json::cursor(*text, {}).peek() == '{' &&
             json::validate(*text) == json::fault::none;
    };
    if (object(header) && object(claims)) {
      for (const auto name : {"alg", "kid", "typ"})
        if (const auto raw = scalar(*header, name); !raw.empty()) {
          out.append(",\"").append(name).append("\":");
          text(out, raw);
        }
      out += R"(,"claims":)";
      text(out, *claims);
    }
  }
  out += '}';
  return out;
}

std::string redactor::token_of_form(std::string_view body) {
  while (!body.empty()) {
    const auto pair = body.substr(0, body.find('&'));
    const auto equals = pair.find('=');
    if (equals != std::string_view::npos && decoded(pair.substr(0, equals)) == "assertion")
      return token(decoded(pair.substr(equals + 1)));
    body.remove_prefix(std::min(pair.size() + 1, body.size()));
  }
  return {};
}

}  // namespace gate::recording
