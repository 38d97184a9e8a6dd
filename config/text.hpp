#pragma once
/// Rules about single strings of the configuration document, shared by reader, schema and
/// validation.
#include <string>
#include <string_view>

#include "config/describe.hpp"

namespace gate::config {

/// Does `value` have the form `kind` demands?
bool fits(text kind, std::string_view value);
/// The demand in words ("must not be empty"), for messages. Empty for text::free.
std::string_view demand(text kind);
/// The demand as a regular expression (ECMA 262), for the schema. Empty if none is needed.
std::string_view pattern(text kind);

/// RFC 9110 token: a header name, an authentication scheme.
bool is_token(std::string_view value);
/// A header value without CR, LF or other control characters.
bool is_header_value(std::string_view value);
/// RFC 6749 scope-token.
bool is_scope(std::string_view value);
/// A bare host name or address, without scheme, port, path or wildcard.
bool is_host(std::string_view value);

}  // namespace gate::config
