#include "protocol/recording/redaction.hpp"

#include <algorithm>
#include <utility>

#include "protocol/base/hmac.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/mcp/session_id.hpp"
#include "protocol/recording/looks.hpp"
#include "protocol/recording/secret_names.hpp"

namespace gate::recording {
namespace {

/// As this gateway writes it.
constexpr std::string_view data_field = "data: ";

/// Behind the closing quote of the string that begins at `text[at]`; npos: it does not end in its
/// line, which no string of JSON can.
std::size_t string_end(std::string_view text, std::size_t at) noexcept {
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      return at + 1;
  }
  return std::string_view::npos;
}

/// How long the value at the beginning of `text` is that is no JSON, or cut off: what has a bracket
/// or a quote that closes it ends there, or else is all of it; anything else is its line.
std::size_t extent_of(std::string_view text) noexcept {
  const auto closing_quote = [text](std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at)
      if (text[at] == '\\') ++at;
    return std::min(at, text.size());
  };
  if (text.empty() || (text[0] != '"' && text[0] != '{' && text[0] != '['))
    return std::min(text.find('\n'), text.size());
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') at = closing_quote(at);
    if (at >= text.size()) break;
    if (text[at] == '{' || text[at] == '[') ++depth;
    if ((text[at] == '}' || text[at] == ']') && depth > 0) --depth;
    if (depth == 0) return at + 1;
  }
  return text.size();
}

std::size_t skip_blanks(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() &&
         (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n'))
    ++at;
  return at;
}

}  // namespace

redactor::redactor(std::string key, std::vector<std::string> names) : key_(std::move(key)) {
  for (auto& n : names) names_.push_back(http::lower(n));
}

void redactor::know_header(std::string_view name) {
  if (auto low = http::lower(name); std::ranges::find(headers_, low) == headers_.end())
    headers_.push_back(std::move(low));
}

