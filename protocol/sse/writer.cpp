#include "protocol/sse/writer.hpp"

#include <algorithm>

namespace gate::sse {

void append_event(std::string& out, std::string_view data, std::string_view id) {
  out.reserve(out.size() + data.size() + id.size() + 40);
  out += "event: message\n";
  // A line break in an id would let it write fields of its own.
  if (!id.empty() && id.find_first_of(std::string_view("\r\n\0", 3)) == id.npos) {
    out += "id: ";
    out += id;
    out += '\n';
  }
  for (;;) {
    auto end = static_cast<std::size_t>(
        std::ranges::find_if(data, [](char c) { return c == '\n' || c == '\r'; }) - data.begin());
    out += "data: ";
    out += data.substr(0, end);
    out += '\n';
    if (end == data.size()) break;
    data.remove_prefix(end + (data.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  out += '\n';
}

void append_priming(std::string& out, std::string_view id, std::uint32_t retry_ms) {
  out.append("id: ").append(id).append("\nretry: ").append(std::to_string(retry_ms));
  out += "\ndata: \n\n";
}

}  // namespace gate::sse
