#include "config/policy/glob.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gate::config {
namespace {

/// Texts shorter than this are searched plainly: the worst case is small, and most names are short.
constexpr std::size_t short_text = 64;

/// Where `needle` begins in `text`, or npos. Never more than a constant for each byte of both:
/// `string_view::find` compares anew at each place, which a hostile name would make quadratic.
std::size_t find(std::string_view text, std::string_view needle) noexcept {
  if (text.size() < short_text) return text.find(needle);
  const auto* at = ::memmem(text.data(), text.size(), needle.data(), needle.size());
  if (at == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
}

/// Do all of `pieces` occur in `text`, one behind the other? The leftmost place of each leaves the
/// most room for the next, so there is nothing to try again.
template <class Pieces>
bool in_turn(const Pieces& pieces, std::string_view text) noexcept {
  for (const auto& piece : pieces) {
    const auto at = find(text, piece);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + piece.size());
  }
  return true;
}

template <class Pieces>
bool fits(std::string_view first, const Pieces& middle, std::string_view last,
          std::string_view text) noexcept {
  if (text.size() < first.size() + last.size()) return false;
  if (!text.starts_with(first) || !text.ends_with(last)) return false;
  return in_turn(middle, text.substr(first.size(), text.size() - first.size() - last.size()));
}

/// The literal texts of a template, around its expressions. Nothing if it has no expression.
std::vector<std::string_view> literals(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    const auto open = text.find('{');
    if (open == std::string_view::npos) break;
    const auto close = text.find('}', open);
    if (close == std::string_view::npos) return {};
    out.push_back(text.substr(0, open));
    text.remove_prefix(close + 1);
  }
  if (!out.empty()) out.push_back(text);
  return out;
}

}  // namespace

glob::glob(std::string_view pattern) {
  auto star = pattern.find('*');
  first_ = pattern.substr(0, star);
  exact_ = star == std::string_view::npos;
  while (star != std::string_view::npos) {
    pattern.remove_prefix(star + 1);
    star = pattern.find('*');
    if (star == std::string_view::npos) {
      last_ = pattern;
    } else if (star > 0) {
      middle_.emplace_back(pattern.substr(0, star));
    }
  }
  needs_ = traits_of(first_) | traits_of(last_);
  for (const auto& piece : middle_) needs_ |= traits_of(piece);
}

std::uint64_t glob::traits_of(std::string_view text) noexcept {
  std::uint64_t out = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const auto a = static_cast<unsigned char>(text[i - 1]);
    const auto b = static_cast<unsigned char>(text[i]);
    // Spreads what names are made of: letters next to each other, digits, underscores.
    out |= std::uint64_t{1} << ((a * 7U + b * 13U + (b >> 4U)) & 63U);
  }
  return out;
}

bool glob::matches(std::string_view text) const noexcept {
  if (exact_) return text == first_;
  return fits(first_, middle_, last_, text);
}

bool glob::meets_template(std::string_view uri_template) const {
  const auto parts = literals(uri_template);
  if (parts.empty()) return matches(uri_template);
  const auto begin = parts.front();
  const auto end = parts.back();
  if (exact_) {
    std::vector<std::string_view> between(parts.begin() + 1, parts.end() - 1);
    // An empty literal is found anywhere, at no cost.
    return fits(begin, between, end, first_);
  }
  // Both have a place for anything. Then what is between the ends never clashes: write the longer
  // beginning, the pattern's middle, the template's middle, the longer end; either takes the
  // other's text into such a place. So only the ends, which are fixed in both, must agree.
  const std::string_view first = first_;
  const std::string_view last = last_;
  const auto head = std::min(begin.size(), first.size());
  const auto tail = std::min(end.size(), last.size());
  return begin.substr(0, head) == first.substr(0, head) &&
         end.substr(end.size() - tail) == last.substr(last.size() - tail);
}

}  // namespace gate::config
