#pragma once
/// Digests of tokens that come again in the very same header: hashing one costs as much as all
/// else that stage 2 does. A header that a connection or its unit has recognised is the same object
/// (`http::received_head`), so its token has the digest that it had before. What a token is worth
/// is asked of the memory each time. Bounded (limits::known_heads); headers are not kept for this.
/// Pure; part of ROUTER.
#include <memory>
#include <string_view>

#include "protocol/base/recent.hpp"
#include "protocol/base/sha256.hpp"
#include "protocol/http/received_head.hpp"
#include "protocol/limits.hpp"

namespace gate::identity {

class token_digests {
 public:
  /// Of the token that `head` shows.
  sha256_digest of(std::string_view token, const http::head_ptr& head);

 private:
  struct known {
    std::weak_ptr<const http::received_head> head;
    sha256_digest digest{};
  };

  recent<known, limits::known_heads> known_;  ///< by the header's address
  sha256 sha256_;
};

}  // namespace gate::identity
