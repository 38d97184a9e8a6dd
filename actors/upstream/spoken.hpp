#pragma once
/// What an upstream says, as a message. Text that is not UTF-8 is no JSON (RFC 8259 §8.1), and a
/// client that spoke to the upstream itself could not read it either: such an answer is none. Pure;
/// asked by SESSION.
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {

inline auto read_message(std::string_view text) {
  return jsonrpc::read(text, {limits::upstream_json_depth, true}, jsonrpc::sender::server);
}

/// Whatever bytes its strings hold: to know what it was meant to be.
inline auto read_any_bytes(std::string_view text) {
  return jsonrpc::read(text, {limits::upstream_json_depth, false}, jsonrpc::sender::server);
}

/// Is it the response to our request `id`, as far as it can be read at all?
inline bool meant_as_answer(std::string_view text, std::uint64_t id) {
  const auto m = read_any_bytes(text);
  return m && m->kind == jsonrpc::kind::response && m->id == std::to_string(id);
}

}  // namespace gate::upstream
