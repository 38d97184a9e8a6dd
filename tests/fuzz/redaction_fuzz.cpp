// Bodies, headers, URLs, forms of any bytes with marked secrets in them: none is there any more
// when they have been redacted, whatever stands around it.
#include <string>

#include "protocol/base/base64.hpp"
#include "protocol/base/base64url.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/recording/line.hpp"
#include "protocol/recording/redaction.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

constexpr std::string_view by_value = "nMARKED-by-value";
constexpr std::string_view by_name = "uMARKED-by-name";
const std::string by_looks = "eyJ" + base64url_encode("MARKED") + ".MARKED-claims.MARKED-signature";

void gone(const std::string& out, std::string_view what) {
  require(out.find(what) == std::string::npos, "a secret is still there");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto in = text_of(data, size);
  const auto at = take_byte(in);
  const bool named = at & 1;
  recording::redactor r("key",
                        named ? std::vector<std::string>{"password"} : std::vector<std::string>{});
  r.know(by_value);
  const auto cut = in.empty() ? 0 : at % in.size();
  const auto before = in.substr(0, cut), behind = in.substr(cut);

  for (const auto secret : {by_value, std::string_view(by_looks)}) {
    const auto with = std::string(before) + std::string(secret) + std::string(behind);
    std::string out;
    r.text(out, with);
    r.document(out, with);
    r.url(out, with);
    r.form(out, with);
    r.token_answer(out, with, false);
    r.header_value(out, "X-Any", with);
    out += r.token(with);
    gone(out, secret);
    // What is written of it is one line of JSON, whatever it was.
    std::string line;
    recording::line(line, recording::kind::body, 0, 0, 0)
        .bytes(recording::field::body, out)
        .json(recording::field::token, r.token(with))
        .end();
    require(line.find('\n') == line.size() - 1, "it is more than one line");
    require(json::validate(line.substr(0, line.size() - 1)) == json::fault::none,
            "the line is no JSON");
  }

  // Basic credentials, whatever else is in them.
  const auto encoded = base64_encode(std::string(before) + std::string(by_value));
  std::string out;
  r.text(out, "Basic " + encoded);
  gone(out, encoded.substr(encoded.size() > 12 ? encoded.size() - 12 : 0));

  // By name, in JSON that stays JSON.
  const auto first = json::quoted(before), last = json::quoted(behind);
  const auto value = json::quoted(std::string(by_name) + std::string(behind));
  const auto body = "{\"a\":" + first + ",\"password\":" + value + ",\"b\":" + last + "}";
  recording::redactor all("key", {"password"});
  for (const auto& one : {body, "{\"c\":[" + json::quoted(body) + "]}", "data: " + body + "\n\n"}) {
    out.clear();
    all.text(out, one);
    gone(out, by_name);
  }
  out.clear();
  all.text(out, body);
  require(json::validate(out) == json::fault::none, "it is no JSON any more");
  return 0;
}
