#pragma once
/// What MCP calls its methods and notifications, for whoever says them or hears them. What a client
/// may ask of the gateway has a row in methods.hpp besides.
#include <string_view>

namespace gate::mcp::names {

// Requests of clients.
inline constexpr std::string_view initialize = "initialize";
inline constexpr std::string_view ping = "ping";
inline constexpr std::string_view discover = "server/discover";
inline constexpr std::string_view listen = "subscriptions/listen";
inline constexpr std::string_view call_tool = "tools/call";
inline constexpr std::string_view get_prompt = "prompts/get";
inline constexpr std::string_view read_resource = "resources/read";
inline constexpr std::string_view subscribe = "resources/subscribe";
inline constexpr std::string_view unsubscribe = "resources/unsubscribe";
inline constexpr std::string_view complete = "completion/complete";
inline constexpr std::string_view set_level = "logging/setLevel";
inline constexpr std::string_view list_tasks = "tasks/list";
inline constexpr std::string_view get_task = "tasks/get";
inline constexpr std::string_view task_result = "tasks/result";
inline constexpr std::string_view cancel_task = "tasks/cancel";
inline constexpr std::string_view update_task = "tasks/update";

// Requests of servers. They may ask about tasks of clients, too.
inline constexpr std::string_view create_message = "sampling/createMessage";
inline constexpr std::string_view elicit = "elicitation/create";
inline constexpr std::string_view list_roots = "roots/list";

// Notifications.
inline constexpr std::string_view initialized = "notifications/initialized";
inline constexpr std::string_view cancelled = "notifications/cancelled";
inline constexpr std::string_view progress = "notifications/progress";
inline constexpr std::string_view roots_changed = "notifications/roots/list_changed";
inline constexpr std::string_view message = "notifications/message";
inline constexpr std::string_view acknowledged = "notifications/subscriptions/acknowledged";
inline constexpr std::string_view resource_updated = "notifications/resources/updated";

}  // namespace gate::mcp::names
