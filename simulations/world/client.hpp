#pragma once
/// An MCP client of the session generation, on the stage: what it sends goes to one gateway, or to
/// one after the other.
#include <string>
#include <string_view>
#include <vector>

#include "protocol/json/scan.hpp"
#include "simulations/world/fake_exchange.hpp"

namespace gate::sim {

/// Where requests go.
class front {
 public:
  /// Puts a request into ROUTER's mailbox.
  virtual receipt_ptr arrive(http_request request, std::size_t unit = 0,
                             std::string peer = "127.0.0.1") = 0;

 protected:
  ~front() = default;
};

class client {
 public:
  explicit client(front& w, std::size_t unit = 0) : world_(&w), unit_(unit) {}
  /// Another gateway, from now on.
  client& turn_to(front& w) {
    world_ = &w;
    return *this;
  }

  /// initialize and notifications/initialized; a complaint if that does not work at once.
  client& initialize(std::string_view version = "2025-11-25");

  receipt_ptr post(std::string body) { return send(verb::post, std::move(body)); }
  receipt_ptr get() { return send(verb::get, {}); }
  receipt_ptr end() { return send(verb::del, {}); }
  receipt_ptr request(std::string_view raw_id, std::string_view method,
                      std::string_view params = {});
  receipt_ptr notify(std::string_view method, std::string_view params = {});
  receipt_ptr call(std::string_view raw_id, std::string_view name,
                   std::string_view more_params = {});
  receipt_ptr list(std::string_view raw_id, std::string_view cursor = {});
  receipt_ptr cancel(std::string_view raw_id);

  /// What the POSTs carry; change it to be a bad client.
  std::string session;
  std::string version;
  std::string host = "localhost";
  std::string accept = "application/json, text/event-stream";
  std::string content_type = "application/json";
  std::string path = "/mcp";
  std::vector<std::string> more_headers;
  std::string token;               ///< Bearer; empty: none
  std::string peer = "127.0.0.1";  ///< where it is
  std::string capabilities = "{}";
  bool header_first = false;  ///< bodies are brought by `instance::bring_body`

 private:
  receipt_ptr send(verb method, std::string body);

  front* world_;
  std::size_t unit_;
};

/// The raw value of a path of members in a JSON text: `at(line, "result", "tools")`.
template <class... Keys>
std::string at(std::string_view text, Keys... keys) {
  ((text = json::member(text, keys)), ...);
  return std::string(text);
}

/// The error response for an upstream that could not answer.
std::string unavailable(std::string_view id, std::string_view upstream, std::string_view why);

}  // namespace gate::sim
