#pragma once
/// The headers that repeat what a request of the stateless generation says (MCP 2026-07-28
/// /basic/transports/streamable-http, Headers): intermediaries go by them, so a request whose
/// header says something else than its body is refused. Decisions are made by the body alone. Pure;
/// stage 4 of the pipeline asks.
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "protocol/base/pen.hpp"
#include "protocol/http/received_head.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/methods.hpp"

namespace gate::mcp::stateless {

/// The code (raw) of the error that says so.
inline constexpr std::string_view header_mismatch = "-32020";

/// The value of a header as its sender means it: `=?base64?…?=` holds what a header can not carry
/// as it is. Nothing if that is not Base64 (RFC 4648 §4).
std::optional<std::string> header_value(std::string_view raw);

/// The task that a request is about by its headers, if they say that it is about one. (What its
/// body says counts; that it says the same is seen to in stage 4.)
std::optional<std::string> task_named_in(std::span<const http::header> headers);

/// The text as the value of such a header: as it is, or coded.
std::string as_header_value(std::string_view text);
/// The header lines of a request, each with its CRLF. `name`: what it names, where its method has a
/// row that is about something by name; empty: nothing.
void write_header_lines(pen& to, std::string_view method, std::string_view name);

/// `Mcp-Method` is the request's method, and `Mcp-Name` what it names, where its method has a row
/// that is about something by name. Else a sentence that says which header is wrong. `m` null: the
/// method is not known.
std::optional<std::string> disagreement(const http::received_head& head,
                                        const jsonrpc::message& request, const method* m);

}  // namespace gate::mcp::stateless
