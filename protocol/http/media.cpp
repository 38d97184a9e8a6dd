#include "protocol/http/media.hpp"

#include "protocol/http/ascii.hpp"

namespace gate::http {

namespace {

/// Cuts `text` at the first `separator` outside of quoted strings; returns what stood before it.
std::string_view cut(std::string_view& text, char separator) noexcept {
  bool quoted = false;
  // Hardly anybody quotes anything here.
  auto i = text.find('"') == text.npos ? std::min(text.find(separator), text.size()) : 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted && text[i] == '\\')
      ++i;
    else if (!quoted && text[i] == separator)
      break;
  }
  auto before = text.substr(0, i);
  text.remove_prefix(std::min(i + 1, text.size()));
  return trim(before);
}

/// `q=0`, `q=0.`, `q=0.0` … `q=0.000` (RFC 9110 §12.4.2).
bool is_zero_weight(std::string_view parameter) noexcept {
  auto name = cut(parameter, '=');
  parameter = trim(parameter);
  if (!same_text(name, "q") || !parameter.starts_with('0')) return false;
  parameter.remove_prefix(1);
  return parameter.empty() ||
         (parameter.front() == '.' && parameter.find_first_not_of('0', 1) == parameter.npos);
}

/// How closely `range` names `type`: 3 exactly, 2 `major/*`, 1 `*/*`, 0 not at all.
int closeness(std::string_view range, std::string_view type) noexcept {
  if (same_text(range, type)) return 3;
  if (range == "*/*") return 1;
  auto slash = type.find('/');
  bool whole_major = range.ends_with("/*") && slash != type.npos &&
                     same_text(range.substr(0, range.size() - 1), type.substr(0, slash + 1));
  return whole_major ? 2 : 0;
}

/// What the entries of a list say about a type.
struct verdict {
  int best = 0;
  bool admitted = false;

  void take(std::string_view accept, std::string_view type) noexcept {
    while (!accept.empty()) {
      auto entry = cut(accept, ',');
      const int close = closeness(cut(entry, ';'), type);
      bool refused = false;
      while (!entry.empty()) refused = is_zero_weight(cut(entry, ';')) || refused;
      if (close == 0 || close < best) continue;
      // Of several entries the closest decides; among equals, one that admits.
      admitted = close > best ? !refused : admitted || !refused;
      best = close;
    }
  }
};

}  // namespace

bool is_media_type(std::string_view content_type, std::string_view type) noexcept {
  return same_text(trim(content_type.substr(0, content_type.find(';'))), type);
}

bool accepts(std::string_view accept, std::string_view type) noexcept {
  if (trim(accept).empty()) return true;
  verdict so_far;
  so_far.take(accept, type);
  return so_far.admitted;
}

bool accepts(std::span<const header> headers, std::string_view type) noexcept {
  verdict so_far;
  bool said = false;
  for (const auto& h : headers) {
    if (!same_name(h.name, "accept")) continue;
    said = said || !trim(h.value).empty();
    so_far.take(h.value, type);
  }
  return !said || so_far.admitted;
}

}  // namespace gate::http
