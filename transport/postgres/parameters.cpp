#include "transport/postgres/parameters.hpp"

#include <algorithm>

namespace gate::postgres {
namespace {

void put(std::string& out, std::uint64_t n, int bytes) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8)
    out += static_cast<char>((n >> static_cast<unsigned>(shift)) & 0xff);
}

void put_number(std::string& out, std::int64_t n) {
  put(out, 8, 4);
  put(out, static_cast<std::uint64_t>(n), 8);
}

/// An array has its dimensions (none if it is empty), whether there are nulls in it, the type of
/// its elements, how many, and the number of the first.
std::string head_of(std::size_t size, bool nulls, unsigned element) {
  std::string out;
  put(out, size == 0 ? 0 : 1, 4);
  put(out, nulls ? 1 : 0, 4);
  put(out, element, 4);
  if (size == 0) return out;
  put(out, size, 4);
  put(out, 1, 4);
  return out;
}

/// Of the character that begins here; 0: there is none.
std::size_t length_of(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto first = at(0);
  if (first < 0x80) return first == 0 ? 0 : 1;
  const std::size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if ((at(i) & 0xc0) != 0x80) return 0;
  // Too long for what they say, halves of pairs, and what is beyond Unicode.
  const auto second = at(1);
  const bool bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                   (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return bad ? 0 : n;
}

}  // namespace

std::string utf8_of(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto n = length_of(text);
    if (n == 0)
      out += '?';
    else
      out += text.substr(0, n);
    text.remove_prefix(std::max<std::size_t>(n, 1));
  }
  return out;
}

void parameters::add_owned(std::string bytes, unsigned of) {
  all_.push_back({false, true, std::move(bytes), {}});
  types_.push_back(of);
}

void parameters::add_number(std::int64_t n) {
  std::string out;
  put(out, static_cast<std::uint64_t>(n), 8);
  add_owned(std::move(out), type::number);
}

void parameters::add_null() {
  all_.push_back({true, false, {}, {}});
  types_.push_back(type::number);
}

void parameters::add_view(std::string_view v, unsigned of) {
  all_.push_back({false, false, {}, v});
  types_.push_back(of);
}

void parameters::add_numbers(std::span<const std::int64_t> all) {
  auto out = head_of(all.size(), false, type::number);
  for (const auto n : all) put_number(out, n);
  add_owned(std::move(out), type::many_numbers);
}

void parameters::add_numbers(std::span<const std::optional<std::int64_t>> all) {
  auto out = head_of(all.size(), true, type::number);
  for (const auto& n : all) {
    if (n)
      put_number(out, *n);
    else
      put(out, 0xffffffff, 4);
  }
  add_owned(std::move(out), type::many_numbers);
}

void parameters::add_views(std::span<const std::string_view> all, unsigned of) {
  auto out = head_of(all.size(), false, of);
  for (const auto v : all) {
    put(out, v.size(), 4);
    out += v;
  }
  add_owned(std::move(out), of == type::bytes ? type::many_bytes : type::many_texts);
}

const char* const* parameters::values() {
  values_.clear();
  for (const auto& v : all_) {
    // A view of nothing may have no address, which would be NULL.
    const auto* from = v.owned ? v.bytes.data() : v.view.empty() ? "" : v.view.data();
    values_.push_back(v.null ? nullptr : from);
  }
  return values_.data();
}

const int* parameters::lengths() {
  lengths_.clear();
  for (const auto& v : all_)
    lengths_.push_back(static_cast<int>(v.owned ? v.bytes.size() : v.view.size()));
  return lengths_.data();
}

const int* parameters::formats() {
  formats_.assign(all_.size(), 1);
  return formats_.data();
}

std::int64_t number_of(std::string_view bytes) {
  if (bytes.empty()) return 0;
  auto out = static_cast<std::int64_t>(static_cast<signed char>(bytes[0]));
  for (const char c : bytes.substr(1))
    out = static_cast<std::int64_t>((static_cast<std::uint64_t>(out) << 8U) |
                                    static_cast<unsigned char>(c));
  return out;
}

}  // namespace gate::postgres
