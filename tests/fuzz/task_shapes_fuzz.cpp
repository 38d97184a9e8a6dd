// Tasks in the words of the other generation: whatever a server tells, what its client gets is
// JSON, about the same task, and has nothing that the client's generation does not know.
#include <algorithm>
#include <array>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/stateless/task_shapes.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;
using namespace gate::mcp::stateless;

namespace {

constexpr json::limits loose{json::deepest, false};
/// What is made of an object may be an object in an object, in an object.
constexpr json::limits deeper{json::deepest + 2, false};

std::size_t times(std::string_view object, std::string_view name) {
  std::size_t out = 0;
  each_member(object, [&](std::string_view key, auto) { out += json::same_key(key, name); });
  return out;
}

std::string must_be_json(std::string text, std::string_view what) {
  require(json::validate(text, deeper) == json::fault::none, what.data());
  return text;
}

void look_at_task(std::string_view raw) {
  const auto task = read_task(raw);
  require(task.poll >= limits::task_poll_least && task.poll <= limits::task_poll_most,
          "an odd pause");
  require(task.id.size() <= limits::name_bytes, "a long id");
  for (const auto part : {task.id, task.result, task.error, task.requests})
    require(part.empty() || inside(part, raw), "a part from elsewhere");
  const auto sessions = must_be_json(for_sessions(raw), "a task for sessions that is no JSON");
  for (const auto name : {"resultType", "inputRequests", "result", "error", "ttlMs"})
    require(times(sessions, name) == 0, "a word that sessions do not know");
  const auto stateless = must_be_json(for_stateless(raw, R"("result":{})", "completed"),
                                      "a stateless task that is no JSON");
  for (const auto name : {"resultType", "result", "status"})
    require(times(stateless, name) == 1, "a word that is not there once");
  for (const auto name : {"ttl", "pollInterval", "error"})
    require(times(stateless, name) == 0, "a word that is of sessions alone");
  if (times(raw, "taskId") > 1) return;
  require(read_task(sessions).id == task.id && read_task(stateless).id == task.id,
          "it is another task");
}

void look_at_result(std::string_view raw) {
  const auto session = must_be_json(created_for_sessions(raw), "a created task that is no JSON");
  require(times(session, "task") == 1, "no task");
  const auto stateless = must_be_json(created_for_stateless(raw), "a made task that is no JSON");
  require(is_task(stateless), "what was made is no task");
  if (const auto task = created_task(raw); !task.empty() && times(task, "taskId") == 1)
    require(read_task(stateless).id == read_task(task).id, "what was made is another task");
  const auto result = must_be_json(result_for_sessions(raw, R"("t")"), "a result that is no JSON");
  require(times(result, "resultType") == 0, "a result of the other generation");
}

void look_at_capabilities(std::string_view raw) {
  const auto without = must_be_json(without_tasks(raw), "capabilities that are none");
  // (Of two members of one name nobody says which counts.)
  if (times(raw, "extensions") > 1) return;
  require(!declares_tasks(without), "what was taken out is there");
  const auto with = must_be_json(with_tasks(raw), "capabilities that are none");
  require(declares_tasks(with), "what was put in is not there");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  if (!text.starts_with('{') || json::validate(text, loose) != json::fault::none) return 0;
  look_at_task(text);
  look_at_result(text);
  look_at_capabilities(text);
  return 0;
}
