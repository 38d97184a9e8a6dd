/// bench_stdio: an MCP server over standard input and output that costs next to nothing, so that a
/// benchmark sees the bridge in front of it.
///
///   bench_stdio [TEXT-BYTES]
///
/// Answers initialize, ping, tools/list and tools/call, the latter with so many bytes of text (32),
/// and ends with its input. It trusts its peer: no limits, no validation.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using std::string;
using std::string_view;

/// The value of `key` at the first place where a string or a number follows it, raw. Good enough
/// for messages whose arguments do not imitate an envelope.
string_view member(string_view line, string_view key) {
  for (auto at = line.find(key); at != string_view::npos; at = line.find(key, at)) {
    at += key.size();
    const auto from = line.find_first_not_of(" :", at);
    if (from == string_view::npos) return {};
    if (line[from] == '"') {
      const auto end = line.find('"', from + 1);
      return end == string_view::npos ? string_view{} : line.substr(from, end + 1 - from);
    }
    const auto end = line.find_first_not_of("-0123456789", from);
    if (end > from) return line.substr(from, end - from);
  }
  return {};
}

constexpr string_view tools =
    R"({"tools":[{"name":"tool_1","inputSchema":{"type":"object","properties":{}}}]})";

void answer(string_view line, string_view result_of_call, string& out) {
  const auto id = member(line, R"("id")");
  const auto method = member(line, R"("method")");
  if (id.empty() || method.empty()) return;  // notifications, and answers to what was never asked
  out.append(R"({"jsonrpc":"2.0","id":)").append(id);
  if (method == R"("tools/call")") {
    out.append(R"(,"result":)").append(result_of_call);
  } else if (method == R"("initialize")") {
    out.append(R"(,"result":{"protocolVersion":)").append(member(line, R"("protocolVersion")"));
    out.append(R"(,"capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}})");
  } else if (method == R"("tools/list")") {
    out.append(R"(,"result":)").append(tools);
  } else if (method == R"("ping")") {
    out.append(R"(,"result":{})");
  } else {
    out.append(R"(,"error":{"code":-32601,"message":"Method not found"})");
  }
  out.append("}\n");
}

bool write_all(string_view bytes) {
  while (!bytes.empty()) {
    const auto n = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const auto bytes = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 32;
  const string result = R"({"content":[{"type":"text","text":")" + string(bytes, 'x') + R"("}]})";
  string in, out;
  char buffer[64 * 1024];
  for (;;) {
    const auto got = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    in.append(buffer, static_cast<std::size_t>(got));
    std::size_t from = 0;
    for (auto end = in.find('\n'); end != string::npos; end = in.find('\n', from)) {
      answer(string_view(in).substr(from, end - from), result, out);
      from = end + 1;
    }
    in.erase(0, from);
    if (!write_all(out)) return 0;  // nobody listens any more
    out.clear();
  }
}
