#include "protocol/recording/needles.hpp"

#include <algorithm>

#include "protocol/base/base64.hpp"
#include "protocol/json/scan.hpp"

namespace gate::recording {
namespace {

bool of_base64(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '+' ||
         c == '/' || c == '-' || c == '_' || c == '=';
}

/// As percent-encoding spells it: of those that encode more or less than others, the usual two.
std::string percent_encoded(std::string_view text, std::string_view digits,
                            std::string_view plain) {
  std::string out;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    const bool letter = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (letter || plain.find(c) != std::string_view::npos)
      out += c;
    else
      out.append({'%', digits[u >> 4], digits[u & 15]});
  }
  return out;
}

/// The part of its base64 that does not depend on what stands around it, if `before` bytes stand
/// before it in its group of three.
std::string within_base64(std::string_view secret, std::size_t before) {
  const auto whole = base64_encode(std::string(before, 'x').append(secret));
  const auto from = before == 0 ? 0u : 4u;
  const auto groups = (before + secret.size()) / 3;
  return whole.substr(from, 4 * groups - from);
}

}  // namespace

needles::needles() : patterns_(), shift_(), first_() {
  shift_.fill(static_cast<std::uint8_t>(window - block + 1));
}

void needles::add(std::string_view secret, bool lasting) {
  if (secret.size() < limits::known_secret_bytes) return;
  if (!known_.emplace(secret).second) return;
  if (!lasting && learned_.size() >= limits::known_secrets) forget_older_half();
  (lasting ? lasting_ : learned_).emplace_back(secret);
  add_spellings(std::string(secret));
}

void needles::add_spellings(const std::string& secret) {
  std::vector<std::string> all{secret};
  auto quoted = json::quoted(secret);
  quoted = quoted.substr(1, quoted.size() - 2);
  std::string slashed;
  for (const char c : quoted) slashed.append(c == '/' ? "\\/" : std::string(1, c));
  escaped_ = escaped_ || slashed != secret;
  all.push_back(quoted);
  all.push_back(slashed);
  for (const auto digits : {"0123456789ABCDEF", "0123456789abcdef"})
    for (const auto plain : {"-._~", "-._~!$'()*,;:@/", "-_.*"})
      all.push_back(percent_encoded(secret, digits, plain));
  auto form = all.back();
  for (std::size_t at; (at = form.find("%20")) != std::string::npos;) form.replace(at, 3, "+");
  all.push_back(std::move(form));
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (auto& one : all) add_pattern(std::move(one), secret, false);
  for (std::size_t before = 0; before < 3; ++before) {
    auto one = within_base64(secret, before);
    auto of_urls = one;
    std::ranges::replace(of_urls, '+', '-');
    std::ranges::replace(of_urls, '/', '_');
    if (of_urls != one) add_pattern(std::move(of_urls), secret, true);
    add_pattern(std::move(one), secret, true);
  }
}

std::size_t needles::slot_of(const char* p) noexcept {
  const auto byte = [p](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(p[i])}; };
  return ((byte(0) | byte(1) << 8 | byte(2) << 16) * 2654435761u) >> 18;
}

void needles::add_pattern(std::string text, std::string_view secret, bool base64) {
  if (text.size() < window) return;
  if (patterns_.empty()) patterns_.emplace_back();
  for (std::size_t at = 0; at + block <= window; ++at) {
    auto& shift = shift_[slot_of(text.data() + at)];
    shift = std::min(shift, static_cast<std::uint8_t>(window - block - at));
  }
  auto& first = first_[slot_of(text.data() + window - block)];
  patterns_.push_back({std::move(text), std::string(secret), base64, first});
  first = static_cast<std::uint32_t>(patterns_.size() - 1);
}

needle_found needles::find(std::string_view text, std::size_t from) const {
  if (patterns_.empty()) return {};
  std::size_t end = from + window;
  while (end <= text.size()) {
    const auto slot = slot_of(text.data() + end - block);
    if (shift_[slot] != 0) {
      end += shift_[slot];
      continue;
    }
    const auto rest = text.substr(end - window);
    const pattern* best = nullptr;
    for (auto i = first_[slot]; i != 0; i = patterns_[i].next)
      if (rest.starts_with(patterns_[i].text) &&
          (!best || patterns_[i].text.size() > best->text.size()))
        best = &patterns_[i];
    if (!best) {
      ++end;
      continue;
    }
    const auto at = end - window;
    if (!best->base64) return {at, best->text.size(), best->secret};
    // All that is encoded with it: others' parts of it would be readable.
    auto begin = at;
    while (begin > from && of_base64(text[begin - 1])) --begin;
    auto stop = at + best->text.size();
    while (stop < text.size() && of_base64(text[stop])) ++stop;
    return {begin, stop - begin, {}};
  }
  return {};
}

void needles::forget_older_half() {
  learned_.erase(learned_.begin(),
                 learned_.begin() + static_cast<std::ptrdiff_t>(learned_.size() / 2));
  patterns_.clear();
  known_.clear();
  shift_.fill(static_cast<std::uint8_t>(window - block + 1));
  first_.fill(0);
  for (const auto* all : {&lasting_, &learned_})
    for (const auto& one : *all) {
      known_.insert(one);
      add_spellings(one);
    }
}

}  // namespace gate::recording
