// Forms, Basic credentials and the answers of token endpoints.
#include <algorithm>
#include <set>
#include <string>

#include "protocol/limits.hpp"
#include "protocol/oauth/form.hpp"
#include "protocol/oauth/grant.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

void forms(std::string_view text) {
  const auto f = oauth::read_form(text);
  if (!f) return;
  require(f->size() <= limits::form_fields, "too many fields");
  std::string again;
  std::set<std::string> names;
  for (const auto& [name, value] : *f) {
    oauth::append_field(again, name, value);
    require(names.insert(name).second, "a name twice");
    require(oauth::field(*f, name) == value, "another value");
  }
  const auto back = oauth::read_form(again);
  require(back.has_value(), "what was written is not read");
  require(*back == *f, "what was written is read otherwise");
}

void credentials(std::string_view text) {
  const auto half = text.substr(0, text.size() / 2), rest = text.substr(half.size());
  const auto line = oauth::basic_credentials(half, rest);
  require(line.find_first_of("\r\n") == line.npos, "more than a line");
  const auto id = oauth::basic_client(line);
  require(!id || *id == half, "another client");
  const auto any = oauth::basic_client(text);
  require(!any || !any->empty(), "a client without a name");
}

void answers(std::string_view text) {
  require(!oauth::read_token_response(400, text).has_value(), "a refusal brings no token");
  const auto t = oauth::read_token_response(200, text);
  if (!t) return;
  require(!t->value.empty() &&
              std::ranges::all_of(t->value, [](char c) { return c > ' ' && c < 0x7F; }),
          "a token that does not fit a header line");
  require(!t->lifetime || (t->lifetime->count() >= 0 && *t->lifetime <= limits::token_life_most),
          "a lifetime out of range");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  forms(text);
  credentials(text);
  answers(text);
  return 0;
}
