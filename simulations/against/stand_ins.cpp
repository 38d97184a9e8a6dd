#include "simulations/against/stand_ins.hpp"

#include <algorithm>
#include <array>

#include "protocol/json/scan.hpp"
#include "protocol/jsonrpc/message.hpp"

namespace gate::against {
namespace {

std::string lowered(std::string_view name) {
  std::string out(name);
  for (auto& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

/// Of the connection, or of who was there.
constexpr std::array<std::string_view, 11> not_sent{"host",
                                                    "content-length",
                                                    "transfer-encoding",
                                                    "connection",
                                                    "keep-alive",
                                                    "expect",
                                                    "upgrade",
                                                    "te",
                                                    "authorization",
                                                    "cookie",
                                                    "proxy-authorization"};

}  // namespace

void stand_ins::learn(const tokens& recorded, const tokens& live) {
  if (!recorded.cursor.empty() && !live.cursor.empty()) names_[recorded.cursor] = live.cursor;
  if (!recorded.task.empty() && !live.task.empty()) names_[recorded.task] = live.task;
}

std::vector<recording::header> stand_ins::headers_of(const exchange& x) const {
  std::vector<recording::header> out;
  for (const auto& h : x.headers) {
    const auto name = lowered(h.name);
    if (std::ranges::find(not_sent, name) != not_sent.end()) continue;
    if (name == "mcp-session-id") {
      const auto live = sessions_.find(h.value);
      out.push_back({h.name, live == sessions_.end() ? h.value : live->second});
      continue;
    }
    if (!h.value.starts_with("secret:")) out.push_back(h);
  }
  return out;
}

std::string stand_ins::body_of(const exchange& x) const {
  const auto m = jsonrpc::read(x.body);
  if (!m) return x.body;
  for (const auto raw : {m->cursor, m->task_id}) {
    if (raw.empty()) continue;
    const auto live = names_.find(json::canonical(raw));
    if (live == names_.end()) continue;
    const auto at = static_cast<std::size_t>(raw.data() - x.body.data());
    return x.body.substr(0, at) + live->second + x.body.substr(at + raw.size());
  }
  return x.body;
}

}  // namespace gate::against
