#include "shim/conversation.hpp"

#include <algorithm>

#include "protocol/json/scan.hpp"

namespace gate::shim {

bool same_id(std::string_view a, std::string_view b) {
  return json::same_scalar(a, b);
}

const conversation::entry* conversation::find(std::string_view raw_id) const {
  const auto it = std::ranges::find_if(open_, [&](auto& e) { return same_id(e.id, raw_id); });
  return it == open_.end() ? nullptr : &*it;
}

conversation::number conversation::add(const jsonrpc::message& request) {
  open_.push_back(
      {next_, std::string(request.id), std::string(json::member(request.meta, "progressToken"))});
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
  if (m.kind == jsonrpc::kind::notification && m.method == "notifications/progress") {
    const auto token = json::member(m.params, "progressToken");
    for (const auto& e : open_)
      if (!e.token.empty() && same_id(e.token, token)) return {place::request, e.it};
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
