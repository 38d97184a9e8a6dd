#include "actors/doctor/report.hpp"

#include <algorithm>

#include "actors/doctor/words.hpp"
#include "protocol/base/base64.hpp"
#include "protocol/json/scan.hpp"

namespace gate::doctor {
namespace {

constexpr std::string_view hidden = "[secret]";
/// Shorter ones are words that occur by themselves.
constexpr std::size_t shortest = 4;

std::size_t count(std::span<const finding> of, severity s) {
  return static_cast<std::size_t>(std::ranges::count(of, s, &finding::level));
}

void member(std::string& to, std::string_view key, std::string_view text) {
  to.append(",\"").append(key).append("\":");
  json::append_quoted(to, text);
}

std::string line_of(const finding& f) {
  std::string out(to_string(f.level));
  out.resize(9, ' ');
  out += row(f.what).name;
  out.resize(std::max<std::size_t>(out.size() + 1, 25), ' ');
  if (!f.pointer.empty()) out += f.pointer + ' ';
  if (!f.subject.empty()) out += '(' + printable(f.subject) + ") ";
  out += f.seen;
  if (!f.advice.empty()) out += ". To do: " + f.advice;
  return out += '\n';
}

}  // namespace

void discretion::add(std::vector<std::string> secrets) {
  for (auto& s : secrets) {
    if (s.size() < shortest) continue;
    // As others may quote them: within JSON, and in a Basic header.
    auto in_json = json::quoted(s);
    secrets_.push_back(in_json.substr(1, in_json.size() - 2));
    secrets_.push_back(base64_encode(s));
    secrets_.push_back(std::move(s));
  }
  std::ranges::sort(secrets_, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  secrets_.erase(std::unique(secrets_.begin(), secrets_.end()), secrets_.end());
}

std::string discretion::without(std::string_view text) const {
  std::vector<std::size_t> next(secrets_.size());
  for (std::size_t i = 0; i < next.size(); ++i) next[i] = text.find(secrets_[i]);
  std::string out;
  std::size_t told = 0;  // so much of it is in `out`, or is secret
  while (!next.empty()) {
    const auto first = std::ranges::min_element(next);
    const auto at = *first;
    if (at == std::string_view::npos) break;
    const auto& secret = secrets_[static_cast<std::size_t>(first - next.begin())];
    // One that begins within another is told as the same.
    if (at >= told) out.append(text.substr(told, at - told)).append(hidden);
    told = std::max(told, at + secret.size());
    *first = text.find(secret, at + 1);
  }
  out.append(text.substr(told));
  return out;
}

std::string notes::clean(std::string_view said) const {
  return secrets_ ? secrets_->without(said) : std::string(said);
}

findings discretion::without(findings of) const {
  for (auto& f : of)
    for (auto* text : {&f.subject, &f.seen, &f.advice}) *text = without(*text);
  return of;
}

bool has_errors(std::span<const finding> of) {
  return count(of, severity::error) > 0;
}

std::string as_lines(std::span<const finding> of) {
  std::string out;
  for (const auto& f : of) out += line_of(f);
  return out + counted(count(of, severity::error), "error") + ", " +
         counted(count(of, severity::warning), "warning") + ", " +
         std::to_string(count(of, severity::ok)) + " ok\n";
}

std::string as_json(std::span<const finding> of) {
  std::string out = R"({"version":")" GATE_VERSION R"(","ok":)";
  out += has_errors(of) ? "false" : "true";
  for (const auto s : {severity::error, severity::warning, severity::ok})
    out += (s == severity::ok ? ",\"fine\":" : ",\"" + std::string(to_string(s)) + "s\":") +
           std::to_string(count(of, s));
  out += ",\"findings\":[";
  for (const auto& f : of) {
    out += &f == of.data() ? "\n" : ",\n";
    out += R"({"level":")" + std::string(to_string(f.level)) + '"';
    member(out, "check", row(f.what).name);
    if (!f.pointer.empty()) member(out, "pointer", f.pointer);
    if (!f.subject.empty()) member(out, "subject", f.subject);
    member(out, "seen", f.seen);
    if (!f.advice.empty()) member(out, "advice", f.advice);
    out += '}';
  }
  return out + "\n]}\n";
}

}  // namespace gate::doctor
