#pragma once
/// What the API of `gate-hooks` refuses: `{"error","code","details"?,"hint"?}`, a sentence, a word
/// for programs, where it is, and what to do. Pure.
#include <array>
#include <boost/system/result.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gate::webhook {

enum class error_code : std::uint8_t {
  validation,          ///< 400
  auth_required,       ///< 401
  auth_invalid,        ///< 401
  forbidden,           ///< 403
  not_found,           ///< 404; what belongs to others is not found, too
  method_not_allowed,  ///< 405
  timeout,             ///< 408: the request took too long to arrive
  conflict,            ///< 409
  too_large,           ///< 413
  media_type,          ///< 415
  rate_limited,        ///< 429
  internal,            ///< 500
  unavailable,         ///< 503: the store does not answer
};

struct error_row {
  std::string_view name;
  int status;
};
inline constexpr std::array error_rows{
    // clang-format off
    error_row{"VALIDATION_ERROR", 400},
    error_row{"AUTH_REQUIRED", 401},
    error_row{"AUTH_INVALID", 401},
    error_row{"FORBIDDEN", 403},
    error_row{"NOT_FOUND", 404},
    error_row{"METHOD_NOT_ALLOWED", 405},
    error_row{"REQUEST_TIMEOUT", 408},
    error_row{"CONFLICT", 409},
    error_row{"PAYLOAD_TOO_LARGE", 413},
    error_row{"UNSUPPORTED_MEDIA_TYPE", 415},
    error_row{"RATE_LIMITED", 429},
    error_row{"INTERNAL_ERROR", 500},
    error_row{"UNAVAILABLE", 503},
    // clang-format on
};
constexpr const error_row& row_of(error_code c) noexcept {
  return error_rows[static_cast<std::size_t>(c)];
}

/// What `details` names: `{"pointer":"/url"}` (RFC 6901, of the body), `{"parameter":"limit"}`,
/// `{"header":"Idempotency-Key"}`.
enum class locus : std::uint8_t { nowhere, pointer, parameter, header };

struct api_error {
  error_code code = error_code::validation;
  std::string error;  ///< a sentence without a full stop; never a secret
  locus in = locus::nowhere;
  std::string where;  ///< empty with `locus::pointer`: the body as a whole
  std::string hint;

  bool operator==(const api_error&) const = default;
};

[[noreturn]] inline void throw_exception_from_error(const api_error& e,
                                                    const boost::source_location&) {
  throw std::runtime_error(e.error);
}

template <class T>
using checked = boost::system::result<T, api_error>;

/// The body of the answer.
std::string render(const api_error& e);

}  // namespace gate::webhook
