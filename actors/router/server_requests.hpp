#pragma once
/// What upstreams ask of clients (MCP server requests: sampling, elicitation, roots, ping), and
/// what clients answer. Part of ROUTER.
#include <string_view>

#include "actors/router/unit.hpp"
#include "protocol/jsonrpc/message.hpp"

namespace gate::routing {

class client_streams;
class suspended_calls;

class server_requests final : public pipeline::request_desk {
 public:
  server_requests(unit& u, client_streams& streams, suspended_calls& suspensions)
      : unit_(u), streams_(streams), suspensions_(suspensions) {}

  std::optional<answered_request> answer(sessions::client_session& s, const jsonrpc::message& m,
                                         std::shared_ptr<const void> keep) override;
  bool pass_progress(sessions::client_session& s, const jsonrpc::message& m) override;

  /// An upstream asks; and takes that back.
  void on_server_request(server_request& m);
  void on_server_request_cancelled(const server_request_cancelled& m);
  /// What was asked within this call (0: of no call) is answered in the client's place, so that the
  /// upstream need not wait for nobody.
  void refuse(sessions::client_session& s, std::uint64_t call);
  /// The call has left.
  void forget(pipeline::call& c);

 private:
  void refuse(sessions::client_session::question q, std::string_view why,
              int code = jsonrpc::internal_error);

  unit& unit_;
  client_streams& streams_;
  suspended_calls& suspensions_;  ///< who has no session is asked by these
};

}  // namespace gate::routing
