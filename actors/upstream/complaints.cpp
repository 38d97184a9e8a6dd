#include "actors/upstream/complaints.hpp"

#include <utility>

#include "actors/who/named_in_log.hpp"

namespace gate::upstream {

void complaints::failed(std::string_view what, std::string_view detail, const trace_ptr& trace) {
  if (check_) {
    if (!shown_.quoted_in(detail)) detail_ = detail;
    return;
  }
  if (std::exchange(peers_.failing, true)) return;
  const auto sentence =
      "An upstream " + std::string(what) + "; further failures are not logged until it recovers.";
  const log::field who{"upstream", of_.config.id};
  const log::field url{"url", of_.to[where_.current()]->url.place()};
  const bool secret = shown_.quoted_in(detail);
  const log::field why{"detail", secret ? "(it quotes the credential)" : std::string(detail)};
  doors_.log(log::level::warn, sentence,
             {who, url, detail.empty() ? log::field{} : why, named_in_log(trace)});
}

void complaints::worked() {
  if (!std::exchange(peers_.failing, false)) return;
  doors_.log(log::level::info, "An upstream answers again.", {{"upstream", of_.config.id}});
}

void complaints::left_out(std::size_t items) {
  if (std::exchange(peers_.nameless, true)) return;
  doors_.log(log::level::warn, "An upstream lists items without a usable name; they are left out.",
             {{"upstream", of_.config.id}, {"items", std::to_string(items)}});
}

void complaints::left_out(const mcp::stateless::unusable_tools& tools) {
  if (std::exchange(peers_.unusable, true)) return;
  doors_.log(log::level::warn,
             "An upstream lists tools whose x-mcp-header annotations are not valid; they are left "
             "out.",
             {{"upstream", of_.config.id},
              {"tools", std::to_string(tools.count)},
              {"first", tools.first},
              {"detail", tools.why}});
}

}  // namespace gate::upstream
