#include "protocol/trace/mcp_spans.hpp"

#include <array>
#include <charconv>

#include "protocol/limits.hpp"
#include "protocol/mcp/method_names.hpp"

namespace gate::trace {
namespace {

/// Conventions: what the tool itself says has failed.
constexpr std::string_view tool_error = "tool_error";
constexpr std::string_view is_ok = "ok", is_error = "error";

class decimal {
 public:
  explicit decimal(int number)
      : end_(number == 0 ? text_.data()
                         : std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr) {}
  decimal(const decimal&) = delete;
  decimal& operator=(const decimal&) = delete;
  std::string_view text() const {
    return {text_.data(), static_cast<std::size_t>(end_ - text_.data())};
  }

 private:
  std::array<char, 12> text_{};
  const char* end_;
};

span at(const place& p, kind k) {
  span s;
  s.self = p.self;
  s.parent = p.parent;
  s.remote_parent = p.remote_parent;
  s.state = p.state;
  s.began = p.began;
  s.ended = p.ended;
  s.links = p.links;
  s.kind = k;
  return s;
}

/// Its status is an error exactly if it says which (OpenTelemetry).
void fail(span& s, const failure& why, std::string_view code, std::string_view outcome) {
  const auto type = !code.empty()       ? code
                    : why.of_the_tool   ? tool_error
                    : !why.word.empty() ? why.word
                    : outcome != is_ok  ? outcome
                                        : std::string_view{};
  s.add("error.type", type);
  s.add("rpc.response.status_code", code);
  s.failed = !type.empty();
}

std::string_view decision_word(audit::decision d) {
  return d == audit::decision::allow ? "allow" : d == audit::decision::deny ? "deny" : "";
}

/// A raw id as text: strings without their quotes. (Escapes stay: it is a name, not to be read.)
std::string_view plain(std::string_view raw) {
  return raw.size() > 1 && raw.front() == '"' ? raw.substr(1, raw.size() - 2) : raw;
}

}  // namespace

void append_server_span(std::string& out, const place& where, const server_facts& of) {
  const auto& e = of.event;
  auto s = at(where, kind::server);
  s.name = of.name;
  s.add("mcp.method", e.method);
  s.add("mcp.name", e.name);
  s.add("fold.upstream", e.upstream);
  s.add("fold.outcome", audit::to_string(e.outcome));
  s.add("fold.policy.decision", decision_word(e.decision));
  s.add("fold.policy.rule", e.rule_id);
  if (of.tells_principal) s.add("enduser.id", e.principal);
  s.add("mcp.method.name", e.method);
  if (of.name == mcp::names::call_tool) {
    s.add("gen_ai.tool.name", e.name);
    s.add("gen_ai.operation.name", "execute_tool");
  } else if (of.name == mcp::names::get_prompt) {
    s.add("gen_ai.prompt.name", e.name);
  }
  s.add("jsonrpc.request.id", plain(of.request_id));
  s.add("mcp.session.id", of.session);
  s.add("mcp.protocol.version", of.version);
  const decimal code(of.why.code);
  fail(s, of.why, code.text(), audit::to_string(e.outcome));
  s.why = e.error;
  append(out, s);
}

void append_client_span(std::string& out, const place& where, const client_facts& of) {
  auto s = at(where, kind::client);
  s.lead = "upstream ";
  s.name = of.upstream;
  s.add("fold.upstream", of.upstream);
  s.add("fold.outcome", of.outcome);
  s.add("mcp.method.name", of.method);
  if (of.suspended) s.add("gate.suspended", "true");
  const decimal code(of.why.code);
  fail(s, of.why, code.text(), of.outcome);
  append(out, s);
}

void append_token_span(std::string& out, const place& where, std::string_view upstream, bool told) {
  auto s = at(where, kind::client);
  s.lead = "token ";
  s.name = upstream;
  s.add("fold.upstream", upstream);
  s.add("fold.outcome", told ? is_ok : is_error);
  fail(s, {}, {}, told ? is_ok : is_error);
  append(out, s);
}

}  // namespace gate::trace
