#pragma once
/// A whole shim on a stage: SHIM and all that it spawns, in front of a fake INGRESS and simulated
/// children. Clients send arrivals and keep receipts; a child does what the test says; time is
/// virtual and randomness seeded.
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shim/shim_actor.hpp"
#include "simulations/world/actor_stage.hpp"
#include "simulations/world/fake_exchange.hpp"

namespace gate::sim {

/// A child without a process, and what it was told. The test speaks for it.
struct fake_child {
  std::string label;
  child_user user;
  child_handle handle;
  std::vector<std::string> heard;  ///< lines of its standard input, without LF
  bool input_closed = false;
  std::size_t terminated = 0, killed = 0;
  bool reading = true;  ///< its output is read; false until the last lines were dealt with
  std::vector<std::string> misuse;
};
using fake_child_ptr = std::shared_ptr<fake_child>;

struct shim_options {
  std::size_t max_sessions = 64;
  std::string token{};
  bool any_host = false;
};

class shim_world : public actor_stage {
 public:
  explicit shim_world(shim_options o = {});
  ~shim_world() override;

  // --- clients
  receipt_ptr arrive(http_request request);
  /// The rest of a request of which the header came first (`http_request::body_follows`).
  void bring_body(const receipt_ptr& r, http::defect flaw = http::defect::none);
  /// The client closes its connection.
  void leave(const receipt_ptr& r);
  receipt_ptr post(std::string body, const std::string& session = {},
                   std::vector<std::string> more = {});
  receipt_ptr get(const std::string& session, std::vector<std::string> more = {});
  receipt_ptr end(const std::string& session);
  receipt_ptr fetch(std::string_view path);
  /// A whole handshake with a new child; its session id.
  std::string open(std::string_view version = "2025-11-25");

  // --- children, in the order they were asked for
  std::size_t children() const { return children_->size(); }
  fake_child& child(std::size_t i) { return *children_->at(i); }
  fake_child& latest() { return *children_->back(); }
  void start(fake_child& c);
  void fail(fake_child& c, std::string why);
  void say(fake_child& c, std::vector<std::string> lines);
  void close_output(fake_child& c);
  void take(fake_child& c, std::size_t bytes) { tell(c.user, child_took{bytes}); }
  /// It was found to have closed its standard input.
  void turn_deaf(fake_child& c) { tell(c.user, child_took{1, true}); }
  void exit(fake_child& c, int status = 0, bool by_signal = false);
  /// Nothing is left of it.
  void vanish(fake_child& c);

  void stop() { tell(shim_, stop_requested{}); }
  /// The connections of all clients have ended.
  void drained();
  bool stopped() const { return stopped_.has_value(); }
  /// It stopped because no child could be started any more.
  bool stopped_in_need() const { return stopped_ == false; }
  /// CHILDREN ends, as it does when KEEPER was killed.
  void lose_children() { crash(children_actor_); }
  double metric(std::string_view sample) const;
  static std::size_t logged(std::string_view part);
  bool header_first = false;  ///< of POSTs: their bodies are brought by `bring_body`

 private:
  struct ingress_state {
    arrivals_handle router;
    std::optional<caf::typed_response_promise<gate::drained>> draining;
    bool cut = false;
  };
  class fake_ingress;
  class fake_children;
  class child_mouth;

  std::shared_ptr<ingress_state> ingress_ = std::make_shared<ingress_state>();
  std::shared_ptr<std::vector<fake_child_ptr>> children_ =
      std::make_shared<std::vector<fake_child_ptr>>();
  caf::actor ingress_actor_;
  std::shared_ptr<metrics> metrics_ = std::make_shared<metrics>(metric::stdio_build_info);
  shim::shim_handle shim_;
  std::uint64_t next_number_ = 1;
  children_handle children_actor_;
  std::optional<bool> stopped_;  ///< how
};

/// `initialize`, as a client says it, and the server's answer.
std::string initialize(std::string_view raw_id = "0", std::string_view version = "2025-11-25");
std::string initialized(std::string_view raw_id = "0", std::string_view version = "2025-11-25");

}  // namespace gate::sim