std::string redactor::stand_in(std::string_view secret) {
  std::string kept(secret);
  if (const auto at = made_.find(kept); at != made_.end()) return at->second;
  const auto digest = hmac_sha256(key_, secret);
  std::string out = "secret:";
  for (std::size_t i = 0; i < 4; ++i) {
    const auto byte = static_cast<unsigned char>(digest[i]);
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  // In the configuration of a replay its unit is found by what the gateway finds it by.
  if (mcp::unit_of(secret)) out += secret.substr(secret.size() - 2);
  if (made_.size() >= limits::recording_memo) made_.clear();
  made_.emplace(std::move(kept), out);
  return out;
}

std::string redactor::session(std::string_view id) {
  return id.empty() ? std::string{} : stand_in(id);
}

bool redactor::is_named(std::string_view name) const {
  return std::ranges::any_of(names_, [name](const auto& n) { return http::same_text(n, name); });
}

bool redactor::is_secret_member(std::string_view name, lore what) const {
  if (is_named(name)) return true;
  if (what == lore::document && among(secret_headers, name)) return true;
  return what != lore::any && is_secret_field(name);
}

void redactor::text(std::string& out, std::string_view in) {
  anything(out, in, lore::any, 0);
}

std::string_view redactor::text_in(std::string& room, std::string_view in) {
  constexpr auto none = std::string_view::npos;
  if (names_.empty() && looks_harmless(in) && needles_.find(in, 0).at == none) return in;
  if (!is_walked(in, lore::any) && needles_.find(in, 0).at == none &&
      find_token(in, 0).at == none && find_session(in, 0).at == none)
    return in;
  room.clear();
  text(room, in);
  return room;
}

std::string_view redactor::stream_in(std::string& room, std::string_view in) {
  // Names are what may stand in another line than their values.
  if (names_.empty()) return text_in(room, in);
  room.clear();
  std::string data, kept;
  const auto say = [&] {
    kept.clear();
    text(kept, data);
    for (std::string_view rest = kept;;) {
      const auto line = rest.substr(0, rest.find('\n'));
      room.append("data: ").append(line).append("\n");
      if (line.size() == rest.size()) break;
      rest.remove_prefix(line.size() + 1);
    }
  };
  bool open = false;
  while (!in.empty()) {
    const auto line = in.substr(0, in.find('\n'));
    const bool ended = line.size() < in.size();
    in.remove_prefix(line.size() + (ended ? 1 : 0));
    if (ended && line.starts_with(data_field)) {
      if (std::exchange(open, true)) data += '\n';
      data += line.substr(data_field.size());
      continue;
    }
    if (std::exchange(open, false)) say();
    data.clear();
    text(room, line);
    if (ended) room += '\n';
  }
  if (open) say();
  return room;
}

bool redactor::is_walked(std::string_view in, lore what) const {
  constexpr auto none = std::string_view::npos;
  if (!names_.empty() || what != lore::any) return in.find('"') != none;
  // Escapes may hide what would be seen without them.
  return in.find('\\') != none && in.find('"') != none &&
         (needles_.escaped() || in.find("\\u") != none);
}

void redactor::anything(std::string& out, std::string_view in, lore what, std::size_t depth) {
  if (is_walked(in, what) && depth < limits::redaction_depth)
    walk(out, in, what, depth);
  else
    plain(out, in);
}

void redactor::plain(std::string& out, std::string_view in) {
  struct hit {
    std::size_t at = 0, size = 0;
    std::string_view what;
    /// The sooner one, of two at one place the longer.
    bool before(const hit& other) const {
      return at < other.at || (at == other.at && size > other.size);
    }
  };
  const auto by_value = [&](std::size_t from) {
    const auto n = needles_.find(in, from);
    return n.at == std::string_view::npos
               ? hit{n.at, 0, {}}
               : hit{n.at, n.size, n.secret.empty() ? in.substr(n.at, n.size) : n.secret};
  };
  const auto by_looks = [&](auto find, std::size_t from) {
    const look_found l = find(in, from);
    return l.at == std::string_view::npos ? hit{l.at, 0, {}}
                                          : hit{l.at, l.size, in.substr(l.at, l.size)};
  };
  std::size_t done = 0;
  hit value = by_value(0), token = by_looks(find_token, 0), session = by_looks(find_session, 0);
  for (;;) {
    const auto& look = session.before(token) ? session : token;
    const auto found = look.before(value) ? look : value;
    if (found.at == std::string_view::npos) break;
    out += in.substr(done, found.at - done);
    out += stand_in(found.what);
    done = found.at + found.size;
    // Each is looked for again only when it has been passed: all of it stays one pass.
    if (value.at < done) value = by_value(done);
    if (token.at < done) token = by_looks(find_token, done);
    if (session.at < done) session = by_looks(find_session, done);
  }
  out += in.substr(done);
}

void redactor::walk(std::string& out, std::string_view in, lore what, std::size_t depth) {
  std::size_t copied = 0;  // what stands before is done
  std::size_t at = 0;
  const auto copy_until = [&](std::size_t end) {
    if (end > copied) plain(out, in.substr(copied, end - copied));
    copied = end;
  };
  // Headers that are sent somewhere are members of one object of a document.
  std::size_t headers_end = 0;
  std::string name;
  while ((at = in.find('"', at)) != std::string_view::npos) {
    const auto end = string_end(in, at);
    if (end == std::string_view::npos) {  // of no string
      at = in.find('\n', at);
      if (at == std::string_view::npos) break;
      continue;
    }
    const auto quoted = in.substr(at, end - at);
    const auto colon = skip_blanks(in, end);
    if (colon < in.size() && in[colon] == ':') {
      if (!json::unquote(quoted, name)) name = quoted.substr(1, quoted.size() - 2);
      const auto value = skip_blanks(in, colon + 1);
      if (what == lore::document && name == "headers" && in.substr(value).starts_with('{'))
        headers_end = value + extent_of(in.substr(value));
      const bool header =
          at < headers_end && in.substr(value).starts_with('"') && is_secret_header(name);
      if (header || is_secret_member(name, what)) {
        copy_until(value);
        copied = at = value + replace_value(out, in.substr(value), what);
        continue;
      }
    }
    if (quoted.find('\\') != std::string_view::npos || what == lore::document) {
      copy_until(at);
      string(out, quoted, what, depth);
      copied = end;
    }
    // Where a quote too many stands before, what ends a string begins one.
    const auto again = string_end(in, end - 1);
    const auto then = again == std::string_view::npos ? again : skip_blanks(in, again);
    const bool key_behind = then < in.size() && in[then] == ':' &&
                            is_secret_member(in.substr(end, again - 1 - end), what);
    at = key_behind ? end - 1 : end;
  }
  copy_until(in.size());
}

void redactor::string(std::string& out, std::string_view quoted, lore what, std::size_t depth) {
  std::string said, kept;
  if (!json::unquote(quoted, said)) return plain(out, quoted);
  if (what == lore::document && said.find("://") != std::string::npos)
    url(kept, said);
  else
    anything(kept, said, what == lore::document ? lore::any : what, depth + 1);
  // Also as it is spelled: what an escape hides from whoever reads it is still there to be read.
  plain(out, kept == said ? quoted : json::quoted(kept));
}

std::size_t redactor::replace_value(std::string& out, std::string_view rest, lore what) {
  if (rest.starts_with("null")) return 0;
  json::cursor c(rest, {json::deepest, false});
  auto value = c.value();
  // What is cut off, or no JSON, is secret to its end.
  if (!c.ok()) value = rest.substr(0, extent_of(rest));
  std::string said;
  if (!c.ok() || !json::unquote(value, said)) said = value;
  if (what == lore::fetched_answer) learn(said);
  json::append_quoted(out, stand_in(said));
  return c.ok() ? static_cast<std::size_t>(value.data() - rest.data()) + value.size()
                : value.size();
}

}  // namespace gate::recording
