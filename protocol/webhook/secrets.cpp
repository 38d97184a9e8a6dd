#include "protocol/webhook/secrets.hpp"

#include <algorithm>

#include "protocol/base/base64.hpp"

namespace gate::webhook {

namespace {

constexpr std::size_t hint_bytes = 4;

}  // namespace

result<void> check_secret(std::string_view secret) {
  if (secret.size() < limits::webhook_secret_least)
    return problem{"the secret is shorter than " + std::to_string(limits::webhook_secret_least) +
                   " characters"};
  if (secret.size() > limits::webhook_secret_most)
    return problem{"the secret is longer than " + std::to_string(limits::webhook_secret_most) +
                   " characters"};
  if (!std::ranges::all_of(secret, [](char c) { return c >= 0x20 && c < 0x7F; }))
    return problem{"a secret contains printable ASCII only"};
  if (!secret.starts_with(secret_prefix)) return {};
  const auto key = base64_decode(secret.substr(secret_prefix.size()));
  if (!key) return problem{"what follows whsec_ is not base64 with padding"};
  if (key->size() < limits::webhook_key_least || key->size() > limits::webhook_key_most)
    return problem{"what follows whsec_ does not stand for " +
                   std::to_string(limits::webhook_key_least) + " to " +
                   std::to_string(limits::webhook_key_most) + " bytes"};
  return {};
}

std::string new_secret(std::span<const std::uint8_t, limits::webhook_key_new> random) {
  const std::string_view bytes(reinterpret_cast<const char*>(random.data()), random.size());
  return std::string(secret_prefix) + base64_encode(bytes);
}

std::string key_of(std::string_view secret) {
  if (secret.starts_with(secret_prefix))
    if (auto key = base64_decode(secret.substr(secret_prefix.size()))) return *key;
  return std::string(secret);
}

std::string_view hint_of(std::string_view secret) noexcept {
  return secret.substr(secret.size() - std::min(secret.size(), hint_bytes));
}

}  // namespace gate::webhook
