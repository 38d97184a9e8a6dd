#pragma once
/// One thing that is wrong with a configuration document: where, as a JSON pointer (RFC 6901), and
/// what, as a sentence that says what to do. Sentences never quote values that may be secrets.
#include <string>
#include <string_view>

namespace gate::config {

struct config_problem {
  std::string pointer;  ///< empty for the document as a whole
  std::string what;
  bool operator==(const config_problem&) const = default;
};

/// One line for standard error: `/upstreams/0/id: required field is missing`, or
/// `not supported by this build: /tenants`.
std::string to_line(const config_problem& p);

/// `base` + `/` + `key`, with `~` and `/` in `key` escaped. Of a key that is longer than any field
/// (`limits::pointer_key_bytes`) only the beginning, and `...`.
std::string join_pointer(std::string_view base, std::string_view key);

}  // namespace gate::config
