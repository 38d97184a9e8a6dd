#include "protocol/recording/parse.hpp"

#include <algorithm>
#include <array>
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
  std::array<std::string_view, fields> plain{}, base64{};
};

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

template <class Places, class Value>
void keep(event& e, const Places& places, field f, Value& value) {
  for (const auto& [which, place] : places)
    if (which == f) {
      e.*place = std::move(value);
      return;
    }
}

// --- headers and events --------------------------------------------------------------------------

result<std::vector<header>> headers_of(std::string_view raw) {
  std::vector<header> out;
  bool shaped = true;
  json::cursor c(raw, {json::deepest, true});
  json::elements(c, [&](json::cursor& pair) {
    if (out.size() == limits::playback_header_lines) return pair.fail(json::fault::stopped);
    std::array<std::string, 2> both;
    std::size_t count = 0;
    json::elements(pair, [&](json::cursor& at) {
      const auto value = at.value(3);
      shaped = shaped && count < 2 && json::unquote(value, both[std::min<std::size_t>(count, 1)]);
      ++count;
    });
    shaped = shaped && count == 2;
    out.push_back({std::move(both[0]), std::move(both[1])});
  });
  if (c.error() == json::fault::stopped)
    return wrong_member(
        "headers", "has more than " + std::to_string(limits::playback_header_lines) + " lines");
  if (!c.ok() || !shaped)
    return wrong_member("headers", R"(is not [["name","value"],…] with strings in UTF-8)");
  return out;
}

