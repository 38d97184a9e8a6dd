#include "shim/conversation.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "protocol/json/scan.hpp"
#include "protocol/mcp/method_names.hpp"

namespace gate::shim {

bool same_id(std::string_view a, std::string_view b) {
  return json::same_scalar(a, b);
}

namespace {

/// What two tokens (raw) have in common that mean the same; empty if it is none.
std::string value_of(std::string_view raw) {
  if (raw.starts_with('"')) {
    std::string text;
    return json::unquote(raw, text) ? '"' + text : std::string{};
  }
  if (raw.find_first_of("0123456789") != 0 && !raw.starts_with('-')) return {};
  // Integers beyond what floating point keeps are what they spell.
  if (raw.find_first_of(".eE") == raw.npos) return std::string(raw == "-0" ? "0" : raw);
  double number = 0;
  const auto read = std::from_chars(raw.data(), raw.data() + raw.size(), number);
  constexpr double exact = 9007199254740992;
  if (read.ec != std::errc{} || !(std::abs(number) <= exact)) return std::string(raw);
  const auto whole = static_cast<std::int64_t>(number);
  if (static_cast<double>(whole) == number) return std::to_string(whole);
  std::array<char, 64> digits{};
  return {digits.data(), std::to_chars(digits.begin(), digits.end(), number).ptr};
}

std::string token_of(const jsonrpc::message& request) {
  return value_of(json::member(request.meta, "progressToken"));
}

}  // namespace

const conversation::entry* conversation::find_token(std::string_view value) const {
  if (value.empty()) return nullptr;
  const auto it = std::ranges::find(open_, value, &entry::token);
  return it == open_.end() ? nullptr : &*it;
}

bool conversation::has_token_of(const jsonrpc::message& request) const {
  return find_token(token_of(request)) != nullptr;
}

const conversation::entry* conversation::find(std::string_view raw_id) const {
  const auto it = std::ranges::find_if(open_, [&](auto& e) { return same_id(e.id, raw_id); });
  return it == open_.end() ? nullptr : &*it;
}

conversation::number conversation::add(const jsonrpc::message& request) {
  open_.push_back({next_, std::string(request.id), token_of(request)});
  return next_++;
}

std::optional<conversation::number> conversation::take(std::string_view raw_id) {
  const auto* e = find(raw_id);
  if (!e) return {};
  const auto it = e->it;
  open_.erase(open_.begin() + (e - open_.data()));
  return it;
}

conversation::destination conversation::place_of(const jsonrpc::message& m,
                                                 const std::function<bool(number)>& hears) const {
  if (m.kind == jsonrpc::kind::notification && m.method == mcp::names::progress) {
    // That of a task goes on when its request has been answered: it is none of another's.
    const auto* of = find_token(value_of(json::member(m.params, "progressToken")));
    return of ? destination{place::request, of->it} : destination{};
  }
  const entry* only = nullptr;
  for (const auto& e : open_) {
    if (!hears(e.it)) continue;
    if (only) return {};
    only = &e;
  }
  return only ? destination{place::request, only->it} : destination{};
}

}  // namespace gate::shim
