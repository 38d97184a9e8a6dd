#pragma once
/// Part of stage 4: which upstream an invocation is for, and its params as that upstream knows
/// them. Names lose their prefix by leaving it out between two pieces of the params; nothing else
/// of them is touched.
#include <optional>
#include <string>
#include <string_view>

#include "actors/pipeline/fact.hpp"
#include "protocol/mcp/stateless/task_shapes.hpp"

namespace gate::pipeline {

/// A call that stage 4 works for.
using unrouted = fact<stage::rate_limit>;

/// By a name (raw JSON string within the params): `tools/call`, `prompts/get`.
std::optional<refused> target_name(unrouted& c, std::string_view raw_name);

/// By a resource's URI (raw JSON string). With several upstreams its owner is yet to be found:
/// `route::owner`.
std::optional<refused> target_uri(unrouted& c, std::string_view raw_uri);

/// By the id of a task (raw JSON string): `route::task`.
std::optional<refused> target_task(unrouted& c, std::string_view raw_id);

/// By `params.ref` of `completion/complete`: a prompt's name or a resource's URI or template.
std::optional<refused> target_ref(unrouted& c);

/// It takes a client that knows tasks, which this one has not declared (-32021).
template <class Held>
refused lacks_tasks(Held c, std::string_view what) {
  auto no = refuse(std::move(c), reason::capability_missing,
                   std::string(what) + " is for clients that declare the extension " +
                       std::string(mcp::stateless::tasks_extension));
  no.why.more = mcp::stateless::tasks_required;
  return no;
}

/// The call goes to this upstream.
void set_target(call& c, const config::compiled_upstream& u);

/// The call is about a task that this upstream runs, minted over the bridged session of the client
/// session `minted_for` (0: nobody knows).
void set_task_target(call& c, const config::compiled_upstream& u, std::uint64_t minted_for);

}  // namespace gate::pipeline
