// What stands in the store of a fleet, and what instances say there: records, words, and what seals
// them.
#include <string>

#include "protocol/fleet/call_record.hpp"
#include "protocol/fleet/session_record.hpp"
#include "protocol/fleet/stream_record.hpp"
#include "protocol/fleet/vault.hpp"
#include "protocol/limits.hpp"
#include "protocol/trace/context.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

void records(std::string_view bytes) {
  if (const auto r = fleet::read_session(bytes))
    require(fleet::encode(*r) == bytes, "a session is not what was read");
  if (const auto s = fleet::read_subscription(bytes)) {
    require(s->uri.size() <= limits::session_subscription_bytes, "a URI is too long");
    require(fleet::encode(*s) == bytes, "a subscription is not what was read");
  }
  if (const auto b = fleet::read_bridge(bytes)) {
    require(b->session.find_first_of("\r\n") == std::string::npos, "a line of a header ends");
    require(fleet::encode(*b) == bytes, "a bridge is not what was read");
  }
  if (const auto w = fleet::read_word(bytes))
    require(fleet::encode(*w) == bytes, "a word is not what was read");
  if (const auto a = fleet::read_attempt(bytes))
    require(fleet::encode(*a) == bytes, "an attempt is not what was read");
  if (const auto c = fleet::read_cause(bytes)) {
    require(fleet::encode(*c) == bytes, "a cause is not what was read");
    require(trace::is_id(c->span.trace) && trace::is_id(c->span.span), "a span that is none");
  }
  if (const auto q = fleet::read_task_question(bytes)) {
    require(fleet::encode(*q) == bytes, "a question about a task is not what was read");
    require(q->trace.size() <= trace::header_lines_bytes, "a trace is too long");
    require(trace::are_header_lines(q->trace), "a header that is none of traces");
  }
  if (const auto r = fleet::read_resumption(bytes)) {
    require(r->event_id.size() <= limits::fleet_name_bytes, "an event's id is too long");
    require(fleet::encode(*r) == bytes, "a resumption is not what was read");
  }
  if (const auto p = fleet::read_stream_piece(bytes))
    require(fleet::encode(*p) == bytes, "a piece of a stream is not what was read");
  if (const auto m = fleet::read_stream_mark(bytes))
    require(fleet::encode(*m) == bytes, "a mark is not what was read");
  if (const auto s = fleet::read_settlement(bytes)) {
    require(s->usage.at + s->usage.size <= s->text.size(), "usage is not of the text");
    require(s->task.at + s->task.size <= s->text.size(), "the task is not of the text");
    require(fleet::encode(*s) == bytes, "a settlement is not what was read");
  }
}

void seals(std::string_view bytes) {
  static const fleet::vault vault("what nobody else knows, thirty-two and more");
  require(!vault.open(bytes, "it"), "what nobody sealed opens");
  auto sealed = vault.seal(bytes, "it", {});
  require(vault.open(sealed, "it") == bytes, "what was sealed does not open");
  if (bytes.size() < 2) return;
  auto& one = sealed[static_cast<unsigned char>(bytes[0]) % sealed.size()];
  one = static_cast<char>(one ^ (bytes[1] ? bytes[1] : 1));
  require(!vault.open(sealed, "it"), "what was forged opens");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = text_of(data, size);
  records(bytes);
  seals(bytes);
  return 0;
}
