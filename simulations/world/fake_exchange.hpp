#pragma once
/// A client's request without a socket. The gateway gets a `fake_exchange`; whoever asked keeps its
/// `receipt`, where everything that the client would have seen is written down.
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transport/interfaces.hpp"

namespace gate::sim {

struct receipt {
  std::uint64_t number = 0;
  std::size_t unit = 0;
  std::string peer;  ///< the client's address
  // The response.
  int status = 0;
  std::string content_type, headers, body;
  bool close = false;
  // The event stream.
  std::string stream;
  bool streaming = false;
  bool stream_ended = false;
  /// Complete responses and ended streams: exactly one, in the end.
  int endings = 0;
  /// The body of a request whose header comes first; it comes when it was asked for.
  std::string body_to_come;
  bool body_asked = false;
  bool known = false;              ///< its sender, when it was asked for
  http_request* unread = nullptr;  ///< where it belongs
  bool dropped = false;            ///< the gateway let go of it without an answer
  bool alive = true;               ///< false: the client is gone
  /// Bytes that it has yet to take; the most that there were; and whether it takes any.
  std::size_t queued = 0, most_queued = 0;
  bool reads = true;
  bool hides_backlog = false;  ///< the gateway is told that it has taken all
  /// Bytes of the stream that this client takes before it is cut off as too slow.
  std::size_t room = std::numeric_limits<std::size_t>::max();
  /// Has it arrive at another unit; false: there is none of this number. Null: it can not.
  std::function<bool(std::uint8_t unit, http_request&& request)> move;
  int moves = 0;
  /// Uses of the exchange that its contract forbids.
  std::vector<std::string> misuse;

  bool done() const { return endings > 0 || dropped || !alive; }
  /// Value of a response header, or empty.
  std::string header(std::string_view name) const;
  /// Data of the complete events of the stream, in order, as a client dispatches them.
  std::vector<std::string> events() const;
  /// The latest message, however it came; empty if there is none.
  std::string last() const;
};
using receipt_ptr = std::shared_ptr<receipt>;

class fake_exchange final : public exchange {
 public:
  fake_exchange(receipt_ptr r, http_request request);
  ~fake_exchange() override;

  const http_request& request() const override { return request_; }
  bool read_body(bool known) override;
  bool move_to(std::uint8_t unit, std::shared_ptr<passage> by) override;
  void respond(const response_head& head, std::initializer_list<std::string_view> body) override;
  void open_stream(std::string_view headers) override;
  bool send(std::string_view bytes) override;
  std::size_t queued() const override { return receipt_->hides_backlog ? 0 : receipt_->queued; }
  void end_stream() override;
  bool alive() const override { return !moved_ && receipt_->alive; }
  std::uint64_t number() const override { return receipt_->number; }
  std::string_view peer() const override { return receipt_->peer; }

 private:
  receipt_ptr receipt_;
  http_request request_;
  bool moved_ = false;
};

/// A request as INGRESS would deliver it: `headers` are views into the raw block. `lines` are
/// header lines without CRLF. A request that the strict gate refuses is not looked up: `refused`.
http_request make_request(verb method, std::string_view target,
                          const std::vector<std::string>& lines, std::string body = {},
                          bool refused = false);
/// Its head alone: clients send one again and again, and INGRESS knows it again.
http::head_ptr make_head(verb method, std::string_view target,
                         const std::vector<std::string>& lines, bool refused = false);

}  // namespace gate::sim
