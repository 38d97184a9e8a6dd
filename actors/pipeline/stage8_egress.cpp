#include "actors/pipeline/completion.hpp"
#include "actors/pipeline/page.hpp"
#include "actors/pipeline/steps.hpp"

namespace gate::pipeline {

/// Lists hold what this caller may see, by the names it knows: they were filtered and renamed when
/// they were merged for its view (federation/view_list.cpp), once for all who see by that. Results
/// pass verbatim, but from one generation of MCP to the other (completion.hpp).
step_result<fact<stage::egress>> egress_step::run(fact<stage::proxy> call, desk& d) {
  if (call->list)
    if (auto no = cut_page(*call, d.lists.cursor_key()))
      return refused{std::move(call), std::move(*no)};
  if (call->era == mcp::era::stateless || call->by == mcp::era::stateless)
    if (auto no = complete(*call)) return refused{std::move(call), std::move(*no)};
  return fact<stage::egress>(std::move(call));
}

}  // namespace gate::pipeline
