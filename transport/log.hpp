#pragma once
/// The operational log: sentences on standard error, as text or as one JSON object a line. Any
/// thread. It carries no per-request accounting (that is the audit trail) and never a secret.
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace gate::log {

/// `off` is no level of a line: nothing is written then.
enum class level : std::uint8_t { debug, info, warn, error, off };
enum class format : std::uint8_t { text, json };

/// One without a key is none: what is not known is not said.
struct field {
  std::string_view key;
  std::string value;
};

/// For the whole process; what was chosen last holds. Without it: text, info.
void init(format f, level least);

bool enabled(level l) noexcept;
void write(level l, std::string_view sentence, std::initializer_list<field> fields = {});

inline void debug(std::string_view s, std::initializer_list<field> f = {}) {
  if (enabled(level::debug)) write(level::debug, s, f);
}
inline void info(std::string_view s, std::initializer_list<field> f = {}) {
  write(level::info, s, f);
}
inline void warn(std::string_view s, std::initializer_list<field> f = {}) {
  write(level::warn, s, f);
}
inline void error(std::string_view s, std::initializer_list<field> f = {}) {
  write(level::error, s, f);
}

/// Where a line goes instead of standard error; for tests. Null restores standard error.
using sink = void (*)(std::string_view line);
void redirect(sink s) noexcept;

}  // namespace gate::log
