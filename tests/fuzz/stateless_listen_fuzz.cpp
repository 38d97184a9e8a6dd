// The filter of a subscription: bounded whatever is asked for, and the acknowledgement says what is
// honoured, so that who reads it as a filter reads the same.
#include <algorithm>
#include <string>

#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/list_kinds.hpp"
#include "protocol/mcp/method_names.hpp"
#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/stateless/listen.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;
using namespace gate::mcp::stateless;

namespace {

bool same(const listen_filter& a, const listen_filter& b) {
  return a.lists == b.lists && a.uris == b.uris;
}

void bounded(const listen_filter& f) {
  require(f.uris.size() <= limits::session_subscriptions, "too many URIs");
  for (const auto& uri : f.uris)
    require(!uri.empty() && uri.size() <= limits::uri_bytes, "a URI beyond the bounds");
  for (const auto& l : mcp::lists)
    require(wants(f, l.change_notice) == f.lists.has(l.needs),
            "a change that is not wanted, or is");
  require(wants(f, mcp::names::resource_updated) == !f.uris.empty(), "an update likewise");
  require(!wants(f, mcp::names::progress), "what nobody can ask for");
}

/// What is told to the client of `f` is `f`, under the id of its request.
void told(const listen_filter& f, std::string_view id) {
  const auto text = acknowledgement(f, id);
  const auto m = jsonrpc::read(text, {json::deepest, true}, jsonrpc::sender::server);
  require(m && m->kind == jsonrpc::kind::notification && m->method == mcp::names::acknowledged,
          "an acknowledgement that is none");
  require(json::member(m->meta, keys::subscription) == id, "another subscription");
  const auto again = read_filter(json::member(m->params, "notifications"));
  require(again && same(*again, f), "the acknowledgement reads differently");
  const auto end = conclusion(id);
  const auto last = jsonrpc::read(end, {json::deepest, true}, jsonrpc::sender::server);
  require(last && last->kind == jsonrpc::kind::response && last->id == id && !last->result.empty(),
          "an end that is none");
}

void restricted(const listen_filter& f, mcp::server_features features) {
  auto less = f;
  restrict_to(less, features);
  bounded(less);
  require((less.lists.bits() & ~f.lists.bits()) == 0 && (less.uris.empty() || less.uris == f.uris),
          "more is honoured than was asked for");
  auto twice = less;
  restrict_to(twice, features);
  require(same(twice, less), "restricted again it is another one");
}

}  // namespace

/// The first bytes choose what servers can do; the rest is a filter, where a request has it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = text_of(data, size);
  const auto low = take_byte(text), high = take_byte(text);
  const mcp::server_features features(static_cast<std::uint16_t>(high << 8 | low));
  constexpr std::string_view head =
      R"({"jsonrpc":"2.0","id":"l\u0031","method":"subscriptions/listen",)"
      R"("params":{"notifications":)";
  const auto request = std::string(head).append(text).append("}}");
  const auto m = jsonrpc::read(request);
  if (!m || m->kind != jsonrpc::kind::request) return 0;
  const auto raw = json::member(m->params, "notifications");
  const auto f = read_filter(raw);
  if (!f) {
    require(!f.error().what.empty(), "a refusal without a reason");
    return 0;
  }
  require(raw.starts_with('{'), "a filter that is no object");
  bounded(*f);
  told(*f, m->id);
  restricted(*f, features);
  return 0;
}
