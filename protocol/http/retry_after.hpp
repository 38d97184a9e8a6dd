#pragma once
/// `Retry-After` (RFC 9110 §10.2.3) as somebody else says it.
#include <chrono>
#include <optional>
#include <string_view>

namespace gate::http {

/// How long from `now`: seconds, or a date in the one form that is still written (IMF-fixdate,
/// §5.6.7). Never negative; nothing if it is in no such form.
std::optional<std::chrono::seconds> read_retry_after(std::string_view text,
                                                     std::chrono::system_clock::time_point now);

}  // namespace gate::http
