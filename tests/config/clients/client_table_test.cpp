// README.md's table of clients against what gate-up tells each of them.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>

#include "config/clients/client_entry.hpp"
#include "config/clients/json_print.hpp"
#include "tests/support/generated.hpp"

namespace gate::clients {
namespace {

using namespace testing;

constexpr std::string_view endpoint = "http://127.0.0.1:8080/mcp";

/// How it reads within a line.
std::string what_of(client c) {
  const auto entry = entry_for(c, endpoint);
  if (c != client::codex) {
    auto text = printed(boost::json::parse(entry));
    return code(text.substr(0, text.find_last_not_of('\n') + 1));
  }
  const auto end = entry.find('\n');
  return code(entry.substr(0, end)) + ", and below it " +
         code(entry.substr(end + 1, entry.size() - end - 2));
}

/// One row a client, in the order of `client_names`.
std::string client_table() {
  std::string out = row_of("Client", "Where", "What", "Or have it written");
  out += "|---|---|---|---|\n";
  for (const auto& [name, c] : client_names) {
    const auto at = place_of(c, ".", "~");
    const auto path = at.path.starts_with("./") ? at.path.substr(2) : at.path;
    out += row_of(std::string(at.title), code(path), what_of(c),
                  code("gate-up --client " + std::string(name)));
  }
  return out;
}

TEST(client_table, readme_tells_each_client_what_gate_up_tells_it) {
  expect_fresh("README.md", "clients", client_table());
}

TEST(client_table, the_command_for_claude_code_stands_in_readme) {
  const auto told = snippets(endpoint);
  const auto from = told.find("claude mcp add");
  ASSERT_NE(from, std::string::npos);
  const auto command = told.substr(from, told.find('\n', from) - from);
  EXPECT_NE(read_page("README.md").find(code(command)), std::string::npos) << command;
}

}  // namespace
}  // namespace gate::clients
