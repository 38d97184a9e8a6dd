#include "protocol/mcp/stateless/tool_rules.hpp"

#include "protocol/json/scan.hpp"
#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/stateless/wrapping.hpp"

namespace gate::mcp::stateless {
namespace {

constexpr std::string_view may_be_task = R"("execution":{"taskSupport":"optional"})";

}  // namespace

unusable_tools take_rules(item_list& tools, era of, bool tasks) {
  unusable_tools out;
  std::erase_if(tools, [&](list_item& tool) {
    tool_rules rules;
    auto headers = read_annotations(json::member(tool.raw, "inputSchema"));
    if (headers) {
      rules.headers = std::move(*headers);
    } else if (of == era::stateless) {
      if (out.count++ == 0) {
        out.first = tool.key;
        out.why = headers.error().what;
      }
      return true;
    }
    const auto execution = json::member(tool.raw, "execution");
    if (of == era::stateless) {
      if (auto wrapped = wrap_tool(tool.raw)) rules.wrapped = std::move(*wrapped);
      rules.wraps = !rules.wrapped.empty();
      if (tasks && execution.empty())
        rules.wrapped = put_first(rules.wraps ? rules.wrapped : tool.raw, may_be_task);
    } else {
      rules.needs_task = tasks && json::says(json::member(execution, "taskSupport"), "required");
    }
    if (!rules.headers.empty() || !rules.wrapped.empty() || rules.needs_task)
      tool.rules = std::make_shared<const tool_rules>(std::move(rules));
    return false;
  });
  return out;
}

bool same_item(const list_item& a, const list_item& b) {
  // Annotations stand in the text; whether it is wrapped depends on the server's generation, too.
  const auto wrapped = [](const list_item& x) {
    return x.rules ? std::string_view(x.rules->wrapped) : std::string_view{};
  };
  const auto needs_task = [](const list_item& x) { return x.rules && x.rules->needs_task; };
  return a.key == b.key && a.raw == b.raw && wrapped(a) == wrapped(b) &&
         needs_task(a) == needs_task(b);
}

}  // namespace gate::mcp::stateless
