#include "actors/upstream/stateless_sender.hpp"

#include "actors/upstream/call_parts.hpp"
#include "protocol/base/pen.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/stateless/headers.hpp"
#include "protocol/mcp/stateless/input_required.hpp"
#include "protocol/mcp/stateless/task_shapes.hpp"
#include "protocol/trace/context.hpp"

namespace gate::upstream {

namespace stateless = mcp::stateless;

namespace {

/// Servers of this generation heed what `_meta` says of the trace before what headers say.
std::string with_trace(std::string meta, const trace_ptr& trace) {
  return trace ? trace::in_meta(meta, *trace) : meta;
}

/// What stands in a JSON string, its escapes resolved.
std::string_view plain(std::string_view inside, std::string& room) {
  if (inside.find('\\') == inside.npos) return inside;
  return json::unquote('"' + std::string(inside) + '"', room) ? room : std::string_view{};
}

}  // namespace

std::string stateless_sender::meta() const {
  return stateless::write_meta(stateless::lasting_capabilities(s_.client.capabilities()), {});
}

/// A client of the same generation says what it can do with each request; one with a session is
/// asked on its behalf (`input_rounds`).
std::string stateless_sender::meta_of(const work& w, std::string_view rest) const {
  const auto& call = w.call;
  if (call.declares) {
    const auto level = call.log_level.empty() ? std::string{} : json::quoted(call.log_level);
    return stateless::write_meta(*call.declares, level, rest);
  }
  const auto& p = s_.client.profile();
  const auto lasting = stateless::lasting_capabilities(s_.client.capabilities());
  return stateless::write_meta(w.errand ? stateless::with_tasks(lasting) : lasting,
                               p ? std::string_view(p->log_level) : std::string_view{}, rest);
}

void stateless_sender::post(std::uint64_t id, const request& r, mcp::request_pieces text) {
  const auto trace = r.trace ? std::string_view(*r.trace) : std::string_view{};
  std::string headers;
  pen lines(headers, r.method.size() + r.name.size() + r.lines.size() + trace.size() + 64);
  stateless::write_header_lines(lines, r.method, r.name);
  lines << r.lines << trace;
  headers.resize(lines.size());
  out_.post_as(id, std::make_shared<const std::string>(std::move(headers)), std::move(text), r.keep,
               r.repeatable);
}

void stateless_sender::post_own(std::uint64_t id, std::string_view method, std::string_view members,
                                const trace_ptr& trace) {
  auto text = sender::head(id, method);
  text.append(R"({"_meta":)").append(with_trace(meta(), trace));
  if (!members.empty()) text.append(",").append(members);
  request r;
  r.method = method;
  r.repeatable = true;
  r.trace = trace;
  post(id, r, {std::move(text), {}, {}, "}}"});
}

std::uint64_t stateless_sender::discover(const trace_ptr& trace) {
  const auto id = s_.table.new_id();
  post_own(id, mcp::names::discover, {}, trace);
  return id;
}

/// What is asked in the place of the call: about the task that it is about.
std::uint64_t stateless_sender::post_errand(const work& w) {
  const auto id = s_.table.new_id();
  const auto& e = *w.errand;
  const auto params = std::make_shared<const std::string>(e.params);
  std::string room;
  request r;
  r.method = e.method;
  r.name = plain(std::string_view(e.id).substr(1, e.id.size() - 2), room);
  r.trace = w.trace();
  r.keep = params;
  post(id, r,
       stateless::with_meta(sender::head(id, r.method), *params, {}, {},
                            with_trace(meta_of(w, "{}"), r.trace)));
  return id;
}

std::uint64_t stateless_sender::post_call(work& w) {
  if (w.errand && !w.errand->method.empty()) return post_errand(w);
  const auto id = s_.table.new_id();
  call_parts c(w.call);
  // With what the client was asked for: that is rare, and joined.
  if (w.input) c.become(stateless::with_input(c.joined(), w.input->answers(), w.input->state));
  std::string room;
  request r;
  r.method = w.call.method;
  r.name = plain(w.call.named, room);
  know_tool(w, r.name);
  std::string lines;
  if (w.tool) lines = stateless::param_lines(w.tool->headers, w.call.arguments);
  r.lines = lines;
  r.trace = w.trace();
  r.keep = std::move(c.keep);
  std::string rest = "{}";
  if (!c.meta.empty() && !w.call.only_envelope) {
    const auto ours = c.token.empty() ? std::string{} : out_.progress_token(w, id);
    rest = stateless::without_envelope(c.meta, c.token, ours);
  }
  post(id, r,
       stateless::with_meta(sender::head(id, r.method), c.first, c.second, c.meta,
                            with_trace(meta_of(w, rest), r.trace)));
  return id;
}

void stateless_sender::know_tool(work& w, std::string_view name) const {
  const auto& tools = *s_.others.tools;
  w.tools_known = tools.version();
  w.tool = nullptr;
  if (w.call.method == mcp::names::call_tool && !tools.empty()) w.tool = tools.find(name);
}

std::uint64_t stateless_sender::post_list(const work& w) {
  const auto id = s_.table.new_id();
  post_own(id, mcp::method_of(w.list.kind), w.cursor.empty() ? "" : R"("cursor":)" + w.cursor,
           w.trace());
  return id;
}

std::string stateless_sender::filter() const {
  std::string out;
  const auto add = [&](std::string_view member) {
    if (!out.empty()) out += ',';
    out += member;
  };
  const auto& f = s_.talk.agreed().features;
  if (s_.hears_lists())
    for (const auto& l : mcp::lists)
      if (!l.asked_by.empty() && f.has(l.needs)) add('"' + std::string(l.asked_by) + R"(":true)");
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
  post_own(id, mcp::names::listen, R"("notifications":{)" + filter() + "}");
}

}  // namespace gate::upstream
