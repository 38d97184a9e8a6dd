#pragma once
/// The configuration documents of a story: what the operator wants at the moment, and what the
/// source of discovery says. Pure.
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "simulations/stories/scenario.hpp"

namespace gate::churn {

/// The longest that a call may take at an upstream that is not well.
inline constexpr std::chrono::milliseconds request_timeout{2'000};
inline constexpr std::chrono::milliseconds connect_timeout{1'000};
inline constexpr std::chrono::milliseconds half_open_after{3'000};
inline constexpr std::chrono::seconds session_idle{60};

/// What an upstream of the document is shown, by its id; and the variable that holds it.
std::string key_of(std::string_view upstream);
std::string key_variable(std::string_view upstream);
/// How all of these keys begin.
inline constexpr std::string_view key_begins = "key-of-";

/// What the operator wants.
struct wish {
  struct entry {
    bool present = true;
    std::uint32_t variant = 0;  ///< another number is another upstream
    std::uint32_t labels = 0;   ///< which is not
  };
  std::vector<entry> entries;  ///< as `scenario::upstreams`
  std::size_t first = 0;       ///< in the document's order
  std::uint32_t policy = 0;

  explicit wish(const scenario& s) : entries(s.upstreams.size()) {}
};

/// Another wish: what operation `reload(how, whom)` makes of it. Upstreams that must stay as they
/// are do.
void change(wish& w, const scenario& s, std::uint32_t how, std::uint32_t whom);

std::string document(const wish& w, const scenario& s);
/// Documents that must be refused.
inline constexpr std::uint32_t bad_documents = 6;
std::string bad_document(const wish& w, const scenario& s, std::uint32_t which);

/// What the source of discovery says.
inline constexpr std::uint32_t registry_answers = 10;
/// The first so many are good ones; this one has all there is.
inline constexpr std::uint32_t good_registry_answers = 4;
inline constexpr std::uint32_t full_registry_answer = 1;
std::string registry_document(std::uint32_t which);

/// May the operator touch it, may it crash?
bool stays(const scenario& s, std::string_view upstream);

}  // namespace gate::churn
