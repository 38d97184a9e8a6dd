// Queries of viewers: what is taken is within its bounds.
#include <string>

#include "protocol/introspection/queries.hpp"
#include "protocol/mcp/methods.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto query = introspection::query_of(text_of(data, size));
  if (const auto q = introspection::read_activity_query(query)) {
    require(q->limit >= 1 && q->limit <= limits::activity_answer, "a limit out of bounds");
    require(!q->since || *q->since >> 63 == 0, "a number out of bounds");
  }
  if (const auto q = introspection::read_explain_query(query)) {
    require(!q->method.empty(), "no method");
    require((q->method + q->name).find('\0') == std::string::npos, "U+0000");
    if (const auto* m = mcp::find_method(q->method))
      require(q->name.empty() ==
                  (m->routing != mcp::routing::named && m->routing != mcp::routing::owned),
              "a name where there is none");
  }
  static_cast<void>(introspection::read_no_query(query));
  return 0;
}
