#include "protocol/resp/script.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace gate::resp {

script_ptr make_script(std::string_view text) {
  std::array<unsigned char, 20> digest{};
  std::size_t size = digest.size();
  if (EVP_Q_digest(nullptr, "SHA1", nullptr, text.data(), text.size(), digest.data(), &size) != 1)
    throw std::runtime_error("libcrypto offers no SHA-1");
  static constexpr std::string_view digits = "0123456789abcdef";
  auto out = std::make_shared<script>();
  out->text = text;
  for (const auto byte : digest) {
    out->digest += digits[byte >> 4U];
    out->digest += digits[byte & 15U];
  }
  return out;
}

}  // namespace gate::resp
