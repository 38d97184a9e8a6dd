#pragma once
/// The handles of THE CAST (actors/cast.hpp): every actor of the gateway and every message it
/// takes. (The doors to the outside are in transport/interfaces.hpp.)
///
/// Time comes from the actor clock only.
#include <caf/typed_actor.hpp>
#include <variant>

#include "actors/cast.hpp"
#include "actors/messages.hpp"
#include "transport/interfaces.hpp"

namespace gate {

/// Whom to ask from now on, in place of one that crashed; null until its successor runs. Those that
/// can go on without a word from it are told of the crash, the others of the successor only
/// (supervisor/children.hpp says which).
template <class Handle>
struct replaced {
  Handle now;
  std::size_t index = 0;  ///< of those that there are several of: its number among them
};

// --- the guards ----------------------------------------------------------------------------------

/// RATE LIMITER: requests per minute of everybody, of tenants and principals. One per process.
/// Spawned by GATEWAY.
using rate_limiter_handle = caf::typed_actor<
    // From ROUTER (stage 3); answered with `admitted`.
    caf::reacts_to<admit>,
    // From ROUTER, for viewers.
    caf::replies_to<show_usage>::with<usage_shown>>;
/// BUDGET: upstream invocations per calendar period (UTC) of the server, of tenants and upstreams,
/// and requests per minute of upstreams: all that stage 6 counts. One per process. Spawned by
/// GATEWAY.
using budget_handle = caf::typed_actor<
    // From UPSTREAM; answered with `admitted`.
    caf::reacts_to<admit>,
    // From UPSTREAM SESSION; answered with `charged`.
    caf::reacts_to<charge>,
    // From UPSTREAM SESSION.
    caf::reacts_to<refund>,
    // From ROUTER, for viewers.
    caf::replies_to<show_usage>::with<usage_shown>>;
/// BREAKER: the circuit breaker of one upstream, one per process. Spawned by GATEWAY.
using breaker_handle = caf::typed_actor<
    // From UPSTREAM SESSION: failures always, successes unless all is clean, leases always.
    caf::reacts_to<request_ended>,
    // From UPSTREAM SESSION, while the circuit is open.
    caf::reacts_to<upstream_reached>,
    // From UPSTREAM; answered with `lease_told`.
    caf::reacts_to<want_lease>,
    // From GATEWAY: these want to be told: UPSTREAMs, HEALTH.
    caf::reacts_to<listen_to_breaker>>;
/// BALANCER: the replicas of one upstream, one per process; only for upstreams that have several
/// endpoints or active health checks. Spawned by GATEWAY.
using balancer_handle = endpoint_prober::extend<
    // From UPSTREAM SESSION: answered with `endpoint_picked`; and what came of it.
    caf::reacts_to<pick_endpoint>, caf::reacts_to<endpoint_failed>,
    // From GATEWAY: HEALTH wants to be told; the UPSTREAM of the first unit does the probing.
    caf::reacts_to<listen_to_endpoints>, caf::reacts_to<probe_with>>;

// --- upstreams -----------------------------------------------------------------------------------

/// What UPSTREAM and its sessions know of ROUTER.
using answers_handle = caf::typed_actor<
    // The one answer to an `invoke`.
    caf::reacts_to<answered>,
    // A notification for the client of a running call.
    caf::reacts_to<call_notification>,
    // A notification for a client, of no call.
    caf::reacts_to<client_notification>,
    // A request for the client of a running call; answered with `client_reply`. And that it is off.
    caf::reacts_to<server_request>, caf::reacts_to<server_request_cancelled>,
    // The one answer to a `fetch_list`.
    caf::reacts_to<listed>,
    // A list of the upstream changed: forget it, tell the clients.
    caf::reacts_to<list_changed>,
    // What the upstream can do; and what it has opened for a client of the fleet.
    caf::reacts_to<introduced>, caf::reacts_to<bridge_opened>,
    // Whether the server tells of a resource, as `subscribe_again` wanted to know.
    caf::reacts_to<subscribed>,
    // A bridged session died; its calls will not be answered by anybody else.
    caf::reacts_to<session_lost>>;

/// What UPSTREAM and its sessions know of HEALTH.
using probes_handle = caf::typed_actor<caf::reacts_to<probed>>;
/// Ask the upstream for a sign of life (MCP ping on its root session).
struct probe {
  std::uint64_t round = 0;
  probes_handle asker;
};

/// Whom CREDENTIALS answers.
using credential_user = caf::typed_actor<caf::reacts_to<credential_told>>;
/// Say what to attach to requests on behalf of this caller (null: on the gateway's own).
struct want_credential {
  identity::caller_ptr caller;
  credential_user asker;
  trace_ptr trace{};  ///< of a request that waits for it, for the log; null: of none that is known
};
/// CREDENTIALS: the tokens for one upstream on one unit. Spawned and supervised by UPSTREAM.
using credentials_handle = caf::typed_actor<
    // From UPSTREAM SESSION: answered to it with `credential_told`.
    caf::reacts_to<want_credential>,
    // From UPSTREAM SESSION: do not give this out again.
    caf::reacts_to<credential_refused>,
    // From EGRESS.
    caf::reacts_to<fetched>, caf::reacts_to<streamed>>;

/// UPSTREAM SESSION: one MCP session with one upstream. Spawned and supervised by UPSTREAM.
using upstream_session_handle = caf::typed_actor<
    // From UPSTREAM, on behalf of ROUTER.
    caf::reacts_to<invoke>, caf::reacts_to<cancel_call>, caf::reacts_to<fetch_list>,
    caf::reacts_to<client_reply>, caf::reacts_to<profile_changed>, caf::reacts_to<client_notice>,
    caf::reacts_to<client_progress>, caf::reacts_to<introduce>,
    // From HEALTH through UPSTREAM; answered to HEALTH with `probed`.
    caf::reacts_to<probe>,
    // From UPSTREAM: say goodbye, quit.
    caf::reacts_to<close_session>, caf::reacts_to<watches_changed>, caf::reacts_to<tools_settled>,
    // From UPSTREAM, which keeps the timers: look at the deadlines.
    caf::reacts_to<session_tick>,
    // From EGRESS.
    caf::reacts_to<fetched>, caf::reacts_to<streamed>,
    // From CREDENTIALS; and from UPSTREAM, if that crashed.
    caf::reacts_to<credential_told>, caf::reacts_to<replaced<credentials_handle>>,
    // From BUDGET and BALANCER; and from UPSTREAM, if these or BREAKER crashed, or
    // run again.
    caf::reacts_to<charged>, caf::reacts_to<endpoint_picked>,
    caf::reacts_to<replaced<budget_handle>>, caf::reacts_to<replaced<balancer_handle>>,
    caf::reacts_to<replaced<breaker_handle>>,
    // From UPSTREAM, of ROUTER.
    caf::reacts_to<subscribe_again>, caf::reacts_to<unsubscribe>>;

/// UPSTREAM: one upstream on one unit. Spawned and supervised by GATEWAY.
using upstream_handle = caf::typed_actor<
    // From ROUTER: a request of a client; answered to ROUTER with `answered`.
    caf::reacts_to<invoke>,
    // From ROUTER: the client cancelled it.
    caf::reacts_to<cancel_call>,
    // From ROUTER: the client's answer to what the upstream asked; what changed about the client.
    caf::reacts_to<client_reply>, caf::reacts_to<profile_changed>, caf::reacts_to<client_notice>,
    caf::reacts_to<client_progress>,
    // From ROUTER: the client is gone; its bridged session goes too.
    caf::reacts_to<client_ended>,
    // From ROUTER: answered with `listed`.
    caf::reacts_to<fetch_list>,
    // From ROUTER: answered with `introduced`.
    caf::reacts_to<introduce>,
    // From ROUTER: nobody needs this root session.
    caf::reacts_to<release_root>,
    // From ROUTER, after a reload; and when the client may do less.
    caf::reacts_to<subscribe_again>, caf::reacts_to<unsubscribe>,
    // From HEALTH: answered to it with `probed`.
    caf::reacts_to<probe>,
    // From BALANCER: answered to it with `endpoint_probed`.
    caf::reacts_to<probe_endpoint>,
    // From the guards that it asks.
    caf::reacts_to<admitted>, caf::reacts_to<breaker_told>, caf::reacts_to<lease_told>,
    // From GATEWAY: whom to ask from now on.
    caf::reacts_to<replaced<budget_handle>>, caf::reacts_to<replaced<breaker_handle>>,
    caf::reacts_to<replaced<balancer_handle>>,
    // From a bridged session that nobody uses.
    caf::reacts_to<session_idle>,
    // From a session, for others.
    caf::reacts_to<watches_changed>, caf::reacts_to<tools_settled>,
    // From a session, of lists that instances of a fleet share.
    caf::reacts_to<list_read>, caf::reacts_to<list_heard>,
    // From a session: its next deadline.
    caf::reacts_to<wake_me>,
    // From ROUTER, for viewers.
    caf::replies_to<show_circuit>::with<breaker_told>,
    // From GATEWAY: end all sessions and quit.
    caf::reacts_to<retire>>;

// --- beside the calls ----------------------------------------------------------------------------

/// The snapshot from now on, and a unit's upstreams by number: those that the snapshot has, and
/// those that it has no longer but that calls of older snapshots may mean. Null: it crashed.
struct federation_update {
  snapshot_ptr snapshot;
  std::vector<upstream_handle> upstreams;
};

/// HEALTH: asks the upstreams of the first unit, and makes reports. Spawned by GATEWAY, on a thread
/// of its own: no call waits while a long one is made.
using health_handle = caf::typed_actor<
    // From ROUTER, for GET /health. Single flight; an answer is reused for a second.
    caf::replies_to<ask_health>::with<health_report>,
    // From ROUTER, for GET /metrics.
    caf::replies_to<ask_metrics>::with<metrics_text>,
    // From ROUTER, for a viewer, of what the same round of probes found. One is answered at a time,
    // behind whatever else there is to do.
    caf::replies_to<ask_federation>::with<federation_text>,
    // From GATEWAY.
    caf::reacts_to<discovery_state>,
    // From UPSTREAM SESSIONs.
    caf::reacts_to<probed>,
    // From BREAKERs and BALANCERs.
    caf::reacts_to<breaker_told>, caf::reacts_to<endpoints_told>,
    // From GATEWAY: whom to ask from now on.
    caf::reacts_to<federation_update>, caf::reacts_to<replaced<upstream_handle>>,
    // From STORE.
    caf::reacts_to<store_turned>>;
/// What HEALTH is told behind the ROUTER of the first unit, where there is a THRESHOLD: so what it
/// says to a request of that unit goes by the configuration by which the request is served.
struct for_health {
  health_handle to;
  std::variant<federation_update, replaced<upstream_handle>> what;
};

/// SINK: takes the lines of the audit trail to one place. Spawned by GATEWAY, one for each place.
using sink_handle = caf::typed_actor<
    // From AUDIT, in order.
    caf::reacts_to<audit_line>,
    // From AUDIT at the end: answered when what came before it has left, or was dropped.
    caf::replies_to<flush_audit>::with<audit_flushed>>;
/// AUDIT: makes lines of events and hands them to the SINKs. Spawned by GATEWAY.
using audit_handle = caf::typed_actor<
    // From ROUTER's exit door.
    caf::reacts_to<audit_record>,
    // From GATEWAY: a SINK crashed, or runs again.
    caf::reacts_to<replaced<sink_handle>>,
    // From GATEWAY at the end.
    caf::replies_to<flush_audit>::with<audit_flushed>>;

/// RECORDER: writes events down as they happen. Spawned by whoever assembles the process, if there
/// is a recording, on each unit.
using audit_recorder_handle = caf::typed_actor<
    // From ROUTER's exit door.
    caf::reacts_to<audit_record>>;

/// TRACES: exports spans to the collector. Spawned by GATEWAY, on the first unit, if `tracing` is
/// configured.
using traces_handle = caf::typed_actor<
    // From ROUTER.
    caf::reacts_to<spans_ended>,
    // From GATEWAY at the end.
    caf::replies_to<flush_traces>::with<traces_flushed>>;
/// ACTIVITY: the latest events of the audit trail, for viewers. Spawned by GATEWAY, if there is
/// introspection.
using activity_handle = caf::typed_actor<
    // From ROUTER's exit door.
    caf::reacts_to<audit_record>,
    // From ROUTER.
    caf::replies_to<read_activity>::with<activity_page>, caf::reacts_to<follow_activity>,
    caf::reacts_to<unfollow_activity>>;

/// TASKS: the ledger of tasks. Spawned by GATEWAY.
using tasks_handle = caf::typed_actor<
    // From ROUTER: a call was answered with a task.
    caf::reacts_to<pin_task>,
    // From ROUTER: a call that may become one goes to its upstream, or is over.
    caf::reacts_to<note_minting>,
    // From ROUTER, for requests about tasks.
    caf::replies_to<find_tasks>::with<tasks_found>>;

/// Who wants to know an issuer's keys.
using keys_listener = caf::typed_actor<caf::reacts_to<keys_told>>;
/// Tell this one from now on.
struct listen_for_keys {
  keys_listener who;
};
/// KEY SET: the keys of one issuer. Spawned by GATEWAY, on the first unit.
using keys_handle = caf::typed_actor<
    // From ROUTER and MINT: answered with `keys_told`, to all, when there is something to tell.
    caf::reacts_to<want_keys>, caf::reacts_to<listen_for_keys>,
    // From EGRESS.
    caf::reacts_to<fetched>, caf::reacts_to<streamed>>;

/// ONCE LEDGER: what may be used once. Spawned by GATEWAY, if there is a token endpoint.
using once_handle = store_asker::extend_with<store_watcher>::extend<
    // From MINT.
    caf::replies_to<use_once>::with<used_once>>;

/// What MINT knows of ROUTER.
using redeemer_handle = caf::typed_actor<caf::reacts_to<redeemed>>;
struct redeem_for {
  redeem what;
  redeemer_handle asker;
};
/// MINT: the token endpoint. Spawned by GATEWAY.
using mint_handle = keys_listener::extend<
    // From ROUTER; answered to it with `redeemed`.
    caf::reacts_to<redeem_for>,
    // From GATEWAY: whom to ask from now on.
    caf::reacts_to<replaced<keys_handle>>, caf::reacts_to<replaced<once_handle>>>;

/// What LOADER knows of GATEWAY.
using loading_user = caf::typed_actor<caf::reacts_to<loaded>>;
/// LOADER: makes snapshots of documents, one after the other. Spawned by GATEWAY, on a thread of
/// its own: no call waits while a large document is judged.
using loader_handle = caf::typed_actor<
    // From GATEWAY; answered to it with `loaded`.
    caf::reacts_to<load_document>, caf::reacts_to<load_discovered>>;

/// What DISCOVERY knows of GATEWAY.
using discovery_user =
    caf::typed_actor<caf::reacts_to<discovered>, caf::reacts_to<discovery_state>>;
/// DISCOVERY: polls the source of further upstreams. Spawned by GATEWAY, on the first unit, if the
/// configuration has such a source.
using discovery_handle = caf::typed_actor<
    // From GATEWAY: what came of the last `discovered`.
    caf::reacts_to<discovery_settled>,
    // From EGRESS.
    caf::reacts_to<fetched>, caf::reacts_to<streamed>>;

// --- the whole -----------------------------------------------------------------------------------

/// What ROUTER knows of GATEWAY.
using departures_user = caf::typed_actor<caf::reacts_to<left_upstream>>;

/// ROUTER: one per unit; every request of the unit's clients goes through it. Spawned by GATEWAY.
using router_handle = answers_handle::extend_with<arrivals_handle>::extend_with<store_asker>::
    extend_with<store_listener>::extend<
        // From RATE LIMITER.
        caf::reacts_to<admitted>,
        // From KEY SET and MINT.
        caf::reacts_to<keys_told>, caf::reacts_to<redeemed>,
        // From GATEWAY: whom to ask from now on.
        caf::reacts_to<replaced<keys_handle>>, caf::reacts_to<replaced<mint_handle>>,
        caf::reacts_to<replaced<rate_limiter_handle>>, caf::reacts_to<replaced<budget_handle>>,
        // From GATEWAY: the snapshot and the upstreams from now on.
        caf::reacts_to<federation_update>,
        // From GATEWAY: one upstream crashed, or runs again.
        caf::reacts_to<replaced<upstream_handle>>,
        // From THRESHOLD: to be handed on.
        caf::reacts_to<for_health>,
        // From GATEWAY: HEALTH runs again; AUDIT does; TASKS does.
        caf::reacts_to<replaced<health_handle>>, caf::reacts_to<replaced<audit_handle>>,
        caf::reacts_to<replaced<tasks_handle>>,
        // From GATEWAY: TRACES crashed, or runs again.
        caf::reacts_to<replaced<traces_handle>>,
        // From ACTIVITY; and from GATEWAY, if that crashed, or runs again.
        caf::reacts_to<activity_told>, caf::reacts_to<replaced<activity_handle>>,
        // From GATEWAY at the end.
        caf::reacts_to<wind_down>, caf::reacts_to<end_calls>>;

/// For this ROUTER, which is on the unit of whoever takes it.
struct before_router {
  router_handle to;
  std::variant<federation_update, replaced<upstream_handle>, for_health> what;
};
/// THRESHOLD: stands before a ROUTER, where something has to happen as it takes another
/// configuration over. Spawned by whoever assembles the process, if anything has to.
using threshold_handle = caf::typed_actor<
    // From GATEWAY: to be handed on, in this order.
    caf::reacts_to<before_router>>;

/// GATEWAY: supervises all others. Spawned by whoever assembles the process. From WATCH come
/// `reload_requested` (SIGHUP, a changed file) and the signals to end.
using gateway_handle = watcher_handle::extend_with<loading_user>::extend_with<discovery_user>::
    extend_with<departures_user>::extend<
        // From an embedding program.
        caf::replies_to<reload_with>::with<reloaded>>;

}  // namespace gate

template <class Handle>
struct caf::allowed_unsafe_message_type<gate::replaced<Handle>> : std::true_type {};

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::probe)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::want_credential)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::listen_for_keys)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::redeem_for)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::federation_update)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::for_health)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::before_router)
