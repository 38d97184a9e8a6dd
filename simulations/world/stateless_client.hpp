#pragma once
/// An MCP client of the stateless generation, on the stage.
#include <string>
#include <string_view>
#include <vector>

#include "simulations/world/world.hpp"

namespace gate::sim {

class stateless_client {
 public:
  explicit stateless_client(front& w, std::size_t unit = 0) : world_(&w), unit_(unit) {}

  /// A request as it has to be: envelope and headers say the same. `more`: raw members of the
  /// params.
  receipt_ptr request(std::string_view raw_id, std::string_view method, std::string_view more = {});
  receipt_ptr call(std::string_view raw_id, std::string_view name, std::string_view more = {});
  /// A body as it is, with the headers that are set.
  receipt_ptr post(std::string body, const std::vector<std::string>& more_headers = {});
  receipt_ptr send(verb method, std::string body, const std::vector<std::string>& more_headers);

  /// What requests carry; change it to be a bad client.
  std::string version = "2026-07-28";        ///< in the header
  std::string named_version = "2026-07-28";  ///< in the envelope
  std::string capabilities = "{}";           ///< raw
  std::string more_meta;                     ///< raw members, each with a comma before it
  std::string accept = "application/json, text/event-stream";
  std::string content_type = "application/json";
  std::vector<std::string> more_headers;
  std::string token;               ///< Bearer; empty: none
  std::string peer = "127.0.0.1";  ///< where it is

 private:
  front* world_;
  std::size_t unit_;
};

}  // namespace gate::sim
