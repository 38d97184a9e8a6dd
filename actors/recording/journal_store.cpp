// What passes STORE.
#include <algorithm>

#include "actors/recording/journal.hpp"
#include "protocol/fleet/count_names.hpp"
#include "protocol/json/scan.hpp"

namespace gate::recording {
namespace {

/// Numbers, short names and those of limits and budgets stay: these and circuits can be followed by
/// them. The rest are records, which are sealed, or lead to them.
void append_word(redactor& by, std::string& out, std::string_view word) {
  constexpr std::size_t longest_name = 24, longest_count = 256;
  const auto longest = fleet::names_a_count(word) ? longest_count : longest_name;
  const bool readable = std::ranges::all_of(word, [](char c) { return c > ' ' && c < 0x7f; });
  std::string room;
  if (word.size() <= longest && readable)
    json::append_quoted(out, by.text_in(room, word));
  else
    json::append_quoted(out, by.stand_in(word));
}

void append_value(redactor& by, std::string& out, const resp::value& v) {
  using resp::kind;
  std::string room;
  switch (v.kind()) {
    case kind::null:
      out += "null";
      return;
    case kind::number:
      out += std::to_string(v.number());
      return;
    case kind::truth:
      out += v.truth() ? "true" : "false";
      return;
    case kind::real:
      json::append_quoted(out, std::to_string(v.real()));
      return;
    case kind::text:
    case kind::big_number:
      return append_word(by, out, v.text());
    case kind::error:
      out += R"({"error":)";
      json::append_quoted(out, by.text_in(room, v.text()));
      out += '}';
      return;
    default:
      out += '[';
      auto one = v.first();
      for (std::size_t i = 0; i < v.size(); ++i) {
        if (i > 0) {
          out += ',';
          one = one.next();
        }
        append_value(by, out, one);
      }
      out += ']';
  }
}

}  // namespace

void journal::asked(const store_request& r, std::uint64_t number) {
  write(kind::asked, number, [&](line& l) {
    l.text(field::op, store_ops[static_cast<std::size_t>(r.op)]);
    std::string words = "[";
    if (r.script) json::append_quoted(words, r.script->digest);
    for (const auto* all : {&r.keys, &r.words})
      for (const auto& one : *all) {
        if (words.size() > 1) words += ',';
        append_word(redactor_, words, one);
      }
    words += ']';
    l.json(field::words, words);
  });
}

void journal::told(const store_told& t) {
  write(kind::told, t.id, [&](line& l) {
    l.text(field::outcome, store_outcomes[static_cast<std::size_t>(t.outcome)]);
    if (!t.reply) return;
    std::string reply;
    append_value(redactor_, reply, t.reply->root());
    l.json(field::reply, reply);
  });
}

void journal::turned(const store_turned& t) {
  write(kind::turned, 0, [&](line& l) { l.flag(field::here, t.here).flag(field::anew, t.anew); });
}

void journal::heard(const store_heard& h) {
  write(kind::heard, 0, [&](line& l) {
    l.text(field::channel, text(h.channel));
    l.text(field::text, text(h.text));
  });
}

}  // namespace gate::recording
