// The scanner on any bytes: what it accepts, another parser accepts, and its parts are valid too.
#include <boost/json.hpp>
#include <string>

#include "protocol/json/scan.hpp"
#include "tests/fuzz/support.hpp"
#include "tests/protocol/json/surrogates.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

void agrees_with_boost(std::string_view text, bool valid) {
  if (text.size() >= json::deepest) return;  // so that no nesting limit is reached
  boost::json::parse_options options;
  options.max_depth = json::deepest;
  boost::json::error_code error;
  boost::json::parse(text, error, {}, options);
  if (valid)
    require(
        !error || error == boost::json::error::exponent_overflow || json::has_lone_surrogate(text),
        "we accept what Boost.JSON refuses");
  else
    require(bool(error), "Boost.JSON accepts what we refuse");
}

void walks(std::string_view text) {
  json::cursor c(text, {});
  json::members(c, [&](std::string_view key, json::cursor& at) {
    auto value = at.value(1);
    require(!at.ok() || (inside(value, text) && inside(key, text)), "a span outside the text");
    require(!at.ok() || json::validate(value) == json::fault::none, "a member is not valid");
  });
  c.finish();
  bool object = json::cursor(text, {}).peek() == '{';
  require(c.ok() == (object && json::validate(text) == json::fault::none),
          "walk and validate differ");
}

void unquotes(std::string_view text) {
  std::string out, again;
  if (!json::unquote(text, out)) return;
  require(json::validate(text) == json::fault::none, "an invalid string was unquoted");
  require(json::unquote(json::quoted(out), again) && again == out, "quoting loses something");
  require(json::same_key(text.substr(1, text.size() - 2), out), "a key differs from itself");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = text_of(data, size);
  bool valid = json::validate(text, {json::deepest, true}) == json::fault::none;
  bool grammatical = json::validate(text, {json::deepest, false}) == json::fault::none;
  require(!valid || grammatical, "checking less refuses more");
  require(!grammatical || json::validate(" \n" + std::string(text) + "\t\r",
                                         {json::deepest, false}) == json::fault::none,
          "white space matters");
  agrees_with_boost(text, valid);
  walks(text);
  unquotes(text);
  std::string back, quoted = json::quoted(text);
  require(json::unquote(quoted, back), "quoted text is not a string");
  json::same_key(text, "method");
  json::member(text, "a");
  return 0;
}
