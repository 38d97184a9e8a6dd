#include "actors/upstream/stateless_sender.hpp"

#include "protocol/json/scan.hpp"
#include "protocol/mcp/progress.hpp"
#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/stateless/headers.hpp"
#include "protocol/mcp/stateless/input_required.hpp"
#include "protocol/mcp/stateless/task_shapes.hpp"

namespace gate::upstream {

namespace stateless = mcp::stateless;

std::string stateless_sender::envelope() const {
  return stateless::write_envelope(stateless::lasting_capabilities(s_.client.capabilities()), {});
}

/// A client of the same generation says what it can do with each request; one with a session is
/// asked on its behalf (`input_rounds`).
std::string stateless_sender::envelope_of(const work& w) const {
  const auto& call = w.call;
  if (call.declares)
    return stateless::write_envelope(
        *call.declares, call.log_level.empty() ? std::string{} : json::quoted(call.log_level));
  const auto& p = s_.client.profile();
  const auto lasting = stateless::lasting_capabilities(s_.client.capabilities());
  return stateless::write_envelope(w.errand ? stateless::with_tasks(lasting) : lasting,
                                   p ? std::string_view(p->log_level) : std::string_view{});
}

std::uint64_t stateless_sender::post(std::string_view method, std::string_view params,
                                     std::string_view members, bool repeatable,
                                     const trace_ptr& trace, std::string_view lines) {
  const auto id = s_.table.new_id();
  out_.post_as(id, stateless::header_lines(method, params).append(lines),
               sender::head(id, method) + stateless::put_on_envelope(params, members) + "}",
               repeatable, trace);
  return id;
}

std::uint64_t stateless_sender::discover(const trace_ptr& trace) {
  return post(mcp::names::discover, "{}", envelope(), true, trace);
}

std::uint64_t stateless_sender::post_call(work& w) {
  const auto& c = w.call;
  if (w.errand && !w.errand->method.empty())
    return post(w.errand->method, w.errand->params, envelope_of(w), false, w.trace());
  const auto id = s_.table.next_id();
  std::string params;
  if (c.token.empty()) {
    params.append(c.first).append(c.second);
  } else {
    const auto p =
        mcp::replace_token({}, c.first, c.second, {}, c.token, out_.progress_token(w, id));
    params.append(p.before).append(p.first).append(p.second).append(p.after);
  }
  if (params.empty()) params = "{}";
  if (w.input) params = stateless::with_input(params, w.input->answers(), w.input->state);
  know_tool(w, params);
  const auto lines =
      w.tool ? stateless::param_lines(w.tool->headers, json::member(params, "arguments"))
             : std::string{};
  return post(c.method, params, envelope_of(w), false, w.trace(), lines);
}

void stateless_sender::know_tool(work& w, std::string_view params) const {
  const auto& tools = s_.others.tools;
  w.tools_known = tools.version();
  w.tool = nullptr;
  if (w.call.method != mcp::names::call_tool || tools.empty()) return;
  std::string name;
  if (json::unquote(json::member(params, "name"), name)) w.tool = tools.find(name);
}

std::uint64_t stateless_sender::post_list(const work& w) {
  const auto params = w.cursor.empty() ? std::string("{}") : "{\"cursor\":" + w.cursor + "}";
  return post(mcp::method_of(w.list.kind), params, envelope(), true, w.trace());
}

std::string stateless_sender::filter() const {
  std::string out;
  const auto add = [&](std::string_view member) {
    if (!out.empty()) out += ',';
    out += member;
  };
  const auto& f = s_.talk.agreed().features;
  if (s_.hears_lists()) {
    if (f.has(mcp::feature::tools)) add(R"("toolsListChanged":true)");
    if (f.has(mcp::feature::prompts)) add(R"("promptsListChanged":true)");
    if (f.has(mcp::feature::resources)) add(R"("resourcesListChanged":true)");
  }
  // Those of clients are asked for by a root session, for all together (`watching`).
  const auto& uris = s_.client.subscriptions();
  if (s_.root() && !uris.empty() && f.has(mcp::feature::subscriptions)) {
    std::string all;
    for (const auto& raw : uris) all.append(all.empty() ? "" : ",").append(raw);
    add(R"("resourceSubscriptions":[)" + all + "]");
  }
  return out;
}

bool stateless_sender::hears_anything() const {
  return !filter().empty();
}

void stateless_sender::listen(std::uint64_t id) {
  const auto params = R"({"notifications":{)" + filter() + "}}";
  auto text =
      sender::head(id, mcp::names::listen) + stateless::put_on_envelope(params, envelope()) + "}";
  out_.post_as(id, stateless::header_lines(mcp::names::listen, params), std::move(text), true);
}

}  // namespace gate::upstream
