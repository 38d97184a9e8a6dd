#include "transport/http/certificate.hpp"

#include <openssl/asn1.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <boost/asio/ip/address.hpp>
#include <ctime>
#include <memory>

namespace gate::http {
namespace {

/// More names than a person reads.
constexpr std::size_t shown_names = 8;

template <class T, void (*Free)(T*)>
struct freed {
  void operator()(T* p) const { Free(p); }
};
using certificate_ptr = std::unique_ptr<X509, freed<X509, X509_free>>;
using names_ptr = std::unique_ptr<GENERAL_NAMES, freed<GENERAL_NAMES, GENERAL_NAMES_free>>;

std::chrono::sys_seconds time_of(const ASN1_TIME* t) {
  std::tm parts{};
  if (t == nullptr || ASN1_TIME_to_tm(t, &parts) != 1) return {};
  return std::chrono::sys_seconds(std::chrono::seconds(::timegm(&parts)));
}

std::string address_of(const ASN1_OCTET_STRING& bytes) {
  const auto* at = ASN1_STRING_get0_data(&bytes);
  const auto size = ASN1_STRING_length(&bytes);
  if (size == 4) {
    boost::asio::ip::address_v4::bytes_type v4;
    std::copy_n(at, 4, v4.begin());
    return boost::asio::ip::address_v4(v4).to_string();
  }
  if (size != 16) return {};
  boost::asio::ip::address_v6::bytes_type v6;
  std::copy_n(at, 16, v6.begin());
  return boost::asio::ip::address_v6(v6).to_string();
}

std::string text_of(const GENERAL_NAME& name) {
  if (name.type == GEN_IPADD) return address_of(*name.d.iPAddress);
  if (name.type != GEN_DNS) return {};
  const auto* text = name.d.dNSName;
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

void read_names(X509* of, seen_certificate& out) {
  const names_ptr all(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(of, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    auto text = text_of(*sk_GENERAL_NAME_value(all.get(), i));
    if (text.empty()) continue;
    if (out.names.size() < shown_names)
      out.names.push_back(std::move(text));
    else
      ++out.unnamed;
  }
}

bool is_for(X509* of, const std::string& host) {
  boost::system::error_code ec;
  boost::asio::ip::make_address(host, ec);
  if (!ec) return X509_check_ip_asc(of, host.c_str(), 0) == 1;
  return X509_check_host(of, host.data(), host.size(), 0, nullptr) == 1;
}

}  // namespace

std::optional<seen_certificate> certificate_of(SSL* connection, const std::string& host) {
  const certificate_ptr it(SSL_get1_peer_certificate(connection));
  if (!it) return std::nullopt;
  seen_certificate out;
  read_names(it.get(), out);
  out.for_host = is_for(it.get(), host);
  if (const auto verdict = SSL_get_verify_result(connection); verdict != X509_V_OK)
    out.distrust = X509_verify_cert_error_string(verdict);
  out.from = time_of(X509_get0_notBefore(it.get()));
  out.until = time_of(X509_get0_notAfter(it.get()));
  out.version = SSL_get_version(connection);
  return out;
}

}  // namespace gate::http
