#include "protocol/mcp/progress.hpp"

#include "protocol/http/ascii.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::mcp {
namespace {

constexpr std::string_view name = "progressToken";

/// So much in front is sooner copied than kept apart from a text of its own behind it.
constexpr std::size_t short_bytes = 512;

/// Does a decoder that ignores case take this key for ours? The Kelvin sign and the long s are
/// letters of it to those that fold by Unicode.
bool resembles(std::string_view raw_key) {
  std::string key;
  if (!json::unquote('"' + std::string(raw_key) + '"', key)) return false;
  const auto fold = [&](std::string_view sign, char letter) {
    for (auto at = key.find(sign); at != key.npos; at = key.find(sign, at))
      key.replace(at, sign.size(), 1, letter);
  };
  fold("\xE2\x84\xAA", 'k');
  fold("\xC5\xBF", 's');
  return http::same_text(key, name);
}

/// Most keys are told apart by their length. Without escapes the longest that resembles ours has
/// two long s (two bytes each) and a Kelvin sign (three).
bool may_resemble(std::string_view raw_key) {
  if (raw_key.size() < name.size()) return false;
  return raw_key.size() <= name.size() + 4 || raw_key.find('\\') != raw_key.npos;
}

}  // namespace

result<std::string_view> read_progress_token(std::string_view raw_object) {
  std::string_view found;
  bool several = false, other = false;
  json::cursor c(raw_object, {json::deepest, false});
  if (c.peek() != '{') return found;
  json::members(c, [&](std::string_view key, json::cursor& at) {
    at.peek();
    const auto value = at.value(1);
    if (!may_resemble(key)) return;
    if (json::same_key(key, name)) {
      several = several || !found.empty();
      found = value;
    } else if (resembles(key)) {
      other = true;
    }
  });
  if (several || other) return problem{"progressToken occurs twice"};
  if (found.empty() || (found.front() != '"' && found.front() != '-' &&
                        (found.front() < '0' || found.front() > '9')))
    return std::string_view{};
  if (found.size() > limits::progress_token_bytes) return problem{"progressToken is too long"};
  return found;
}

request_pieces replace_part(std::string head, std::string_view first, std::string_view second,
                            std::string_view tail, std::string_view part, std::string_view ours) {
  const auto offset_in = [&](std::string_view piece) {
    return static_cast<std::size_t>(part.data() - piece.data());
  };
  const bool in_first =
      part.data() >= first.data() && part.data() + part.size() <= first.data() + first.size();
  request_pieces out{std::move(head), {}, {}, {}};
  const auto& of = in_first ? first : second;
  const auto left = of.substr(0, offset_in(of));
  const auto right = of.substr(offset_in(of) + part.size());
  const auto before = left.size() + (in_first ? 0 : first.size());
  const auto behind = right.size() + (in_first ? second.size() : 0);
  if (before <= behind || before <= short_bytes) {
    out.before.reserve(out.before.size() + before + ours.size());
    if (!in_first) out.before += first;
    out.before.append(left).append(ours);
    out.first = right;
    out.second = in_first ? second : std::string_view{};
    out.after = tail;
    return out;
  }
  out.first = in_first ? left : first;
  out.second = in_first ? std::string_view{} : left;
  out.after.append(ours).append(right);
  if (in_first) out.after += second;
  out.after += tail;
  return out;
}

}  // namespace gate::mcp
