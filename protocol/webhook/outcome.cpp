#include "protocol/webhook/outcome.hpp"

#include <algorithm>

#include "protocol/http/retry_after.hpp"
#include "protocol/limits/webhooks.hpp"

namespace gate::webhook {
namespace {

ending ending_of(int code) {
  if (code >= 200 && code <= 299) return ending::success;
  if (code >= 300 && code <= 399) return ending::redirect;
  if (code == 410) return ending::gone;
  if (code == 429 || (code >= 502 && code <= 504)) return ending::throttled;
  return ending::rejected;
}

std::string sentence_of(ending end, int code) {
  auto answered = "the receiver answered " + std::to_string(code);
  if (const auto words = status_text(code); !words.empty()) (answered += ' ') += words;
  switch (end) {
    case ending::success:
      return {};
    case ending::gone:
      return answered + ": it wants no more deliveries";
    case ending::redirect:
      return answered + ": redirects are not followed";
    case ending::throttled:
    case ending::rejected:
      return answered;
    case ending::timeout:
      return "the receiver did not answer in time";
    case ending::unresolved:
      return "the host has no address";
    case ending::forbidden:
      return "the host must not be called";
    case ending::refused:
      return "no connection to the receiver";
    case ending::tls:
      return "no trusted TLS connection to the receiver";
    case ending::cut:
      return "the connection ended before the answer did";
    case ending::malformed:
      break;
  }
  return "the receiver's answer is not HTTP, or has no end";
}

struct status_row {
  int code;
  std::string_view words;
};
constexpr status_row statuses[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {207, "Multi-Status"},
    {208, "Already Reported"},
    {226, "IM Used"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {305, "Use Proxy"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {424, "Failed Dependency"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {506, "Variant Also Negotiates"},
    {507, "Insufficient Storage"},
    {508, "Loop Detected"},
    {511, "Network Authentication Required"},
};

}  // namespace

outcome of_answer(int code, std::string_view retry_after, wall_time now) {
  outcome out{ending_of(code), code, {}, {}};
  out.error = sentence_of(out.end, code);
  if (out.end == ending::throttled && !retry_after.empty())
    if (const auto wait = http::read_retry_after(retry_after, now))
      out.retry_after = std::min(*wait, limits::webhook_retry_after_most);
  return out;
}

outcome of_failure(ending end, std::string_view why) {
  outcome out{end, 0, sentence_of(end, 0), {}};
  if (!why.empty()) (out.error += ": ") += why;
  out.error.resize(cut_off(out.error, limits::webhook_error_bytes).size());
  return out;
}

std::string_view cut_off(std::string_view text, std::size_t most) noexcept {
  if (text.size() <= most) return text;
  const auto goes_on = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; };
  auto end = most;
  while (end > 0 && most - end < 3 && goes_on(text[end])) --end;
  return text.substr(0, goes_on(text[end]) ? most : end);
}

std::string_view status_text(int code) noexcept {
  const auto* at = std::ranges::lower_bound(statuses, code, {}, &status_row::code);
  return at != std::end(statuses) && at->code == code ? at->words : std::string_view{};
}

}  // namespace gate::webhook
