#pragma once
/// An upstream that speaks TLS, with certificates made for the test: an authority, and what it
/// signs.
#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "tests/transport/support/sockets.hpp"

namespace gate::testing {

template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* x) const {
    Free(x);
  }
};
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using certificate_ptr = std::unique_ptr<X509, freed_by<X509_free>>;

struct identity {
  key_ptr key;
  certificate_ptr certificate;
};

/// A certificate authority with a key of its own.
class authority {
 public:
  explicit authority(std::string_view name);
  /// `names` as OpenSSL writes them: `DNS:localhost` or `IP:127.0.0.1`, joined by commas.
  /// `days`: valid until then; negative: expired.
  identity sign(const std::string& names, int days = 1) const;
  /// Its certificate in PEM, as a trust store holds it.
  std::string pem() const;

 private:
  identity own_;
};

/// The server's side of a TLS connection. Blocks, as `peer` does.
class tls_peer {
 public:
  tls_peer(peer p, const identity& as);
  /// The handshake; false if the client turned away.
  bool handshake();
  /// One request with a body of known length.
  std::string read_until(std::string_view end);
  void send(std::string_view bytes);
  /// The name the client asked for, or empty.
  std::string asked_for() const;
  /// Announces the end as TLS asks for, and closes.
  void close();
  /// No request came, only the end of the connection.
  bool ended();

 private:
  peer peer_;
  std::unique_ptr<SSL_CTX, freed_by<SSL_CTX_free>> context_;
  std::unique_ptr<SSL, freed_by<SSL_free>> ssl_;
  std::string got_;
};

}  // namespace gate::testing
