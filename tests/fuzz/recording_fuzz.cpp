// Recordings, read line by line: whatever stands there, a sentence comes out or an event that the
// line has.
#include <algorithm>
#include <string>

#include "protocol/json/scan.hpp"
#include "protocol/recording/reader.hpp"
#include "protocol/recording/shapes.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

void check(const recording::event& e, const recording::preamble& first, std::string_view line) {
  require(e.unit < first.units, "an event of a unit that there is not");
  require(json::validate(line, {json::deepest, true}) == json::fault::none, "a line is not JSON");
  require(json::says(json::member(line, "e"), recording::row(e.what).name), "of another kind");
  using recording::field;
  const auto only = [&e](field f, bool there) {
    require(!there || recording::has(e.what, f), "it has what its kind does not have");
  };
  only(field::peer, !e.peer.empty());
  only(field::headers, !e.headers.empty());
  only(field::body, e.body.has_value());
  only(field::data, !e.data.empty());
  only(field::events, !e.events.empty());
  only(field::status, e.status != 0);
  only(field::line, !e.line.empty());
  only(field::untouched, e.untouched);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = text_of(data, size);
  recording::reader r;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto before = r.lines();
    const bool begun = r.first().has_value();
    const auto taken = r.take(line);
    if (!taken) {
      require(r.lines() == before && r.first().has_value() == begun, "a problem changes something");
      require(taken.error().what.starts_with("line " + std::to_string(before + 1) + ": "),
              "a problem without its line");
      require(taken.error().what.size() < 500, "a problem that nobody reads to its end");
      continue;  // as if the line were not there: more is reached so
    }
    require(r.lines() == before + 1, "a line that does not count");
    if (*taken) check(**taken, *r.first(), line);
  }
  return 0;
}
