#pragma once
/// The keys by which messages are judged, and what may not stand beside them. Decoders exist that
/// match keys without regard to letter case and take the last one (Go's encoding/json), and some
/// end a text at U+0000: to them `Name`, `nam\u0045` or `name\u0000` is `name`. Whoever let such a
/// key through would judge one message and pass on another. Pure; asked by `jsonrpc::read`.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gate::jsonrpc {

enum top : unsigned { top_jsonrpc, top_id, top_method, top_params, top_result, top_error };
inline constexpr std::array<std::string_view, 6> top_names{"jsonrpc", "id",     "method",
                                                           "params",  "result", "error"};

/// Of `params`, its first level: all that the gateway decides by, and what upstreams act upon.
enum param : unsigned {
  param_name,
  param_uri,
  param_meta,
  param_arguments,
  param_cursor,
  param_request_id,
  param_ref,
  param_task_id,
  param_level,
  param_progress_token,
  param_protocol_version,
  param_capabilities,
  param_client_info
};
inline constexpr std::array<std::string_view, 13> param_names{
    "name",   "uri",   "_meta",         "arguments",       "cursor",       "requestId", "ref",
    "taskId", "level", "progressToken", "protocolVersion", "capabilities", "clientInfo"};

enum ref_part : unsigned { ref_type, ref_name, ref_uri };
inline constexpr std::array<std::string_view, 3> ref_names{"type", "name", "uri"};

/// Of `result`: what the gateway notes on the way over it.
enum result_part : std::size_t {
  result_meta,
  result_task,
  result_type,
  result_task_id,
  result_ttl,
  result_scope,
  result_failed
};
inline constexpr std::array<std::string_view, 7> result_names{
    "_meta", "task", "resultType", "taskId", "ttlMs", "cacheScope", "isError"};

/// Which members a result has, of those that are asked for before it is passed on.
struct result_members {
  bool noted = false;  ///< else nothing is known of it
  bool any = false;
  bool type = false, ttl = false, scope = false, meta = false;
  bool failed = false;  ///< `isError` is true
};

struct watched {
  enum class likeness : std::uint8_t {
    none,   ///< a key of somebody else
    same,   ///< it is that name, however its letters are escaped
    alike,  ///< some decoder takes it for that name
    nul,    ///< it contains U+0000, so what it is taken for nobody knows
  } how = likeness::none;
  std::size_t place = 0;  ///< among the names; with `same` and `alike`
};

/// What a raw key (the bytes between its quotes) is to `names`. Alike are keys that equal a name
/// after Unicode simple case folding: its ASCII letters in either case, U+212A for `k`, U+017F for
/// `s`.
watched look_up(std::string_view raw_key, std::span<const std::string_view> names);

/// Which of `names` it is, however its letters are escaped; `names.size()`: none of them.
std::size_t find_same(std::string_view raw_key, std::span<const std::string_view> names) noexcept;

}  // namespace gate::jsonrpc
