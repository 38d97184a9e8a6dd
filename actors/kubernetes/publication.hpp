#pragma once
/// PUBLICATION: the discovery document as it is served, and how well it is. Requests in, answers
/// out, in this order:
///
///   the strict gate        400, 408
///   Host, Origin           403
///   its size               413
///   /healthz, /health      200, 503     nobody is asked for a token
///   /metrics               200          the same
///   token                  401
///   method                 405
///   any other path         200, 304, 503  the document; 503 until all Services are known
///
/// Pure; owned by REGISTRY, which answers by it.
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/sha256.hpp"
#include "protocol/http/allowlist.hpp"
#include "protocol/webhook/callers.hpp"
#include "transport/interfaces.hpp"

namespace gate::kubernetes {

struct publication_front {
  http::allowlist hosts;
  /// The listener can be reached under names that we do not know: any Host may be named, and an
  /// Origin must be that same host.
  bool any_host = false;
  webhook::callers who;
};

struct answer {
  int status = 200;
  std::string_view type;  ///< empty: there is no body
  std::string headers{};  ///< lines, each ending in CRLF
  std::string_view body{};
  std::string own_body{};  ///< unless it is one that is kept
  bool close = false;
  bool of_metrics = false;  ///< the body is theirs, which REGISTRY has
};

class publication {
 public:
  using moment = std::chrono::system_clock::time_point;

  explicit publication(publication_front front) : front_(std::move(front)) {}

  /// What is served from now on; false: it is what was served before.
  bool publish(std::string text, std::size_t upstreams, std::size_t left_out, moment now);
  /// The API server tells what happens, or does not any more.
  void touched();
  void lost(moment now);
  /// All are listed, which is of no further moment.
  void listed(moment now);

  bool complete() const { return complete_; }
  /// Views into what is served, until it is another.
  answer answer_to(const http_request& r) const;

 private:
  answer health() const;
  answer document(const http_request& r) const;

  publication_front front_;
  sha256 digest_;
  bool complete_ = false;
  std::string text_, tag_;  ///< `tag_` with its quotes
  std::size_t upstreams_ = 0, left_out_ = 0;
  moment changed_{};
  std::optional<moment> lost_since_;
};

}  // namespace gate::kubernetes
