#include "protocol/mcp/stateless/url_elicitations.hpp"

#include <vector>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/stateless/input_requests.hpp"

namespace gate::mcp::stateless {

std::string ask_for_visits(std::string_view raw_error) {
  if (json::member(raw_error, "code") != "-32042") return {};
  const auto all = json::member(json::member(raw_error, "data"), "elicitations");
  std::vector<shown_question> asked;
  json::cursor c(all, {json::deepest, false});
  if (c.peek() != '[') return {};
  json::elements(c, [&](json::cursor& at) {
    const auto raw = at.value(1);
    if (json::member(raw, "url").starts_with('"') && asked.size() < limits::session_questions)
      asked.push_back({"q" + std::to_string(asked.size() + 1), names::elicit, asked_params(raw)});
  });
  return asked.empty() ? std::string{} : question_result(asked, {});
}

}  // namespace gate::mcp::stateless
