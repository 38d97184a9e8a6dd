#pragma once
/// URLElicitationRequired, which a server that has sessions answers when its client is to visit
/// something and then call again (MCP 2025-11-25 /client/elicitation): to clients without a session
/// it is a question as any other, and no state is needed for it. Pure; stage 7 of the pipeline.
#include <string>
#include <string_view>

namespace gate::mcp::stateless {

/// The result (raw object) that asks for the visits which this error (raw object) names; empty: it
/// is another error, or names none.
std::string ask_for_visits(std::string_view raw_error);

/// The error (raw object) for a client that can not be asked that.
inline constexpr std::string_view visits_not_declared =
    R"({"code":-32021,"message":"the server asks for the visit of a URL, which the client has not )"
    R"(declared to take","data":{"requiredCapabilities":{"elicitation":{"url":{}}}}})";

}  // namespace gate::mcp::stateless
