#pragma once
/// What a client can be told later, and once, however often it happened meanwhile: lists that have
/// changed, resources that were updated. So neither a slow client nor one that is away for a moment
/// makes them pile up. Pure; part of ROUTER.
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/method_names.hpp"

namespace gate::sessions {

class notices {
 public:
  /// `method` of static storage: notifications/…/list_changed.
  void add_list(std::string_view method) { lists_.insert(method); }
  /// `text` is the upstream's own notification about the resource (raw URI); the latest counts.
  void add_updated(const std::string& raw_uri, std::string text) {
    if (raw_uri.size() > limits::uri_bytes) return;
    if (updated_.size() >= limits::session_subscriptions && !updated_.contains(raw_uri)) return;
    // Whatever else it says is not kept for long.
    if (text.size() > raw_uri.size() + limits::notice_bytes)
      text = jsonrpc::request({}, mcp::names::resource_updated, R"({"uri":)" + raw_uri + "}");
    updated_[raw_uri] = std::move(text);
  }
  /// Those that wait about resources (raw URIs) which are not `wanted` any more.
  void drop_updated(const std::function<bool(const std::string&)>& wanted) {
    std::erase_if(updated_, [&](const auto& x) { return !wanted(x.first); });
  }
  bool empty() const { return lists_.empty() && updated_.empty(); }
  /// One of them, as a message; not if there is none.
  std::string take() {
    if (!lists_.empty()) return jsonrpc::request({}, lists_.extract(lists_.begin()).value());
    return std::move(updated_.extract(updated_.begin()).mapped());
  }

 private:
  std::set<std::string_view> lists_;
  std::map<std::string, std::string> updated_;
};

}  // namespace gate::sessions
