#include "actors/console/page.hpp"

#include <algorithm>

#include "protocol/http/ascii.hpp"

namespace gate::console {
namespace {

constexpr std::string_view root = "/console";

/// What follows `/console/`; `path` begins so.
std::string_view below(std::string_view path) {
  return path.substr(root.size() + 1);
}

/// Weak comparison: of a list of tags, or of any. What is between quotes is hexadecimal, so it can
/// not be a part of something else.
bool has_it(std::span<const http::header> request, std::string_view digest) {
  const auto asked = http::find(request, "if-none-match");
  return http::trim(asked) == "*" ||
         asked.find('"' + std::string(digest) + '"') != std::string_view::npos;
}

}  // namespace

const asset* find_asset(files of, std::string_view path) {
  if (path.empty()) path = "index.html";
  const auto found = std::ranges::lower_bound(of, path, {}, &asset::path);
  return found != of.end() && found->path == path ? &*found : nullptr;
}

bool is_there(files of, std::string_view path) {
  if (path == root) return true;
  return path.starts_with(root) && path.substr(root.size()).starts_with('/') &&
         find_asset(of, below(path));
}

bool takes_gzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    auto entry = accept_encoding.substr(0, accept_encoding.find(','));
    accept_encoding.remove_prefix(std::min(entry.size() + 1, accept_encoding.size()));
    const auto coding = http::trim(entry.substr(0, entry.find(';')));
    if (!http::same_text(coding, "gzip")) continue;
    const auto quality = entry.find("q=");
    // `q=0`, `q=0.0`…: not wanted.
    return quality == std::string_view::npos ||
           http::trim(entry.substr(quality + 2)).find_first_not_of("0.") != std::string_view::npos;
  }
  return false;
}

std::string policy_with(std::string_view further) {
  std::string out = "default-src 'self'; connect-src 'self'";
  if (!further.empty()) (out += ' ') += further;
  return out +=
         "; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
         "require-trusted-types-for 'script'; trusted-types lit-html";
}

page answer(files of, std::string_view path, std::span<const http::header> request,
            std::string_view further) {
  // No `..`: a reverse proxy may have put the program below a path of its own.
  if (path == root) return {308, {}, "Location: console/\r\n", {}};
  const auto* file = find_asset(of, below(path));
  page out{200, file->type, {}, file->plain};
  out.headers = "Content-Security-Policy: " + policy_with(further) +
                "\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
                "X-Content-Type-Options: nosniff\r\nCross-Origin-Opener-Policy: same-origin\r\n"
                "Cross-Origin-Resource-Policy: same-origin\r\n"
                // Whoever has it asks whether it is still the same: after an update of the program
                // no file may meet one of another version.
                "Cache-Control: no-cache\r\nVary: Accept-Encoding\r\nETag: W/\"";
  out.headers.append(file->digest).append("\"\r\n");
  if (has_it(request, file->digest)) return {304, {}, std::move(out.headers), {}};
  if (takes_gzip(http::find(request, "accept-encoding"))) {
    out.body = file->packed;
    out.headers += "Content-Encoding: gzip\r\n";
  }
  return out;
}

}  // namespace gate::console
