#include "tests/transport/support/tls_peer.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <csignal>
#include <stdexcept>

namespace gate::testing {
namespace {

void must(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(what);
}

void add_extension(X509* to, X509* issuer, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  std::unique_ptr<X509_EXTENSION, freed_by<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str()));
  must(extension && X509_add_ext(to, extension.get(), -1) == 1, "X509 extension");
}

void set_name(X509* of, std::string_view name) {
  X509_NAME_add_entry_by_txt(X509_get_subject_name(of), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.data()),
                             static_cast<int>(name.size()), -1, 0);
}

/// A key and a certificate without signature.
identity draft(std::string_view name, int days) {
  static long serial = 1;
  identity out{key_ptr(EVP_EC_gen("P-256")), certificate_ptr(X509_new())};
  must(out.key && out.certificate, "key");
  auto* c = out.certificate.get();
  X509_set_version(c, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(c), serial++);
  constexpr long day = 24 * 60 * 60;
  X509_gmtime_adj(X509_getm_notBefore(c), -7 * day);
  X509_gmtime_adj(X509_getm_notAfter(c), days * day);
  set_name(c, name);
  X509_set_pubkey(c, out.key.get());
  return out;
}

}  // namespace

authority::authority(std::string_view name) : own_(draft(name, 1)) {
  auto* c = own_.certificate.get();
  X509_set_issuer_name(c, X509_get_subject_name(c));
  add_extension(c, c, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(c, c, NID_key_usage, "critical,keyCertSign");
  must(X509_sign(c, own_.key.get(), EVP_sha256()) > 0, "sign");
}

identity authority::sign(const std::string& names, int days) const {
  auto out = draft("gate test", days);
  auto* c = out.certificate.get();
  X509_set_issuer_name(c, X509_get_subject_name(own_.certificate.get()));
  add_extension(c, own_.certificate.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(c, own_.certificate.get(), NID_subject_alt_name, names);
  must(X509_sign(c, own_.key.get(), EVP_sha256()) > 0, "sign");
  return out;
}

std::string authority::pem() const {
  std::unique_ptr<BIO, freed_by<BIO_free>> out(BIO_new(BIO_s_mem()));
  must(PEM_write_bio_X509(out.get(), own_.certificate.get()) == 1, "PEM");
  char* text = nullptr;
  const auto size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

// --- the server's side
// -----------------------------------------------------------------------------

tls_peer::tls_peer(peer p, const identity& as)
    : peer_(std::move(p)), context_(SSL_CTX_new(TLS_server_method())) {
  // OpenSSL writes to sockets without MSG_NOSIGNAL.
  std::signal(SIGPIPE, SIG_IGN);
  const timeval limit{patience.count(), 0};
  ::setsockopt(peer_.fd(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  must(SSL_CTX_use_certificate(context_.get(), as.certificate.get()) == 1, "certificate");
  must(SSL_CTX_use_PrivateKey(context_.get(), as.key.get()) == 1, "private key");
  ssl_.reset(SSL_new(context_.get()));
  SSL_set_fd(ssl_.get(), peer_.fd());
}

bool tls_peer::handshake() {
  return SSL_accept(ssl_.get()) == 1;
}

std::string tls_peer::read_until(std::string_view end) {
  for (;;) {
    if (const auto at = got_.find(end); at != std::string::npos) {
      auto out = got_.substr(0, at + end.size());
      got_.erase(0, out.size());
      return out;
    }
    char buffer[16 * 1024];
    const auto n = SSL_read(ssl_.get(), buffer, sizeof buffer);
    if (n <= 0) throw std::runtime_error("the connection ended early; so far: " + got_);
    got_.append(buffer, static_cast<std::size_t>(n));
  }
}

void tls_peer::send(std::string_view bytes) {
  must(SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) ==
           static_cast<int>(bytes.size()),
       "nobody takes what is sent");
}

std::string tls_peer::asked_for() const {
  const char* name = SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name);
  return name ? name : "";
}

void tls_peer::close() {
  SSL_shutdown(ssl_.get());
  peer_.close();
}

bool tls_peer::ended() {
  char byte;
  return got_.empty() && SSL_read(ssl_.get(), &byte, 1) <= 0;
}

}  // namespace gate::testing
