#pragma once
/// Bounds of the API of `gate-hooks`, each with its reason; and what happens at each, as
/// docs/operations.md has it.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "protocol/limits/row.hpp"

namespace gate::limits {

using std::chrono::seconds;

// --- who calls -----------------------------------------------------------------------------------
/// The document that says who may call (`--config`), and organizations in it: each token that is
/// shown is compared with those of all of them.
inline constexpr std::size_t hooks_configuration_bytes = 1024 * 1024;
inline constexpr std::size_t hooks_organizations = 1000;
/// An organization's id is kept with all that is its own.
inline constexpr std::size_t hooks_organization_bytes = 64;
/// A shorter token can be guessed by whoever may ask often; a longer one fits no header.
inline constexpr std::size_t hooks_token_least = 16;
inline constexpr std::size_t hooks_token_most = 4096;

// --- what they ask -------------------------------------------------------------------------------
/// A body of as many events as one request may have, each of the greatest length, fits.
inline constexpr std::size_t hooks_request_bytes = 24 * 1024 * 1024;
/// The body of any other call, which has a few short fields.
inline constexpr std::size_t hooks_body_bytes = 64 * 1024;
/// Calls of one organization in a second, and how many may come at once: people and scripts need
/// few; whoever asks for pages all day takes the disk from others.
inline constexpr std::uint32_t hooks_calls_rate = 100;
inline constexpr std::uint32_t hooks_calls_burst = 200;
/// The same of `POST /events`: more than a disk can sync one by one, and no flood.
inline constexpr std::uint32_t hooks_events_rate = 5000;
inline constexpr std::uint32_t hooks_events_burst = 10'000;
/// Calls that wait for LEDGER or TRIALS.
inline constexpr std::size_t hooks_calls = 4096;
/// `/health` waits so long for LEDGER.
inline constexpr seconds hooks_health_wait{2};
/// Webhooks that DISPATCH is to be told of once it is there again.
inline constexpr std::size_t hooks_told_later = 10'000;

// --- calls that wait for deliveries --------------------------------------------------------------
/// Retries of dead letters that wait for their attempts: each keeps a connection and what it waits
/// for.
inline constexpr std::size_t hooks_retries = 16;
/// They are answered by then; clients give up after half a minute.
inline constexpr seconds hooks_retry_wait{25};
/// Deliveries of one such call whose ends are counted. More have no end within that time.
inline constexpr std::size_t hooks_retry_followed = 10'000;
/// Attempts that ended before the call knew that it waits for them.
inline constexpr std::size_t hooks_retry_early = 1000;

inline constexpr std::array of_hooks_api{
    // clang-format off
    row{"hooks_configuration_bytes", bytes(hooks_configuration_bytes), "the start fails, with a longer `--config`"},
    row{"hooks_organizations", hooks_organizations, "the start fails, with more"},
    row{"hooks_organization_bytes", bytes(hooks_organization_bytes), "the start fails, with a longer id"},
    row{"hooks_token_least", bytes(hooks_token_least), "the start fails, with a shorter token"},
    row{"hooks_token_most", bytes(hooks_token_most), "the start fails, with a longer token"},
    row{"hooks_request_bytes", bytes(hooks_request_bytes), "413"},
    row{"hooks_body_bytes", bytes(hooks_body_bytes), "413, of all calls but `POST /events`"},
    row{"hooks_calls_rate", hooks_calls_rate, "a second, of one organization: 429 with `Retry-After`"},
    row{"hooks_calls_burst", hooks_calls_burst, "at once: the same"},
    row{"hooks_events_rate", hooks_events_rate, "`POST /events` a second, of one organization: 429 with `Retry-After`"},
    row{"hooks_events_burst", hooks_events_burst, "at once: the same"},
    row{"hooks_calls", hooks_calls, "503 with `Retry-After`"},
    row{"hooks_health_wait", hooks_health_wait, "`/health` is 503"},
    row{"hooks_told_later", hooks_told_later, "further webhooks are found when DISPATCH looks for itself"},
    row{"hooks_retries", hooks_retries, "503 with `Retry-After`"},
    row{"hooks_retry_wait", hooks_retry_wait, "a retry of dead letters is answered: what has not ended counts neither as succeeded nor as failed"},
    row{"hooks_retry_followed", hooks_retry_followed, "of one such call: the ends of further ones are not counted"},
    row{"hooks_retry_early", hooks_retry_early, "of one such call: further ones are not counted"},
    // clang-format on
};

}  // namespace gate::limits
