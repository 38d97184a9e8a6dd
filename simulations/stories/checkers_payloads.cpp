// Checkers of what was said, byte for byte: to whom it belongs, and what must not be in it.
#include <algorithm>
#include <cstdlib>

#include "simulations/stories/checkers.hpp"
#include "simulations/stories/documents.hpp"
#include "simulations/stories/fleet.hpp"

namespace gate::churn {
namespace {

using sim::at;
using std::to_string;

/// The numbers of the calls whose marks are in a text.
std::vector<std::uint32_t> marks_in(std::string_view text) {
  constexpr std::string_view begins = "mark-";
  std::vector<std::uint32_t> out;
  for (auto from = text.find(begins); from != text.npos; from = text.find(begins, from + 1)) {
    const auto number = text.substr(from + begins.size());
    out.push_back(number_in(number.substr(0, number.find('.'))));
  }
  return out;
}

/// The upstream of the document that a host belongs to.
std::string owner_of(const std::string& host) {
  return std::ranges::find(replicas, host) != replicas.end() ? "trio" : host;
}

/// What its server says; one of MCP 2026-07-28 has to say what kind of result it is.
std::string said_to(const request& r) {
  const auto said = result_of(r.number);
  return r.upstream == "new" ? R"({"resultType":"complete",)" + said.substr(1) : said;
}

/// For callers without a session two members are put in front of what a server of sessions says.
bool is_verbatim(const request& r, const std::string& result) {
  const auto said = said_to(r);
  if (!r.stateless) return result == said;
  return result.starts_with(R"({"resultType":"complete",)") &&
         result.ends_with(result_of(r.number).substr(1));
}

void check_answers_of_calls(const evidence& e, complaints& out) {
  for (const auto& r : e.requests) {
    const auto& got = *r.receipt;
    for (const auto* text : {&got.headers, &got.body, &got.stream})
      for (const auto number : marks_in(*text))
        if (r.what != request::kind::call || number != r.number)
          out.push_back("marks: " + name_of(r) + " was told what belongs to call " +
                        to_string(number));
    const auto result = at(got.last(), "result");
    if (r.what == request::kind::call && !at(result, "mark").empty() && !is_verbatim(r, result))
      out.push_back("marks: " + name_of(r) + " was told " + result + " instead of " + said_to(r));
  }
}

void check_arguments(const evidence& e, complaints& out) {
  std::map<std::uint32_t, const request*> calls;
  for (const auto& r : e.requests)
    if (r.what == request::kind::call) calls[r.number] = &r;
  for (const auto& [host, seen] : e.seen)
    for (const auto& s : seen)
      for (const auto number : marks_in(s->body)) {
        const auto call = calls.find(number);
        const bool theirs = call != calls.end() && call->second->upstream == owner_of(host) &&
                            s->method == "tools/call";
        if (!theirs)
          out.push_back("marks: " + host + " was sent what belongs to call " + to_string(number) +
                        ": " + s->body);
        else if (s->param("arguments") != arguments_of(number))
          out.push_back("marks: " + host + " was sent the arguments " + s->param("arguments") +
                        " instead of " + arguments_of(number));
      }
}

}  // namespace

void check_marks(const evidence& e, complaints& out) {
  check_answers_of_calls(e, out);
  check_arguments(e, out);
}

void check_secrets(const scenario& s, const evidence& e, complaints& out) {
  const auto has_key = [](const std::string& text) { return text.find(key_begins) != text.npos; };
  for (const auto& [host, seen] : e.seen) {
    const auto id = owner_of(host);
    const auto due = s.has(id) ? "Bearer " + key_of(id) : std::string{};
    for (const auto& x : seen) {
      if (const auto shown = x->header("authorization"); shown != due)
        out.push_back(std::string("secrets: ")
                          .append(host)
                          .append(" was shown \"")
                          .append(shown)
                          .append("\" with ")
                          .append(x->method)
                          .append(" instead of \"")
                          .append(due)
                          .append("\""));
      if (has_key(x->body)) out.push_back("secrets: " + host + " was sent a key: " + x->body);
    }
  }
  const auto look = [&](const std::string& text, const std::string& what) {
    if (has_key(text)) out.push_back("secrets: a key stands in " + what + ": " + text);
  };
  for (const auto& line : e.log) look(line, "the log");
  for (const auto& line : e.audit) look(line, "the audit trail");
  for (const auto& text : e.expositions) look(text, "the metrics");
  for (const auto& r : e.requests)
    for (const auto* text : {&r.receipt->headers, &r.receipt->body, &r.receipt->stream})
      if (has_key(*text)) look(*text, "the answer of " + name_of(r));
}

}  // namespace gate::churn
