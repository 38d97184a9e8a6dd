#pragma once
/// The params of a call as they are to be sent, in the parts that are not copied. Pure; of the
/// senders of UPSTREAM SESSION.
#include <memory>
#include <string>
#include <string_view>

#include "actors/messages.hpp"
#include "protocol/json/scan.hpp"

namespace gate::upstream {

struct call_parts {
  std::string_view first, second;
  std::string_view meta, token;  ///< parts of these
  std::shared_ptr<const void> keep;

  explicit call_parts(const invoke& c)
      : first(c.first), second(c.second), meta(c.meta), token(c.token), keep(c.keep) {}

  std::string joined() const {
    std::string out(first.empty() ? "{}" : first);
    return out.append(second);
  }
  /// They are these from now on, with the same `_meta`.
  void become(std::string params) {
    auto text = std::make_shared<const std::string>(std::move(params));
    const auto now = json::member(*text, "_meta");
    if (!token.empty())
      token = now.substr(static_cast<std::size_t>(token.data() - meta.data()), token.size());
    meta = now;
    first = *text;
    second = {};
    keep = std::move(text);
  }
};

}  // namespace gate::upstream
