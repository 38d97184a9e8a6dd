// Heads, hosts, origins, media types and URLs: nothing ambiguous passes.
#include <algorithm>
#include <string>
#include <vector>

#include "protocol/http/allowlist.hpp"
#include "protocol/http/media.hpp"
#include "protocol/http/request_gate.hpp"
#include "protocol/http/url.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;

namespace {

/// Takes a prefix that ends with `end` off `text`; all of it if there is no such end.
std::string_view until(std::string_view& text, std::string_view end) {
  auto at = text.find(end);
  auto head = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + end.size());
  return head;
}

/// A head as a lenient parser might hand it over.
void request(std::string_view block) {
  auto rest = block;
  auto line = until(rest, "\n");
  http::request_head head;
  head.method = until(line, " ");
  head.target = until(line, " ");
  head.version = line.starts_with("HTTP/1.0") ? 10 : 11;
  head.block = block;
  std::vector<http::header> headers;
  while (!rest.empty()) {
    auto field = until(rest, "\n");
    if (field.ends_with('\r')) field.remove_suffix(1);
    if (field.empty()) break;
    auto name = until(field, ":");
    while (field.starts_with(' ')) field.remove_prefix(1);
    headers.push_back({name, field});
  }
  head.headers = headers;
  auto verdict = http::check(head);
  require(!http::describe(verdict).empty(), "a defect without a sentence");
  if (verdict != http::defect::none) return;
  auto count = [&](std::string_view name) {
    return std::ranges::count_if(headers, [&](auto& h) { return http::same_name(h.name, name); });
  };
  require(count("host") == 1, "not one host");
  require(count("content-length") + count("transfer-encoding") <= 1, "two framings");
  require(head.target.starts_with('/'), "not a path");
  require(block.ends_with("\r\n\r\n") && block.find("\r\n\r\n") == block.size() - 4, "two blocks");
  require(block.find("\r\n ") == block.npos && block.find("\r\n\t") == block.npos, "folded");
  require(std::ranges::count(block, '\r') == std::ranges::count(block, '\n'), "a bare line end");
  require(block.find('\0') == block.npos, "a null byte");
}

void url(std::string_view text) {
  auto u = http::parse_url(text);
  if (u.has_error()) return require(!u.error().what.empty(), "a refusal without a reason");
  require(u->target.starts_with('/') && u->port != 0 && !u->host.empty(), "a part is missing");
  auto again = http::parse_url(u->origin() + u->target);
  require(again.has_value() && again->host == u->host && again->port == u->port &&
              again->tls == u->tls && again->target == u->target &&
              again->loopback() == u->loopback(),
          "a URL reads differently");
  http::allowlist own({u->host});
  require(own.host(u->authority()) && own.origin(u->origin()), "a host is not on its own list");
}

void lists(std::string_view text) {
  http::allowlist local;
  bool host = local.host(text);
  require(host == local.origin("http://" + std::string(text)), "Host and Origin differ");
  require(!host || text.find_first_not_of("localhstLOCALHST0123456789.:[]") == text.npos,
          "a strange host");
  require(!local.origin(text) || text.find("://") != text.npos, "an origin without a scheme");
  http::accepts(text, "application/json");
  http::is_media_type(text, "application/json");
  require(http::accepts(std::string(text.substr(0, text.find('"'))) + ",application/json",
                        "application/json") ||
              text.find(';') != text.npos,
          "an exact entry without a weight is not accepted");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = text_of(data, size);
  request(text);
  url(text);
  lists(text);
  return 0;
}
