#pragma once
/// application/x-www-form-urlencoded, as OAuth uses it (RFC 6749 appendix B).
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/base/result.hpp"

namespace gate::oauth {

using form = std::vector<std::pair<std::string, std::string>>;

/// Refused: more than `limits::form_fields` fields, a name twice (RFC 6749 §3.2), a bad percent
/// escape, text that is not UTF-8.
result<form> read_form(std::string_view body);
/// The field's value; empty if it is absent (RFC 6749 §3.1: without a value is like omitted).
std::string_view field(const form& f, std::string_view name) noexcept;
/// Appends `name=value`, escaped, with `&` before all but the first.
void append_field(std::string& out, std::string_view name, std::string_view value);

/// `Basic` credentials of a token request (RFC 6749 §2.3.1: both parts are form-encoded first).
std::string basic_credentials(std::string_view client_id, std::string_view secret);
/// The client id of an `Authorization: Basic` value; an error if it is malformed.
result<std::string> basic_client(std::string_view authorization);

}  // namespace gate::oauth
