#include "protocol/fleet/call_record.hpp"

#include <algorithm>

#include "protocol/fleet/fields.hpp"
#include "protocol/limits.hpp"
#include "protocol/trace/context.hpp"

namespace gate::fleet {
namespace {

void put(std::string& to, settlement::piece p) {
  fleet::put(to, p.at, 4);
  fleet::put(to, p.size, 4);
}

settlement::piece piece_of(fields& f) {
  const auto at = f.number(4);
  return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(f.number(4))};
}

bool lies_in(settlement::piece p, std::string_view text) {
  return p.at <= text.size() && p.size <= text.size() - p.at;
}

}  // namespace

std::string encode(const attempt& a) {
  auto out = begin(shape::attempt);
  put(out, a.waits, 8);
  put(out, a.call, 8);
  put(out, a.round, 4);
  out.append(reinterpret_cast<const char*>(a.binding.data()), a.binding.size());
  put(out, a.capabilities);
  put(out, a.answers);
  return out;
}

std::optional<attempt> read_attempt(std::string_view bytes) {
  fields f(bytes);
  if (!f.begins(shape::attempt)) return {};
  attempt a;
  a.waits = f.number(8);
  a.call = f.number(8);
  a.round = static_cast<std::uint32_t>(f.number(4));
  const auto binding = f.take(a.binding.size());
  std::copy(binding.begin(), binding.end(), a.binding.begin());
  a.capabilities = f.text(limits::fleet_word_bytes);
  a.answers = f.text(limits::fleet_word_bytes);
  if (!f.complete()) return {};
  return a;
}

std::string encode(const task_question& q) {
  auto out = begin(shape::task_question);
  put(out, q.waits, 8);
  put(out, q.owner, 8);
  put(out, q.client, 8);
  put(out, q.upstream);
  put(out, q.capabilities);
  put(out, q.request);
  put(out, q.trace);
  put(out, q.log_level, 1);
  return out;
}

std::optional<task_question> read_task_question(std::string_view bytes) {
  fields f(bytes);
  if (!f.begins(shape::task_question)) return {};
  task_question q;
  q.waits = f.number(8);
  q.owner = f.number(8);
  q.client = f.number(8);
  q.upstream = f.text(limits::fleet_name_bytes);
  q.capabilities = f.text(limits::fleet_word_bytes);
  q.request = f.text(limits::fleet_word_bytes);
  q.trace = f.text(trace::header_lines_bytes);
  q.log_level = static_cast<std::uint8_t>(f.number(1));
  if (!f.complete() || q.log_level > no_log_level || !trace::are_header_lines(q.trace)) return {};
  return q;
}

std::string encode(const settlement& s) {
  auto out = begin(shape::settlement);
  put(out, s.waits, 8);
  put(out, static_cast<std::uint64_t>(s.is), 1);
  put(out, s.text);
  put(out, s.usage);
  put(out, s.task);
  put(out, static_cast<std::uint64_t>(s.why), 1);
  put(out, s.quotes_credential ? 1 : 0, 1);
  put(out, s.wrapped ? 1 : 0, 1);
  put(out, s.stateless ? 1 : 0, 1);
  put(out, s.asked, 4);
  return out;
}

std::optional<settlement> read_settlement(std::string_view bytes) {
  fields f(bytes);
  if (!f.begins(shape::settlement)) return {};
  settlement s;
  s.waits = f.number(8);
  const auto is = f.number(1);
  s.text = f.text(limits::fleet_word_bytes);
  s.usage = piece_of(f);
  s.task = piece_of(f);
  const auto why = f.number(1);
  const auto secret = f.number(1), wrapped = f.number(1), stateless = f.number(1);
  s.asked = static_cast<std::uint32_t>(f.number(4));
  if (!f.complete() || secret > 1 || wrapped > 1 || stateless > 1 ||
      is > static_cast<std::uint64_t>(settlement::what::down) || why >= no_answers.size() ||
      !lies_in(s.usage, s.text) || !lies_in(s.task, s.text))
    return {};
  s.is = static_cast<settlement::what>(is);
  s.why = static_cast<no_answer>(why);
  s.quotes_credential = secret == 1;
  s.wrapped = wrapped == 1;
  s.stateless = stateless == 1;
  return s;
}

std::string encode(const cause& c) {
  auto out = begin(shape::cause);
  for (const auto byte : c.span.trace) put(out, byte, 1);
  for (const auto byte : c.span.span) put(out, byte, 1);
  put(out, c.span.flags, 1);
  put(out, c.answered ? 1 : 0, 1);
  return out;
}

std::optional<cause> read_cause(std::string_view bytes) {
  fields f(bytes);
  if (!f.begins(shape::cause)) return {};
  cause c;
  for (auto& byte : c.span.trace) byte = static_cast<std::uint8_t>(f.number(1));
  for (auto& byte : c.span.span) byte = static_cast<std::uint8_t>(f.number(1));
  c.span.flags = static_cast<std::uint8_t>(f.number(1));
  const auto answered = f.number(1);
  if (!f.complete() || answered > 1 || !trace::is_id(c.span.trace) || !trace::is_id(c.span.span) ||
      !c.span.sampled())
    return {};
  c.answered = answered == 1;
  return c;
}

}  // namespace gate::fleet
