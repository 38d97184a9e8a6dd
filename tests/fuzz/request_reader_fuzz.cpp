// Requests of clients: which headers came before, and by which connection, changes nothing of what
// the next one means.
#include <algorithm>
#include <string>

#include "tests/fuzz/support.hpp"
#include "transport/http/known_heads.hpp"
#include "transport/http/request_reader.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

constexpr std::size_t max_body = 1000;

struct outcome {
  bool done = false, reusable = false;
  http::defect flaw{};
  verb method{};
  std::string block, headers, body;
  std::size_t used = 0;
  bool operator==(const outcome&) const = default;
};

/// But for the length of the body, which stands in the block of a header that was known.
std::string without_length(std::string_view block, std::string_view length) {
  std::string out(block);
  if (!length.empty())
    out.erase(static_cast<std::size_t>(length.data() - block.data()), length.size());
  return out;
}

outcome read(std::string_view bytes, const http::head_ptr& last, const http::known_heads* known,
             http::head_ptr& head) {
  http::request_reader r(max_body);
  outcome o;
  o.used = r.feed(bytes, last, known);
  require(o.used <= bytes.size(), "more than there was");
  o.done = r.done();
  if (!o.done) return o;
  const auto request = r.take();
  o.flaw = request.flaw;
  if (o.flaw != http::defect::none) return o;
  o.reusable = r.reusable();
  head = request.head;
  o.method = head->method;
  o.block = without_length(head->block, head->length);
  for (const auto& h : head->headers)
    if (h.value.data() != head->length.data()) (o.headers += h.name).append(": ") += h.value;
  o.body = request.body;
  return o;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = text_of(data, size);
  const auto cut = text.find('\x01');
  const auto before = text.substr(0, cut);
  const auto next = cut == text.npos ? before : text.substr(cut + 1);
  http::known_heads known;
  http::head_ptr last, ignored;
  if (read(before, {}, nullptr, last).done && last) known.keep(last);
  require(!last || last->length.empty() || inside(last->length, last->block),
          "a length from elsewhere");
  const auto plain = read(next, {}, nullptr, ignored);
  require(read(next, {}, &known, ignored) == plain, "another connection's header was taken for it");
  require(read(next, last, &known, ignored) == plain, "the same bytes mean something else");
  return 0;
}
