#pragma once
/// What comes over a client's connection: one request at a time is taken apart, and what comes
/// before its turn is kept, within bounds. A request whose body is large, or held back, is taken in
/// two steps: its header, then, if somebody wants it, the rest. Pure. Part of a connection, and
/// moves to another unit with it.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "transport/http/request_reader.hpp"

namespace gate::http {

class request_intake {
 public:
  /// `most`: bytes of a body.
  explicit request_intake(std::size_t most) : most_(most) {}

  /// Should more be read now? Of a body that nobody has asked for yet no more is taken in than
  /// shows that its client is there.
  bool has_room(bool judging) const;
  /// It is not its turn yet.
  void keep(std::string_view bytes) { ahead_.append(bytes); }
  bool keeps() const { return !ahead_.empty(); }
  /// These, behind what was kept. True: with them a body begins. `known`: to its unit.
  bool feed(std::string_view bytes, const known_heads& known);

  // Of the request that `feed` has begun.
  bool done() const { return reader_->done(); }
  bool in_body() const { return reader_ && reader_->in_body(); }
  std::size_t body_bytes() const { return reader_->body_bytes(); }
  /// Is it one whose body should be asked for?
  bool asks() const { return held_back_ || reader_->large(); }
  void flaw(defect d) { reader_->flaw(d); }
  /// What has come of its body is not wanted; its flaw says why.
  void forget_body() { reader_->forget_body(); }

  /// All of it. `known`: to its unit.
  http_request take(known_heads& known);
  /// Its header. It is not reusable then, unless the rest is taken, too.
  http_request take_header();
  http_request take_rest();
  /// The rest is wanted. True: its client waits to be told so.
  bool expect_body();
  /// It is not: what is left of it is only counted.
  void leave_body();
  /// All is over.
  void forget() { reader_.reset(); }

  /// Can there be another request after the one that was taken last?
  bool reusable() const { return reusable_; }
  /// Is a request in hand, and not taken?
  bool reading() const { return reader_.has_value(); }

  // While the connection ends. What was announced is waited for, as many clients look for an answer
  // only when all of it is sent; if it was held back, from when it begins to come. What else they
  // send is not waited for.
  enum class rest : std::uint8_t { same, begins, ended };
  rest throw_away(std::size_t bytes);
  /// What was kept is not wanted either.
  void throw_away_kept();
  bool rest_comes() const { return left_body_ && !held_back_; }
  bool rest_left() const { return left_body_ > 0; }

 private:
  void pass_over(std::size_t bytes);

  std::size_t most_;
  std::optional<request_reader> reader_;
  head_ptr last_head_;         ///< of a request that came before: null at first
  std::string ahead_;          ///< received, not consumed yet
  std::size_t left_body_ = 0;  ///< yet to come of the last, unread one
  bool held_back_ = false;     ///< the body, until we say `100 Continue` or it comes all the same
  bool reusable_ = true;
};

}  // namespace gate::http
