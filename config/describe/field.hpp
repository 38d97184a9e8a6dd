#pragma once
/// What the description of the configuration document (config/describe.hpp) says of a field, and by
/// which names the document calls the values of an enum.
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "config/document.hpp"

namespace gate::config {

enum class need { optional, required };
/// `later`: valid, accepted by --validate, but a boot refuses documents that use it.
/// Whether a reload may change it. Fields inside a section inherit the section's.
enum class change { inherited, live, restart };
/// What 0 means in a numeric field.
enum class zero { is_default, has_meaning, refused };

/// What a string may look like; for lists and maps, what each entry may look like.
enum class text {
  plain,      ///< anything but empty
  free,       ///< anything, also empty
  name,       ///< lower-case letters, digits, hyphens
  variable,   ///< the name of an environment variable
  separator,  ///< no lower-case letters, digits, hyphens
};

/// Fits every timer and every counter.
inline constexpr std::int64_t most_int = std::numeric_limits<std::int32_t>::max();
/// The largest integer that every JSON tool keeps exact.
inline constexpr std::int64_t most_exact = 9'007'199'254'740'991;

struct field {
  std::string_view key;
  std::string_view doc;
  need presence = need::optional;
  change effect = change::inherited;
  text kind = text::plain;
  std::int64_t least = 0;
  std::int64_t most = most_int;
  zero nought = zero::is_default;
  std::size_t min_items = 0;
  std::size_t max_items = std::numeric_limits<std::size_t>::max();
  /// What the reference shows where the default is not the initializer alone.
  std::string_view default_note = {};
};

/// Selects the description of T.
template <class T>
struct of {};

// --- enums ---------------------------------------------------------------------------------------

template <class E>
struct choice {
  E value;
  std::string_view name;
};

constexpr auto choices(of<budget_period>) {
  return std::array{choice<budget_period>{budget_period::hour, "hour"},
                    choice<budget_period>{budget_period::day, "day"},
                    choice<budget_period>{budget_period::month, "month"}};
}

constexpr auto choices(of<protocol_choice>) {
  using p = protocol_choice;
  return std::array{choice<p>{p::session, "session"}, choice<p>{p::automatic, "auto"},
                    choice<p>{p::stateless, "2026-07-28"}};
}

constexpr auto choices(of<auth_strategy>) {
  std::array<choice<auth_strategy>, strategies.size()> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = {strategies[i].what, strategies[i].name};
  return out;
}

constexpr auto choices(of<client_auth_type>) {
  using t = client_auth_type;
  return std::array{choice<t>{t::client_secret_post, "client_secret_post"},
                    choice<t>{t::client_secret_basic, "client_secret_basic"},
                    choice<t>{t::private_key_jwt, "private_key_jwt"}};
}

constexpr auto choices(of<auth_mode>) {
  return std::array{choice<auth_mode>{auth_mode::disabled, "disabled"},
                    choice<auth_mode>{auth_mode::required, "required"}};
}

constexpr auto choices(of<issuer_mode>) {
  return std::array{choice<issuer_mode>{issuer_mode::direct, "direct"},
                    choice<issuer_mode>{issuer_mode::exchange, "exchange"}};
}

constexpr auto choices(of<decision>) {
  return std::array{choice<decision>{decision::deny, "deny"},
                    choice<decision>{decision::allow, "allow"}};
}

constexpr auto choices(of<sink_type>) {
  using s = sink_type;
  return std::array{choice<s>{s::standard_output, "stdout"}, choice<s>{s::webhook, "webhook"},
                    choice<s>{s::file, "file"}};
}

/// The JSON name of `value`.
template <class E>
requires std::is_enum_v<E>
constexpr std::string_view name_of(E value) {
  for (const auto& c : choices(of<E>{})) {
    if (c.value == value) return c.name;
  }
  return {};
}

}  // namespace gate::config