bool read_event(json::cursor& c, sse::event& out) {
  bool shaped = true, type = false, data = false;
  json::members(c, [&](std::string_view key, json::cursor& at) {
    const auto raw = at.value(3);
    const auto take = [&](std::string& to, bool& before) {
      shaped = shaped && !std::exchange(before, true) && json::unquote(raw, to);
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

/// Puts one member where it belongs.
std::optional<problem> put(event& e, const field_row& r, std::string_view raw) {
  switch (r.of) {
    case shape::text:
    case shape::bytes: {
      std::string text;
      if (!json::unquote(raw, text)) return wrong_member(r.name, no_text);
      if (times(texts, r.what))
        keep(e, texts, r.what, text);
      else
        keep(e, optional_texts, r.what, text);
      return {};
    }
    case shape::json: {
      std::string text(raw);
      keep(e, texts, r.what, text);
      return {};
    }
    case shape::number: {
      auto n = number_of(raw);
      if (!n) return wrong_member(r.name, no_number);
      if (times(numbers, r.what))
        keep(e, numbers, r.what, *n);
      else
        keep(e, optional_numbers, r.what, *n);
      return {};
    }
    case shape::flag: {
      bool set = true;
      if (raw != "true") return wrong_member(r.name, "is not `true`; leave it out instead");
      keep(e, flags, r.what, set);
      return {};
    }
    case shape::headers: {
      auto lines = headers_of(raw);
      if (!lines) return lines.error();
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
  std::string text;
  if (!json::unquote(raw, text)) return wrong_member(name, no_text);
  auto bytes = base64_decode(text);
  if (!bytes) return wrong_member(name, "is not base64 with padding");
  if (times(texts, r.what))
    keep(e, texts, r.what, *bytes);
  else
    keep(e, optional_texts, r.what, *bytes);
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

/// The same for a key that is spelled without escapes.
std::string_view* place_of_plain(raw_line& l, std::string_view key) {
  if (key.size() == 1) switch (key[0]) {
      case 't':
        return &l.t;
      case 'u':
        return &l.u;
      case 'e':
        return &l.e;
      case 'n':
        return &l.n;
      default:
        return nullptr;
    }
  const auto letter = key.empty() ? 26U : static_cast<unsigned char>(key[0]) - unsigned{'a'};
  if (letter >= 26) return nullptr;
  for (auto i = letters.begin[letter]; i < letters.begin[letter + 1]; ++i) {
    const auto& r = row(letters.all[i]);
    if (key == r.name) return &l.plain[static_cast<std::size_t>(r.what)];
    if (r.of == shape::bytes && key.size() == r.name.size() + 2 && key.ends_with("64") &&
        key.starts_with(r.name))
      return &l.base64[static_cast<std::size_t>(r.what)];
  }
  return nullptr;
}

/// Where a member's raw value is kept; null if there is no such member.
std::string_view* place_of(raw_line& l, std::string_view key) {
  if (key.find('\\') == key.npos) return place_of_plain(l, key);
  if (json::same_key(key, "t")) return &l.t;
  if (json::same_key(key, "u")) return &l.u;
  if (json::same_key(key, "e")) return &l.e;
  if (json::same_key(key, "n")) return &l.n;
  const bool encoded = key.ends_with("64");
  for (const auto& r : field_table) {
    const auto i = static_cast<std::size_t>(r.what);
    if (json::same_key(key, r.name)) return &l.plain[i];
    if (encoded && r.of == shape::bytes && key.substr(0, key.size() - 2) == r.name)
      return &l.base64[i];
  }
  return nullptr;
}

std::optional<problem> scan_line(std::string_view line, raw_line& l) {
  std::optional<problem> trouble;
  json::cursor c(line, {json::deepest, true});
  if (c.peek() != '{') return wrong("is not a JSON object: " + quote_of(line));
  json::members(c, [&](std::string_view key, json::cursor& at) {
    auto* place = place_of(l, key);
    const auto value = at.value(1);
    if (!at.ok()) return;
    if (!place)
      trouble = wrong("has a member `" + quote_of(key) + "`, which format " +
                      std::to_string(format) + " does not know");
    else if (!place->empty())
      trouble = wrong("has `" + quote_of(key) + "` twice");
    else
      *place = value;
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

/// `has`, as a table.
constexpr auto may_have = [] {
  std::array<std::array<bool, fields>, kinds> out{};
  for (const auto& k : kind_table)
    for (const auto& f : field_table)
      out[static_cast<std::size_t>(k.what)][static_cast<std::size_t>(f.what)] = has(k.what, f.what);
  return out;
}();

std::optional<problem> put_all(event& e, const raw_line& l) {
  for (const auto& r : field_table) {
    const auto i = static_cast<std::size_t>(r.what);
    const auto plain = l.plain[i], base64 = l.base64[i];
    if (plain.empty() && base64.empty()) continue;
    if (!may_have[static_cast<std::size_t>(e.what)][i])
      return wrong("has a `" + std::string(r.name) + "`, which events of the kind `" +
                   std::string(row(e.what).name) + "` do not have");
    if (!plain.empty() && !base64.empty())
      return wrong("has both `" + std::string(r.name) + "` and `" + std::string(r.name) + "64`");
    if (auto bad = plain.empty() ? put_base64(e, r, base64) : put(e, r, plain)) return bad;
  }
  for (const auto& d : duties)
    if (d.of == e.what && l.plain[static_cast<std::size_t>(d.what)].empty())
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
  const auto end = l.plain[static_cast<std::size_t>(field::end)];
  if (end.empty() || !l.t.empty() || !l.u.empty() || !l.n.empty())
    return wrong("has no `e`, which says what kind of event it is");
  for (std::size_t i = 0; i < fields; ++i)
    if (i != static_cast<std::size_t>(field::end) && !(l.plain[i].empty() && l.base64[i].empty()))
      return wrong("has no `e`, which says what kind of event it is");
  for (const auto& [word, why] : endings)
    if (json::says(end, word)) return why;
  return wrong("ends the recording for a reason that this format does not have: " + quote_of(end));
}

}  // namespace

result<ending> parse_line(std::string_view line, event& to) {
  raw_line l;
  if (auto bad = scan_line(line, l)) return *bad;
  if (l.e.empty()) return parse_ending(l);
  if (auto bad = put_common(to, l)) return *bad;
  if (auto bad = put_all(to, l)) return *bad;
  return ending::none;
}

}  // namespace gate::recording
