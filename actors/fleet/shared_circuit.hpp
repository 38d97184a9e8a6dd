#pragma once
/// The circuit of an upstream as the instances of a fleet share it: what the store is asked, and
/// what it says. One script is the table of `guards::breaker`, by the store's clock; it tells all
/// instances of each change that matters to them. Pure; part of SHARED BREAKER.
///
/// A circuit is one hash, `gate:{cb:UPSTREAM}`, and the channel of its changes has the same name;
/// with a database other than 0 `/DATABASE` behind it, since channels are the whole server's. It is
/// forgotten a day after its last change.
#include <optional>
#include <string>

#include "actors/guards/breaker.hpp"
#include "transport/interfaces.hpp"

namespace gate::fleet {

/// What is known of a circuit.
struct circuit {
  breaker_state state = breaker_state::closed;
  std::int64_t failures = 0;
  guards::breaker::cause why = guards::breaker::cause::failures;
  /// When something happens by itself, from the answer on.
  std::optional<std::chrono::milliseconds> ends_in;
  /// Which of two is the newer one.
  std::int64_t version = 0;

  bool clean() const { return state == breaker_state::closed && failures == 0; }
};
/// The answer to a question. `lease`: as `lease_told::lease`.
struct circuit_told {
  circuit now;
  std::uint64_t lease = 0;
};

enum class circuit_event : std::uint8_t { look, success, failure, neutral, reached, lease };

struct circuit_question {
  circuit_event what = circuit_event::look;
  std::uint64_t lease = 0;               ///< that the request had
  std::chrono::milliseconds longest{0};  ///< how long the request that wants one may last
};

/// Where it is.
struct circuit_place {
  std::string key;
  std::string channel;
};
circuit_place place_of_circuit(const std::string& upstream, std::uint32_t database);
store_request ask_circuit(std::uint64_t id, const circuit_place& at, const circuit_question& q,
                          const config::circuit_breaker& settings,
                          std::chrono::milliseconds request);
/// Nothing: this is no answer of the script.
std::optional<circuit_told> read_circuit(const resp::value& v);
/// The same of what was published.
std::optional<circuit> read_circuit(std::string_view published);
/// The text of the script, for stores that are none.
std::string_view circuit_script();
/// How the script writes what it publishes.
std::string published(const circuit& c);

}  // namespace gate::fleet
