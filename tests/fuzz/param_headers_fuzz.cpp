// Annotations of tools and the headers that they ask for: what is found is usable, what is written
// is lines, and agrees with what it was written from.
#include <string>
#include <vector>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/stateless/param_headers.hpp"
#include "protocol/mcp/stateless/wrapping.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;
namespace stateless = mcp::stateless;

namespace {

/// The lines as a server reads them.
std::vector<http::header> read(std::string_view lines) {
  std::vector<http::header> out;
  while (!lines.empty()) {
    const auto end = lines.find("\r\n"), colon = lines.find(": ");
    require(end != lines.npos && colon < end, "no line");
    const auto line = lines.substr(0, end);
    require(line.find_first_of(std::string_view("\r\n\0", 3)) == line.npos, "a line in a line");
    out.push_back({line.substr(0, colon), line.substr(colon + 2)});
    lines.remove_prefix(end + 2);
  }
  return out;
}

/// Nothing is there twice, in whatever spelling, or too long for a line: then all can be said.
bool is_simple(const stateless::param_headers& wanted, std::string_view arguments) {
  if (arguments.size() > 1024 || arguments.find('\\') != arguments.npos ||
      json::validate(arguments) != json::fault::none)
    return false;
  for (const auto& w : wanted)
    for (const auto& step : w.path) {
      const auto at = arguments.find(step);
      if (at != arguments.npos && arguments.find(step, at + 1) != arguments.npos) return false;
    }
  return wanted.size() <= 4;
}

void look_at(const stateless::param_headers& wanted, std::string_view arguments) {
  require(wanted.size() <= limits::param_headers, "too many");
  for (const auto& w : wanted)
    require(!w.name.empty() && w.name.size() <= limits::param_name_bytes && !w.path.empty() &&
                w.path.size() <= limits::param_depth,
            "beyond a bound");
  const auto lines = stateless::param_lines(wanted, arguments);
  require(lines.size() <= limits::param_header_bytes, "too many bytes");
  const auto headers = read(lines);
  const auto wrong = stateless::param_disagreement(headers, wanted, arguments);
  require(!wrong || wrong->starts_with("the header Mcp-Param-"), "no sentence");
  if (is_simple(wanted, arguments)) require(!wrong, "what is written is not what was said");
}

}  // namespace

/// The first line is a tool, or a result; what follows are the arguments of a call.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  const auto split = text.find('\n');
  const auto tool = text.substr(0, split);
  const auto arguments = split == text.npos ? std::string_view{} : text.substr(split + 1);
  constexpr json::limits loose{json::deepest, false};
  const auto read = stateless::read_annotations(json::member(tool, "inputSchema"));
  if (read)
    look_at(*read, arguments);
  else
    require(!read.error().what.empty(), "a problem without a sentence");
  look_at({{"Region", {"region"}}, {"Deep", {"in", "deep"}}}, arguments);

  const bool valid = json::validate(tool, loose) == json::fault::none;
  if (const auto wrapped = stateless::wrap_tool(tool); wrapped && valid) {
    require(json::validate(*wrapped, loose) != json::fault::syntax, "a wrapped tool is broken");
    require(!stateless::wrap_tool(*wrapped), "it is wrapped twice");
  }
  for (const bool known : {true, false})
    if (const auto wrapped = stateless::wrap_result(tool, stateless::tool_result(tool), known);
        wrapped && valid)
      require(json::validate(*wrapped, loose) != json::fault::syntax, "a wrapped result is broken");
  return 0;
}
