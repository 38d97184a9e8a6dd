#include "protocol/recording/parse.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <optional>
#include <utility>

#include "protocol/base/base64.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits/playback.hpp"
#include "protocol/recording/parse_words.hpp"
#include "protocol/recording/shapes.hpp"

namespace gate::recording {
namespace {

using namespace std::chrono_literals;

/// What a line has that every event has; and its other members, raw.
struct raw_line {
  std::string_view t, u, e, n;
  /// Bits of the fields that are there; of the others nothing is said.
  std::uint64_t has_plain = 0, has_base64 = 0;
  std::array<std::string_view, fields> plain, base64;  // written before they are read
};
static_assert(fields <= 64);

constexpr std::uint64_t bit(field f) {
  return std::uint64_t{1} << static_cast<std::size_t>(f);
}

// Where the members of an event are kept, by what they may say.
constexpr std::array texts{
    std::pair{field::peer, &event::peer},       std::pair{field::method, &event::method},
    std::pair{field::target, &event::target},   std::pair{field::url, &event::url},
    std::pair{field::flaw, &event::flaw},       std::pair{field::type, &event::type},
    std::pair{field::session, &event::session}, std::pair{field::media, &event::media},
    std::pair{field::end, &event::end},         std::pair{field::obstacle, &event::obstacle},
    std::pair{field::why, &event::why},         std::pair{field::data, &event::data},
    std::pair{field::token, &event::token},     std::pair{field::document, &event::document},
    std::pair{field::line, &event::line},       std::pair{field::op, &event::op},
    std::pair{field::words, &event::words},     std::pair{field::outcome, &event::outcome},
    std::pair{field::reply, &event::reply},     std::pair{field::channel, &event::channel},
    std::pair{field::text, &event::text}};
constexpr std::array optional_texts{std::pair{field::body, &event::body},
                                    std::pair{field::retry_after, &event::retry_after}};
constexpr std::array numbers{std::pair{field::status, &event::status},
                             std::pair{field::to, &event::to},
                             std::pair{field::request, &event::request}};
constexpr std::array optional_numbers{std::pair{field::retry, &event::retry}};
constexpr std::array flags{
    std::pair{field::follows, &event::follows}, std::pair{field::arrives, &event::arrives},
    std::pair{field::close, &event::close},     std::pair{field::untouched, &event::untouched},
    std::pair{field::here, &event::here},       std::pair{field::anew, &event::anew}};

template <class Places>
constexpr std::size_t times(const Places& places, field f) {
  return static_cast<std::size_t>(
      std::ranges::count_if(places, [f](const auto& p) { return p.first == f; }));
}
/// Has each member one place, and one that its shape fits into?
consteval bool places_fit() {
  for (const auto& r : field_table) {
    std::size_t found = 0;
    switch (r.of) {
      case shape::text:
      case shape::bytes:
      case shape::json:
        found = times(texts, r.what) + times(optional_texts, r.what);
        break;
      case shape::number:
        found = times(numbers, r.what) + times(optional_numbers, r.what);
        break;
      case shape::flag:
        found = times(flags, r.what);
        break;
      case shape::headers:
      case shape::events:
        found = 1;  // there is one of each
        break;
    }
    if (found != 1) return false;
  }
  return true;
}
static_assert(places_fit());

/// By field; null: it is kept elsewhere.
template <class Member, class Places>
consteval auto by_field(const Places& places) {
  std::array<Member, fields> out{};
  for (const auto& [which, place] : places) out[static_cast<std::size_t>(which)] = place;
  return out;
}
constexpr auto text_at = by_field<std::string event::*>(texts);
constexpr auto optional_text_at = by_field<std::optional<std::string> event::*>(optional_texts);
constexpr auto number_at = by_field<std::uint64_t event::*>(numbers);
constexpr auto optional_number_at =
    by_field<std::optional<std::uint64_t> event::*>(optional_numbers);
constexpr auto flag_at = by_field<bool event::*>(flags);

std::string& text_of(event& e, field f) {
  const auto i = static_cast<std::size_t>(f);
  if (const auto place = text_at[i]) return e.*place;
  return (e.*optional_text_at[i]).emplace();
}

// --- headers and events --------------------------------------------------------------------------

result<header_list> headers_of(std::string_view raw) {
  std::vector<header> out;
  bool shaped = true;
  json::cursor c(raw, {json::deepest, true});
  json::elements(c, [&](json::cursor& pair) {
    if (out.size() == limits::playback_header_lines) return pair.fail(json::fault::stopped);
    auto& h = out.emplace_back();
    std::size_t count = 0;
    json::elements(pair, [&](json::cursor& at) {
      const auto value = at.value(3);
      shaped = shaped && count < 2 && value.starts_with('"');
      if (shaped) json::unquote_valid(value, count == 0 ? h.name : h.value);
      ++count;
    });
    shaped = shaped && count == 2;
  });
  if (c.error() == json::fault::stopped)
    return wrong_member(
        "headers", "has more than " + std::to_string(limits::playback_header_lines) + " lines");
  if (!c.ok() || !shaped)
    return wrong_member("headers", R"(is not [["name","value"],…] with strings in UTF-8)");
  return header_list(std::move(out));
}

bool read_event(json::cursor& c, sse::event& out) {
  bool shaped = true, type = false, data = false;
  json::members(c, [&](std::string_view key, json::cursor& at) {
    const auto raw = at.value(3);
    const auto take = [&](std::string& to, bool& before) {
      shaped = shaped && !std::exchange(before, true) && raw.starts_with('"');
      if (shaped) json::unquote_valid(raw, to);
    };
    if (json::same_key(key, "data")) return take(out.data, data);
    if (json::same_key(key, "id")) return take(out.id, out.has_id);
    if (json::same_key(key, "event")) return take(out.type, type);
    shaped = false;
  });
  return shaped;
}

result<std::vector<sse::event>> events_of(std::string_view raw) {
  std::vector<sse::event> out;
  bool shaped = true;
  json::cursor c(raw, {json::deepest, true});
  json::elements(c, [&](json::cursor& at) {
    if (out.size() == limits::playback_events) return at.fail(json::fault::stopped);
    sse::event e;
    shaped = read_event(at, e) && shaped;
    out.push_back(std::move(e));
  });
  if (c.error() == json::fault::stopped)
    return wrong_member("events",
                        "has more than " + std::to_string(limits::playback_events) + " events");
  if (!c.ok() || !shaped)
    return wrong_member("events",
                        R"(is not [{"data":"…","id":"…","event":"…"},…] with strings in UTF-8)");
  return out;
}

// --- members -------------------------------------------------------------------------------------

/// Puts one member where it belongs. `raw`: a value that was read.
std::optional<problem> put(event& e, const field_row& r, std::string_view raw, header_memo& memo) {
  const auto i = static_cast<std::size_t>(r.what);
  switch (r.of) {
    case shape::text:
    case shape::bytes:
      if (!raw.starts_with('"')) return wrong_member(r.name, no_text);
      json::unquote_valid(raw, text_of(e, r.what));
      return {};
    case shape::json:
      text_of(e, r.what) = raw;
      return {};
    case shape::number: {
      const auto n = number_of(raw);
      if (!n) return wrong_member(r.name, no_number);
      if (const auto place = number_at[i])
        e.*place = *n;
      else
        e.*optional_number_at[i] = *n;
      return {};
    }
    case shape::flag:
      if (raw != "true") return wrong_member(r.name, "is not `true`; leave it out instead");
      e.*flag_at[i] = true;
      return {};
    case shape::headers: {
      if (const auto* known = memo.find(raw)) {
        e.headers = *known;
        return {};
      }
      auto lines = headers_of(raw);
      if (!lines) return lines.error();
      memo.keep(raw, *lines);
      e.headers = std::move(*lines);
      return {};
    }
    case shape::events: {
      auto events = events_of(raw);
      if (!events) return events.error();
      e.events = std::move(*events);
      return {};
    }
  }
  return {};
}

/// The same of a member with `64` behind its name.
std::optional<problem> put_base64(event& e, const field_row& r, std::string_view raw) {
  const auto name = std::string(r.name) + "64";
  if (!raw.starts_with('"')) return wrong_member(name, no_text);
  std::string text;
  json::unquote_valid(raw, text);
  auto bytes = base64_decode(text);
  if (!bytes) return wrong_member(name, "is not base64 with padding");
  text_of(e, r.what) = std::move(*bytes);
  return {};
}

/// Fields by the first letters of their names: most keys are looked for in one or two rows.
struct fields_of_letter {
  std::array<field, fields> all{};
  std::array<std::uint8_t, 27> begin{};
};
consteval fields_of_letter by_letter() {
  fields_of_letter out;
  std::uint8_t n = 0;
  for (std::size_t letter = 0; letter < 26; ++letter) {
    out.begin[letter] = n;
    for (const auto& r : field_table)
      if (static_cast<std::size_t>(r.name[0] - 'a') == letter) out.all[n++] = r.what;
  }
  out.begin[26] = n;
  return out;
}
constexpr auto letters = by_letter();
static_assert(letters.begin[26] == fields, "a name begins with no small letter");

/// Where a member's raw value is kept, and what says that it is there.
struct slot {
  std::string_view* value = nullptr;  ///< null: there is no such member
  std::uint64_t* has = nullptr;       ///< null: one that every event has
  std::uint64_t mark = 0;

