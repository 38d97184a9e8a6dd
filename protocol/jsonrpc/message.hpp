#pragma once
/// JSON-RPC 2.0 messages as MCP uses them (MCP 2025-11-25 /basic): read without copying, written by
/// splicing. Views point into the text that was read; `id`, `params`, `result` and `error` are raw
/// JSON, exactly as the peer wrote them.
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/jsonrpc/watched_keys.hpp"

namespace gate::jsonrpc {

/// Error codes of JSON-RPC 2.0 §5.1.
inline constexpr int parse_error = -32700;
inline constexpr int invalid_request = -32600;
inline constexpr int method_not_found = -32601;
inline constexpr int invalid_params = -32602;
inline constexpr int internal_error = -32603;

enum class kind : std::uint8_t { request, notification, response };

struct message {
  jsonrpc::kind kind = kind::notification;
  std::string_view id;           ///< raw: `7` or `"a"`; empty when absent
  std::string_view method;       ///< its characters, escapes resolved; printable ASCII
  std::string_view params;       ///< raw object; empty when absent
  std::string_view result;       ///< raw, responses only
  std::string_view error;        ///< raw object, responses only
  std::string_view usage;        ///< `_meta.usage` of the result, raw; responses only
  std::string_view result_type;  ///< `resultType` of the result, raw; the first, if repeated
  // Members of `params` that routing needs, raw; empty when absent.
  std::string_view name;    ///< raw JSON string with its quotes; empty if it is none
  std::string_view uri;     ///< raw JSON string with its quotes; empty if it is none
  std::string_view cursor;  ///< raw value
  std::string_view ref;     ///< of completion/complete, raw value
  std::string_view ref_type, ref_name, ref_uri;  ///< its members, raw; empty if it is no object
  std::string_view meta;                         ///< `_meta`, raw object
  std::string_view arguments;                    ///< raw value
  std::string_view request_id;                   ///< `requestId` of notifications/cancelled, raw
  /// Raw JSON string with its quotes. Of a request: `taskId`. Of a response: the task that its
  /// result mints, by `task.taskId`, `_meta.task.taskId` or `resultType` "task" with `taskId`.
  std::string_view task_id;
  /// Holds `method` where it was written with escapes.
  std::shared_ptr<const std::string> resolved;
  result_members has;         ///< of `result`
  bool other_params = false;  ///< some of their keys are none of watched_keys.hpp
};

/// Who sent it. What clients send passes to servers that act upon it, so no member may be taken for
/// another there. What servers send passes to the client in its params only, and not at all if it
/// is a response, of which the result is cut out: what can not mislead anybody is let be.
enum class sender : std::uint8_t { client, server };

/// Why a text is not one valid message.
struct reading_error {
  int code = invalid_request;  ///< `parse_error` or `invalid_request`
  std::string what;            ///< a sentence
  /// The id, raw, if it could be read: the error answer carries it.
  std::string_view id;
};

/// Reads one message. Refused with `invalid_request`: `jsonrpc` other than "2.0"; an id that is
/// neither a string nor an integer (fractions and exponents included) or longer than
/// `limits::request_id_bytes`; params, `_meta` or error that are not objects; both or neither of
/// result and error in a response; a result without an id (an error may lack it, when the request's
/// could not be read); a method with blanks or bytes outside ASCII, or longer than
/// `limits::method_bytes`; duplicates of the keys in watched_keys.hpp at the top, in params and in
/// `params.ref` (a peer could read the other one: a policy bypass), however their letters are
/// escaped; and keys there that a peer could take for one of these. Of servers, such a key is
/// refused at the top of requests and notifications, as `_meta`, and beside the one it looks like.
/// Anything that is not JSON is a `parse_error`; so is an array (see `read_batch`).
boost::system::result<message, reading_error> read(std::string_view text, json::limits l = {},
                                                   sender from = sender::client);

/// True if the first byte after white space is `[`: a batch (MCP 2025-03-26 only).
bool is_batch(std::string_view text) noexcept;

/// Splits a batch into its elements, raw. At most `limits::batch_length`; empty arrays are refused.
/// Elements are valid JSON but not yet valid messages.
boost::system::result<std::vector<std::string_view>, reading_error> read_batch(
    std::string_view text, json::limits l = {});

/// `{"jsonrpc":"2.0","id":ID,"result":` … what goes before a result; the caller adds the raw result
/// and `}`. With `error`, the same for an error object.
std::string result_head(std::string_view raw_id);
std::string error_head(std::string_view raw_id);

/// A whole error answer. `raw_id` may be empty: then the member is left out (never null: official
/// clients refuse null). `data` is raw JSON or empty.
std::string error_message(std::string_view raw_id, int code, std::string_view text,
                          std::string_view data = {});

/// A whole request or notification; `raw_id` empty makes a notification, `params` empty leaves the
/// member out.
std::string request(std::string_view raw_id, std::string_view method, std::string_view params = {});

[[noreturn]] inline void throw_exception_from_error(const reading_error& e,
                                                    const boost::source_location&) {
  throw std::runtime_error(e.what);
}

}  // namespace gate::jsonrpc
