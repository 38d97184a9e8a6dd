// What clients and collectors say of traces: a context is passed on in the form of its
// specification or not at all, as header lines of ours and nothing else; an answer of a collector
// is read to its end, whatever it is; and whatever is said in a span, it is one message whose texts
// are UTF-8.
#include <string>
#include <vector>

#include "protocol/json/scan.hpp"
#include "protocol/trace/context.hpp"
#include "protocol/trace/export.hpp"
#include "protocol/trace/mcp_spans.hpp"
#include "tests/fuzz/support.hpp"
#include "tests/support/decoded_span.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

void check_context(std::string_view text) {
  const auto carried = trace::read({{"traceparent", std::string(text)}, {"baggage", "k=v"}}, text);
  const auto lines = trace::header_lines(carried);
  std::size_t ends = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto c = static_cast<unsigned char>(lines[i]);
    if (c == '\r') {
      require(lines.compare(i, 2, "\r\n") == 0, "a bare CR");
      ++ends;
    }
    require(c == '\r' || c == '\n' || (c >= 0x20 && c < 0x7F), "not printable");
  }
  require(ends <= 3, "more lines than there are headers");
  require(carried.parent.empty() || trace::read_parent(carried.parent).has_value(),
          "a parent that is none");
  require(trace::are_header_lines(lines), "lines of ours that are none");
  require(!trace::are_header_lines(text) || text.find("\r\n\r\n") == text.npos,
          "a head that ends within");
  require(trace::is_id(trace::trace_in(lines)) != carried.parent.empty(), "its trace");
  if (json::validate(text, {}) == json::fault::none && text.find('{') == 0)
    require(json::validate(trace::in_meta(text, lines), {}) == json::fault::none, "no JSON");
}

void check_span(std::string_view text) {
  audit::event e;
  e.method = e.name = e.error = e.principal = text;
  trace::place at;
  at.self = {{1}, {2}, 1};
  at.state = "a=1";
  std::string written;
  trace::append_server_span(written, at,
                            {e, "tools/call", text, text.substr(text.size() / 2), "", {}});
  const auto span = testing::decode_span(written);
  for (const auto& [key, value] : span.attributes)
    require(json::validate(json::quoted(value), {}) == json::fault::none, "not UTF-8");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_context(text);
  static_cast<void>(trace::read_answer(text));
  check_span(text);
  return 0;
}
