// Answers of upstreams: what came before on a connection changes nothing of what the next one
// means.
#include <string>
#include <vector>

#include "tests/fuzz/support.hpp"
#include "transport/http/response_reader.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

constexpr std::size_t max_bytes = 1000;

struct outcome {
  bool done = false, reusable = false;
  fetch_end end{};
  int status = 0;
  media kind{};
  std::string session, body, events, rest;
  bool operator==(const outcome&) const = default;
};

outcome finish(http::response_reader& r, std::string_view bytes, std::size_t piece) {
  outcome o;
  std::string waiting;
  while (!r.done() && !bytes.empty()) {
    waiting += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    const auto used = r.feed(waiting);
    require(used <= waiting.size(), "more than there was");
    waiting.erase(0, used);
  }
  o.rest = waiting.append(bytes);
  if (!r.done()) r.end_of_input();
  require(r.done(), "an answer without end");
  o.done = r.done();
  o.end = r.end();
  o.status = r.status();
  o.kind = r.media();
  o.reusable = r.reusable();
  o.session = r.session_id();
  for (const auto& e : r.take_events()) o.events += e.type + ':' + e.data + '\n';
  o.body = *r.take_body();
  return o;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = text_of(data, size);
  const std::size_t piece = 1 + take_byte(text) * std::size_t{8};
  const auto cut = text.find('\x01');
  const auto first = text.substr(0, cut);
  const auto next = cut == text.npos ? first : text.substr(cut + 1);
  http::known_answer last, none;
  {
    http::response_reader r(max_bytes, last);
    finish(r, first, piece);
  }
  require(last.length.empty() || inside(last.length, last.block), "a length from elsewhere");
  http::response_reader fresh(max_bytes, none), behind(max_bytes, last);
  const auto known = behind.feed_known_header(next);
  auto got = finish(behind, next.substr(known), piece);
  auto plain = finish(fresh, next, known ? std::max(piece, known) : piece);
  // Where an answer is cut off, pieces decide how much of the rest was looked at.
  if (got.end != fetch_end::complete || plain.end != fetch_end::complete) {
    require(got.end == plain.end, "the end differs");
    return 0;
  }
  require(got == plain, "the same bytes mean something else");
  return 0;
}
