// Messages from any bytes: what is read lies in the text, is valid, and survives being written
// again.
#include <string>

#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

void sound(std::string_view raw, std::string_view text, json::limits l) {
  require(inside(raw, text), "a span outside the text");
  require(raw.empty() || json::validate(raw, l) == json::fault::none, "a span is not valid JSON");
}

void read_one(std::string_view text, json::limits l) {
  auto m = jsonrpc::read(text, l);
  if (m.has_error()) {
    auto e = m.error();
    require(e.code == jsonrpc::parse_error || e.code == jsonrpc::invalid_request, "a strange code");
    require(!e.what.empty(), "a refusal without a reason");
    sound(e.id, text, l);
    require(jsonrpc::read(jsonrpc::error_message(e.id, e.code, e.what), l).has_value(),
            "an error answer is not a message");
    return;
  }
  for (auto raw :
       {m->id, m->params, m->result, m->error, m->name, m->uri, m->cursor, m->meta, m->request_id})
    sound(raw, text, l);
  require(json::validate(text, l) == json::fault::none, "an invalid message was read");
  require(m->id.size() <= limits::request_id_bytes, "a huge id");
  require((m->kind == jsonrpc::kind::response) == m->method.empty(), "kind and method differ");
  for (auto raw : {m->name, m->uri})
    require(raw.empty() || raw.front() == '"', "a name is no string");
  for (auto raw : {m->params, m->meta, m->error})
    require(raw.empty() || raw.front() == '{', "an object is none");
  if (m->kind == jsonrpc::kind::response) return;
  auto written = jsonrpc::request(m->id, m->method, m->params);
  auto again = jsonrpc::read(written, l);
  require(again.has_value(), "a rewritten message cannot be read");
  require(again->kind == m->kind && again->id == m->id && again->method == m->method &&
              again->params == m->params && again->name == m->name && again->meta == m->meta,
          "a rewritten message differs");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = text_of(data, size);
  for (json::limits l :
       {json::limits{}, json::limits{json::deepest, false}, json::limits{3, true}}) {
    read_one(text, l);
    auto batch = jsonrpc::read_batch(text, l);
    if (batch.has_error()) continue;
    require(jsonrpc::is_batch(text) && !batch->empty() && batch->size() <= limits::batch_length,
            "not a batch");
    for (auto element : *batch) sound(element, text, l);
  }
  return 0;
}
