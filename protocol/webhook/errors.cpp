#include "protocol/webhook/errors.hpp"

#include <array>

#include "protocol/webhook/writer.hpp"

namespace gate::webhook {
namespace {

constexpr std::array<error_row, 12> error_rows{{
    {"VALIDATION_ERROR", 400},
    {"AUTH_REQUIRED", 401},
    {"AUTH_INVALID", 401},
    {"FORBIDDEN", 403},
    {"NOT_FOUND", 404},
    {"METHOD_NOT_ALLOWED", 405},
    {"CONFLICT", 409},
    {"PAYLOAD_TOO_LARGE", 413},
    {"UNSUPPORTED_MEDIA_TYPE", 415},
    {"RATE_LIMITED", 429},
    {"INTERNAL_ERROR", 500},
    {"UNAVAILABLE", 503},
}};
constexpr std::array<std::string_view, 4> locus_names{"", "pointer", "parameter", "header"};

}  // namespace

const error_row& row_of(error_code c) noexcept {
  return error_rows[static_cast<std::size_t>(c)];
}

std::string render(const api_error& e) {
  std::string out;
  object_writer w(out);
  w.text("error", e.error);
  w.text("code", row_of(e.code).name);
  if (e.in != locus::nowhere) {
    object_writer details(w.key("details"));
    details.text(locus_names[static_cast<std::size_t>(e.in)], e.where);
    details.end();
  }
  if (!e.hint.empty()) w.text("hint", e.hint);
  w.end();
  return out;
}

}  // namespace gate::webhook
