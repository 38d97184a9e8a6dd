#pragma once
/// What LEDGER is asked and says: every operation on what `gate-hooks` keeps, as plain values, and
/// nothing of how it is kept. What writes is durable when it is answered, and happened as a whole
/// or not at all. What one organization asks for knows nothing of another's: that is `not_found`.
///
/// Whoever asks brings the time, ids and lease tokens. A clock that is set back delays what waits
/// by no more than it was set back, and loses nothing.
///
/// The life of a delivery (`webhook::state`):
///
///   from                 by                          to
///   -                    accept_events               pending, due
///   pending, failed      take_due                    delivering, with a lease
///   delivering           note_attempt                succeeded | failed, due | dead
///   delivering           give_back, release_leases   pending or failed as before, due at once
///   pending, failed      retry_delivery              the same, due at once
///   dead                 retry_delivery, retry_dead  failed, due at once (`finished` stays)
///   dead                 delete_dead                 -
///   succeeded, dead      clean                       -
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "protocol/webhook/records.hpp"

namespace gate::ledger {

using webhook::wall_time;

/// Where a list goes on; opaque. Lists are newest first, but for that of what is due.
using position = std::int64_t;

// --- Events --------------------------------------------------------------------------------------

struct new_event {
  std::string id;
  webhook::event_type type = webhook::event_type::deploy_success;
  wall_time at{};
  std::string body;  ///< as it is delivered
  /// Of what the caller has sent, if `body` says more than that: two with the same id are the same
  /// event if their fingerprints are equal. Empty: if their bodies are.
  std::string fingerprint;
};
/// All of them or none: `accepted`; `conflict` names an id that has another event. Each becomes a
/// delivery of every enabled webhook that wants it. At most `limits::ledger_events`.
struct accept_events {
  std::string organization;
  std::vector<new_event> events;
  wall_time now{};
  wall_time due{};  ///< of the first attempts
};
struct accepted {
  using one = webhook::accepted_event;
  std::vector<one> events;            ///< in the order in which they were asked for
  std::vector<std::string> webhooks;  ///< that have something more to do
};

// --- Webhooks ------------------------------------------------------------------------------------

/// `webhook`; `too_many` beyond `limits::ledger_webhooks`.
struct create_webhook {
  webhook::webhook what;
};
struct read_webhook {
  std::string organization, id;
};
struct list_webhooks {
  std::string organization;
  std::optional<position> before;
  std::size_t most = 0;  ///< `limits::ledger_page` at most, as everywhere
};
struct webhook_page {
  std::vector<webhook::webhook> webhooks;
  std::optional<position> next;
};
/// What is not given stays: the webhook as it is then.
struct patch_webhook {
  std::string organization, id;
  wall_time now{};
  std::optional<webhook::event_mask> events;
  std::optional<std::string> url, description;
  std::optional<bool> enabled;  ///< false: `disabled::manual`
};
/// It is gone at once, and so are its deliveries for whoever asks; from the disk by `clean`.
struct delete_webhook {
  std::string organization, id;
  wall_time now{};
};
/// A new secret; the one before signs, too, until `old_until`. The one that there is already
/// changes nothing.
struct rotate_secret {
  std::string organization, id;
  std::string secret;
  wall_time now{};
  wall_time old_until{};
};
/// Its receiver is gone, or fails: `done`. Of one that is disabled already, the reason stays.
struct disable_webhook {
  std::string id;
  webhook::disabled why = webhook::disabled::manual;
  wall_time now{};
};
struct done {};

// --- Delivering ----------------------------------------------------------------------------------

/// Enabled webhooks that have something due, or will have.
struct list_due {
  std::optional<position> after;
  std::size_t most = 0;
};
struct due_page {
  struct one {
    std::string webhook, organization;
    wall_time due{};  ///< of the earliest delivery
  };
  std::vector<one> webhooks;
  std::optional<position> next;
};
/// The earliest ones, at most `limits::ledger_taken`; they are the asker's until `until`, as long
/// as nobody else has got a lease on them. Nothing of a webhook that is disabled.
struct take_due {
  std::string webhook;
  std::size_t most = 0;
  wall_time now{};
  std::string lease;  ///< a token, of this request only
  wall_time until{};  ///< at most `limits::ledger_lease` from now
};
struct taken {
  struct one {
    webhook::delivery delivery;
    webhook::event event;
  };
  webhook::webhook webhook;  ///< as it is now
  std::vector<one> deliveries;
  std::optional<wall_time> next;  ///< when the next one is due that was not taken
};
/// `noted`; `lease_lost` if the lease is not the delivery's any more: then nothing has changed.
struct note_attempt {
  std::string delivery, lease;
  webhook::attempt what;
  webhook::state status = webhook::state::succeeded;  ///< or `failed`, or `dead`
  std::optional<wall_time> next;                      ///< with `failed`
  std::string answer;                                 ///< the first bytes of its body
  wall_time now{};
};
struct noted {
  std::optional<wall_time> failing_since;  ///< of the webhook
};
/// What has this lease was not attempted, and is due again at once: `released`.
struct give_back {
  std::string lease;
  wall_time now{};
};
/// Leases that ran out, or all of them if no other instance lives: never all in PostgreSQL, where
/// others may. At most `limits::ledger_step`.
struct release_leases {
  wall_time now{};
  bool all = false;
};
struct released {
  std::size_t deliveries = 0;
  std::vector<std::string> webhooks;  ///< that have something due now
  bool more = false;                  ///< ask again
};

// --- History and dead letters --------------------------------------------------------------------

/// A page may have fewer than asked for, and a `next` all the same: see `limits::ledger_looked_at`.
struct list_deliveries {
  std::string organization, webhook;
  std::optional<webhook::state> status;
  std::optional<position> before;
  std::size_t most = 0;
};
struct delivery_page {
  std::vector<webhook::delivery> deliveries;  ///< without their attempts
  std::optional<position> next;
};
struct read_delivery {
  std::string organization, id;
};
struct whole_delivery {
  webhook::delivery delivery;  ///< with its attempts
  webhook::event event;
};
/// `conflict` if it has succeeded, or is being made.
struct retry_delivery {
  std::string organization, id;
  wall_time now{};
};
struct requeued {
  std::vector<std::string> deliveries;  ///< their ids
  std::string webhook;
  bool more = false;  ///< ask again
};
struct list_dead {
  std::string organization;
  std::optional<webhook::event_type> type;
  std::string webhook;  ///< empty: of all
  std::optional<position> before;
  std::size_t most = 0;
};
struct dead_stats {
  std::string organization;
  wall_time now{};
};
using webhook::dead_counts;
/// All of a webhook, `limits::ledger_step` at a time: `requeued`.
struct retry_dead {
  std::string organization, webhook;
  wall_time now{};
};
struct delete_dead {
  std::string organization, id;
};

// --- Upkeep --------------------------------------------------------------------------------------

/// What ended before these times goes, with its events, and what is left of deleted webhooks;
/// `limits::ledger_step` at a time.
struct clean {
  wall_time succeeded_before{}, dead_before{};
};
struct cleaned {
  std::size_t deliveries = 0, events = 0;
  bool more = false;  ///< ask again
};
struct count_all {};
struct counts {
  std::array<std::uint64_t, 5> deliveries{};  ///< in the order of `state`
  std::uint64_t webhooks = 0;                 ///< enabled or not
  std::optional<wall_time> oldest_due;        ///< of enabled webhooks: the earliest that waits
};

// --- Both sides ----------------------------------------------------------------------------------

/// Why nothing was done.
struct refusal {
  enum class reason : std::uint8_t {
    not_found,
    conflict,
    lease_lost,
    too_many,
    invalid,      ///< a bug of the asker
    busy,         ///< too many wait: come again
    unavailable,  ///< the storage failed; perhaps it works again later
  } why = reason::unavailable;
  std::string what;  ///< a sentence
};

using request =
    std::variant<accept_events, create_webhook, read_webhook, list_webhooks, patch_webhook,
                 delete_webhook, rotate_secret, disable_webhook, list_due, take_due, note_attempt,
                 give_back, release_leases, list_deliveries, read_delivery, retry_delivery,
                 list_dead, dead_stats, retry_dead, delete_dead, clean, count_all>;
using answer =
    std::variant<refusal, accepted, webhook::webhook, webhook_page, done, due_page, taken, noted,
                 released, delivery_page, whole_delivery, requeued, dead_counts, cleaned, counts>;

/// It may change something, and is to be durable.
bool writes(const request& r);
/// About what it takes while it waits.
std::size_t bytes_of(const request& r);

}  // namespace gate::ledger