  bool taken() const { return has ? (*has & mark) != 0 : !value->empty(); }
  void take(std::string_view raw) const {
    *value = raw;
    if (has) *has |= mark;
  }
};

slot plain_slot(raw_line& l, field f) {
  return {&l.plain[static_cast<std::size_t>(f)], &l.has_plain, bit(f)};
}
slot base64_slot(raw_line& l, field f) {
  return {&l.base64[static_cast<std::size_t>(f)], &l.has_base64, bit(f)};
}

/// Of a key that is spelled without escapes.
slot slot_of_plain(raw_line& l, std::string_view key) {
  if (key.size() == 1) switch (key[0]) {
      case 't':
        return {&l.t};
      case 'u':
        return {&l.u};
      case 'e':
        return {&l.e};
      case 'n':
        return {&l.n};
      default:
        return {};
    }
  const auto letter = key.empty() ? 26U : static_cast<unsigned char>(key[0]) - unsigned{'a'};
  if (letter >= 26) return {};
  for (auto i = letters.begin[letter]; i < letters.begin[letter + 1]; ++i) {
    const auto& r = row(letters.all[i]);
    if (key == r.name) return plain_slot(l, r.what);
    if (r.of == shape::bytes && key.size() == r.name.size() + 2 && key.ends_with("64") &&
        key.starts_with(r.name))
      return base64_slot(l, r.what);
  }
  return {};
}

slot slot_of(raw_line& l, std::string_view key) {
  if (key.find('\\') == key.npos) return slot_of_plain(l, key);
  if (json::same_key(key, "t")) return {&l.t};
  if (json::same_key(key, "u")) return {&l.u};
  if (json::same_key(key, "e")) return {&l.e};
  if (json::same_key(key, "n")) return {&l.n};
  const bool encoded = key.ends_with("64");
  for (const auto& r : field_table) {
    if (json::same_key(key, r.name)) return plain_slot(l, r.what);
    if (encoded && r.of == shape::bytes && key.substr(0, key.size() - 2) == r.name)
      return base64_slot(l, r.what);
  }
  return {};
}

std::optional<problem> scan_line(std::string_view line, raw_line& l) {
  std::optional<problem> trouble;
  json::cursor c(line, {json::deepest, true});
  if (c.peek() != '{') return wrong("is not a JSON object: " + quote_of(line));
  json::members(c, [&](std::string_view key, json::cursor& at) {
    const auto place = slot_of(l, key);
    const auto value = at.value(1);
    if (!at.ok()) return;
    if (!place.value)
      trouble = wrong("has a member `" + quote_of(key) + "`, which format " +
                      std::to_string(format) + " does not know");
    else if (place.taken())
      trouble = wrong("has `" + quote_of(key) + "` twice");
    else
      place.take(value);
    if (trouble) at.fail(json::fault::stopped);
  });
  c.finish();
  if (!trouble && !c.ok()) trouble = wrong(sentence_of(c));
  return trouble;
}

std::optional<kind> kind_of(std::string_view raw) {
  const bool plain = raw.size() > 2 && raw.front() == '"' && raw.find('\\') == raw.npos;
  const auto text = plain ? raw.substr(1, raw.size() - 2) : std::string_view{};
  for (const auto& r : kind_table)
    if (plain ? text == r.name : json::says(raw, r.name)) return r.what;
  return {};
}

/// For each kind, a bit for each field that it may have; and for each that it must have.
struct rights {
  std::array<std::uint64_t, kinds> may{}, must{};
};
consteval rights make_rights() {
  rights out;
  for (const auto& k : kind_table)
    for (const auto& f : field_table)
      if (has(k.what, f.what)) out.may[static_cast<std::size_t>(k.what)] |= bit(f.what);
  for (const auto& d : duties) out.must[static_cast<std::size_t>(d.of)] |= bit(d.what);
  return out;
}
constexpr auto rights_of = make_rights();

std::optional<problem> put_all(event& e, const raw_line& l, header_memo& memo) {
  const auto what = static_cast<std::size_t>(e.what);
  for (auto left = l.has_plain | l.has_base64; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    const auto& r = field_table[i];
    const bool plain = l.has_plain & bit(r.what), base64 = l.has_base64 & bit(r.what);
    if (!(rights_of.may[what] & bit(r.what)))
      return wrong("has a `" + std::string(r.name) + "`, which events of the kind `" +
                   std::string(row(e.what).name) + "` do not have");
    if (plain && base64)
      return wrong("has both `" + std::string(r.name) + "` and `" + std::string(r.name) + "64`");
    if (auto bad = plain ? put(e, r, l.plain[i], memo) : put_base64(e, r, l.base64[i])) return bad;
  }
  if ((rights_of.must[what] & ~l.has_plain) == 0) return {};
  for (const auto& d : duties)
    if (d.of == e.what && !(l.has_plain & bit(d.what)))
      return wrong("has no `" + std::string(row(d.what).name) + "`, which events of the kind `" +
                   std::string(row(e.what).name) + "` have");
  return {};
}

/// t, u, e, n.
std::optional<problem> put_common(event& e, const raw_line& l) {
  const auto what = kind_of(l.e);
  if (!what) return wrong("is of a kind that this format does not have: `e` is " + quote_of(l.e));
  e.what = *what;
  const auto take = [](std::string_view name, std::string_view raw, bool needed,
                       std::uint64_t& to) -> std::optional<problem> {
    if (raw.empty() && needed) return wrong("has no `" + std::string(name) + "`");
    const auto n = raw.empty() ? 0 : number_of(raw);
    if (!n) return wrong_member(name, no_number);
    to = *n;
    return {};
  };
  if (auto bad = take("t", l.t, true, e.at)) return bad;
  constexpr std::chrono::microseconds longest = limits::playback_time;
  if (e.at > static_cast<std::uint64_t>(longest.count()))
    return wrong_member("t",
                        "is longer than " + std::to_string(limits::playback_time / 24h) + " days");
  if (auto bad = take("u", l.u, true, e.unit)) return bad;
  return take("n", l.n, series_of(e.what) != series::none, e.number);
}

result<ending> parse_ending(const raw_line& l) {
  if (l.has_plain != bit(field::end) || l.has_base64 != 0 || !l.t.empty() || !l.u.empty() ||
      !l.n.empty())
    return wrong("has no `e`, which says what kind of event it is");
  const auto end = l.plain[static_cast<std::size_t>(field::end)];
  for (const auto& [word, why] : endings)
    if (json::says(end, word)) return why;
  return wrong("ends the recording for a reason that this format does not have: " + quote_of(end));
}

}  // namespace

result<ending> parse_line(std::string_view line, event& to, header_memo& memo) {
  raw_line l;
  if (auto bad = scan_line(line, l)) return *bad;
  if (l.e.empty()) return parse_ending(l);
  if (auto bad = put_common(to, l)) return *bad;
  if (auto bad = put_all(to, l, memo)) return *bad;
  return ending::none;
}

}  // namespace gate::recording
