#include "simulations/replay/sent_heads.hpp"

namespace gate::replay {

http::head_ptr sent_heads::of(verb method, std::string_view target,
                              const std::vector<std::string>& lines, bool refused) {
  all_.assign(1, static_cast<char>('0' + static_cast<int>(method)));
  all_ += refused ? '!' : ' ';
  all_ += target;
  for (const auto& line : lines) all_.append("\r\n").append(line);
  if (const auto it = known_.find(all_); it != known_.end()) return it->second;
  if (known_.size() >= limits::playback_memo) known_.clear();
  auto head = sim::make_head(method, target, lines, refused);
  known_.emplace(all_, head);
  return head;
}

}  // namespace gate::replay
