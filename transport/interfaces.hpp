#pragma once
/// THE DOORS: everything through which the actors touch the world, as typed actors and the messages
/// they take. Behind a door are sockets, processes, files and signals (transport/doors,
/// transport/http); in front of it is nothing but messages. Tests and simulations replace exactly
/// this header's actors, and all the rest runs unchanged, without a socket and in virtual time.
///
///   INGRESS  HTTP requests of clients come in, answers and event streams go out. One per unit.
///   EGRESS   HTTP requests to upstreams go out, answers and events come in. One per unit.
///   WATCH    what the operator does to the process: signals, and a changed configuration file.
///   STORE    what the instances of a fleet share, in a Redis server. One per unit, or none.
///   CHILDREN starts child processes, each a CHILD: the shim's door.
///
/// A unit is one I/O thread with everything pinned to it: INGRESS, EGRESS, a ROUTER, its upstreams.
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/typed_actor.hpp>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/http/address.hpp"
#include "protocol/http/received_head.hpp"
#include "protocol/http/url.hpp"
#include "protocol/metrics.hpp"
#include "protocol/resp/script.hpp"
#include "protocol/resp/value.hpp"
#include "protocol/sse/parser.hpp"
#include "protocol/sse/streaming.hpp"

namespace gate {

// --- INGRESS -------------------------------------------------------------------------------------

/// One request as INGRESS received it. Immutable once delivered, but for a body that follows.
/// What goes with a request to another unit: its end, if it does not arrive there.
class passage {
 public:
  passage() = default;
  passage(const passage&) = delete;
  passage& operator=(const passage&) = delete;
  /// On any thread. One that has not arrived tells so here.
  virtual ~passage() = default;
  /// It has arrived; or it has not left.
  virtual void arrive() noexcept = 0;
};

struct http_request {
  /// Never null. Content-Length is that of the first request with this header: the body counts.
  http::head_ptr head = http::no_head();
  std::string body;
  /// Anything but `none`: the request broke the strict gate or a limit, the rest may be incomplete,
  /// and the connection closes after the answer.
  http::defect flaw = http::defect::none;
  /// The body has not been read: whoever wants it asks for it with `exchange::read_body`.
  bool body_follows = false;
  /// Of one that comes from another unit, until it has arrived; else null.
  std::shared_ptr<passage> on_its_way{};

  verb method() const { return head->method; }
  const std::vector<http::header>& headers() const { return head->headers; }
  std::string_view header(std::string_view name) const { return http::find(headers(), name); }
  /// The target without its query.
  std::string_view path() const { return head->target.substr(0, head->target.find('?')); }
};

struct response_head {
  int status = 200;
  std::string_view content_type;  ///< empty: no body, no header
  std::string_view headers;       ///< further header lines, each ending in CRLF
  bool close = false;             ///< end the connection after this response
};

/// The reply slip of one request. Belongs to the unit the request arrived on; call it from there
/// only. Bytes handed in are written or copied before the call returns. If the client is gone,
/// everything is a no-op. Dropping the last reference without a response answers 500; within a
/// stream it closes the connection.
class exchange : public sse::outlet {
 public:
  virtual ~exchange() = default;
  /// Once the stream of a GET is open, it is empty: such streams stay open for hours, and nobody
  /// asks any more. Views into it end there.
  virtual const http_request& request() const = 0;
  /// Has the body read that follows; `body_read` is told when it is there. The request can be
  /// answered instead, before it or meanwhile: then it is not read (any more), and the connection
  /// ends. `known`: its sender is, who then is no longer among those that yield to everybody.
  /// False: nobody waits for an answer any more.
  virtual bool read_body(bool known) = 0;
  /// The request, and its connection with it, goes to another unit of this process, where it
  /// arrives as if it had come there at once. False: it stays, for a part of it was answered, or it
  /// is one of several in a body. Else whoever holds this exchange has nothing to answer any more.
  virtual bool move_to(std::uint8_t unit, std::shared_ptr<passage> by = {}) = 0;
  /// The whole response. Once, and not after `open_stream`.
  virtual void respond(const response_head& head, std::initializer_list<std::string_view> body) = 0;
  /// Unique on its unit, never reused.
  virtual std::uint64_t number() const = 0;
  /// Who is at the other end, as far as the network knows: an IPv4 address, or the 64 bits of an
  /// IPv6 address that name a network (its owner has all of it). Empty if the client was gone
  /// before that could be asked.
  virtual std::string_view peer() const = 0;
};
using exchange_ptr = std::shared_ptr<exchange>;

/// A request arrived; it must be answered through the exchange. Of a long one only the header, so
/// that it can be judged before its body costs something: see `http_request::body_follows`.
struct arrival {
  exchange_ptr from;
};
/// The body that was asked for is there, or the request's `flaw` says why not.
struct body_read {
  std::uint64_t number = 0;
};
/// The client of an unanswered exchange closed its connection.
struct client_gone {
  std::uint64_t number = 0;
};

/// What INGRESS knows of ROUTER.
using arrivals_handle = caf::typed_actor<caf::reacts_to<arrival>, caf::reacts_to<body_read>,
                                         caf::reacts_to<client_gone>>;

/// Hand arrivals to this router from now on.
struct serve {
  arrivals_handle router;
};
/// A connection that belongs to this unit, from the unit that accepted it. Opaque to actors.
struct adopt {
  std::shared_ptr<void> connection;
};
/// Accept nothing new, close idle connections, answer when the last one is gone.
struct drain {};
struct drained {};
/// Close everything now.
struct cut {};

using ingress_handle = caf::typed_actor<caf::reacts_to<serve>, caf::reacts_to<adopt>,
                                        caf::replies_to<drain>::with<drained>, caf::reacts_to<cut>>;

// --- EGRESS --------------------------------------------------------------------------------------

/// Where a fetch goes and how much it may cost. Shared by all fetches to one upstream.
struct destination {
  http::url url;
  std::chrono::milliseconds connect_timeout{5000};
  std::size_t max_response_bytes = 64 * 1024 * 1024;
  bool redirects = true;  ///< those within the origin are followed; else none is
  /// Fetches with the same word (and origin) share connections; those of others do not take them
  /// away. Empty: all that have none.
  std::string share{};
  /// Judged at each address that is connected to, so that no name leads elsewhere.
  http::peers whom = http::peers::all;
  /// If EGRESS keeps so many idle connections, whatever their origins, it closes those to this one
  /// when they become idle.
  std::size_t idle_in_all = std::numeric_limits<std::size_t>::max();
};

/// One HTTP request to an upstream. The body is written piece by piece, without joining them:
/// `before` + `first` + `second` + `after`. `keep` keeps alive what the views point into.
struct fetch {
  std::uint64_t id = 0;  ///< chosen by the asker, who gets it back with every message
  std::shared_ptr<const destination> to;
  verb method = verb::post;
  /// Header lines after the request line and Host, each ending in CRLF; Content-Length is added.
  std::shared_ptr<const std::string> headers;
  /// The same, of this request alone, behind those that many have in common; or null.
  std::shared_ptr<const std::string> own_headers{};
  std::string before;
  std::string_view first, second, after;
  std::shared_ptr<const void> keep;
  /// The server may execute it twice without harm, so a connection that dies before the first byte
  /// of the answer is replaced and the request sent again, once.
  bool repeatable = false;
  /// INGRESS's number of the client's request that it is for; 0: of none, or of several.
  std::uint64_t request = 0;
};
using fetch_ptr = std::shared_ptr<const fetch>;

enum class fetch_end : std::uint8_t {
  complete,         ///< status and whole body received, or the event stream ended properly
  connect_failed,   ///< nothing was sent
  connect_timeout,  ///< nothing was sent
  overloaded,       ///< nothing was sent: too many requests wait for this origin
  broken,           ///< the connection died before the answer was complete
  too_large,        ///< the answer exceeded `max_response_bytes`
  malformed,        ///< not HTTP, or an event stream with an endless line
  redirected,       ///< a redirect we do not follow: another origin, or too many
};

/// Where a connection ended that did not come to be.
enum class obstacle : std::uint8_t {
  none,
  unresolved,   ///< the host's name stands for no address
  forbidden,    ///< it stands for addresses that are not among `destination::whom`
  unreachable,  ///< nobody listens there, or there is no way to it
  tls,          ///< somebody does, but without TLS, or with another one's certificate
};

enum class media : std::uint8_t { none, json, events, other };

/// A fetch ended. Exactly one per fetch, unless it was abandoned.
struct fetched {
  std::uint64_t id = 0;
  fetch_end end = fetch_end::complete;
  gate::obstacle obstacle = obstacle::none;  ///< with `connect_failed`
  int status = 0;
  gate::media media = gate::media::none;
  std::string session_id;                   ///< the Mcp-Session-Id header, if any
  std::shared_ptr<const std::string> body;  ///< null for event streams
  /// The latest `retry:` of an event stream: when the server wants to be asked for the rest.
  std::optional<std::uint32_t> retry_ms;
  /// With an end other than `complete`: no byte of the answer had been read and the peer has surely
  /// not begun to process the request.
  bool untouched = false;
  /// The head said `Retry-After`: with a 503, that the server is busy but well.
  bool retry_after = false;
  std::string retry_after_text{};  ///< its value, of at most `limits::retry_after_bytes`
  std::string why;                 ///< for the log: may name hosts
};

/// Events of an answer that is an event stream, as they arrive; before its `fetched`. Without
/// events: the stream that a GET asked for is open.
struct streamed {
  std::uint64_t id = 0;
  std::string session_id;
  std::optional<std::uint32_t> retry_ms;  ///< the latest so far
  std::vector<sse::event> events;
};

/// Whoever asks EGRESS must take these.
using fetch_client = caf::typed_actor<caf::reacts_to<fetched>, caf::reacts_to<streamed>>;

/// Starts a fetch. A DELETE may wait behind the calls of others (`limits::end_wait` at most), and
/// ends as broken if it is not answered within `limits::goodbye` from when it is sent.
struct start_fetch {
  fetch_ptr what;
  fetch_client asker;
};
/// The asker lost interest: close the connection, send nothing more for this id.
struct abandon_fetch {
  std::uint64_t id = 0;
  fetch_client asker;
};

using egress_handle = caf::typed_actor<caf::reacts_to<start_fetch>, caf::reacts_to<abandon_fetch>>;

// --- WATCH ---------------------------------------------------------------------------------------

/// The operator wants the process to end (SIGTERM, SIGINT). The second time it ends at once,
/// without asking anybody.
struct stop_requested {};
/// The operator wants the configuration read again (SIGHUP), or has changed it (--watch).
struct reload_requested {};
using watcher_handle =
    caf::typed_actor<caf::reacts_to<stop_requested>, caf::reacts_to<reload_requested>>;
/// Tell this actor from now on.
struct watch_for {
  watcher_handle who;
};
using watch_handle = caf::typed_actor<caf::reacts_to<watch_for>>;

// --- STORE ---------------------------------------------------------------------------------------
// What the instances of a fleet share: a Redis server. One for each unit; none without a URL. All
// that is asked within one turn of the unit leaves in one write.

/// One operation: a command, or a script with its keys and arguments.
struct store_request {
  std::uint64_t id = 0;          ///< chosen by the asker, who gets it back
  store_op op = store_op::ping;  ///< what it is counted as
  resp::script_ptr script{};     ///< null: `words` are a command, its name the first
  std::vector<std::string> keys{};
  std::vector<std::string> words{};
};
/// What became of it. Exactly one for each, within `limits::store_operation`.
struct store_told {
  std::uint64_t id = 0;
  store_outcome outcome = store_outcome::ok;
  resp::reply_ptr reply{};  ///< of a store that answered: what it said, also when it refused
};
using store_asker = caf::typed_actor<caf::reacts_to<store_told>>;
struct ask_store {
  store_request what;
  store_asker asker;
};

/// To those that watch or listen. `here`: the store is there, and from this moment on everything is
/// heard that is said on the channels that one listens to; all that was known before may be old.
/// It comes at the beginning, at every return, and when further channels are listened to. `anew`:
/// it has come back without what it had; what is known of it here, it does not know.
struct store_turned {
  bool here = false;
  bool anew = false;
};
using store_watcher = caf::typed_actor<caf::reacts_to<store_turned>>;
/// Tell this one from now on, as long as it lives.
struct watch_store {
  store_watcher who;
};

/// Somebody published this.
struct store_heard {
  std::string channel;
  std::string text;
};
using store_listener = store_watcher::extend<caf::reacts_to<store_heard>>;
/// It listens to these channels as well, as long as it lives.
struct listen_to_store {
  std::vector<std::string> channels;
  store_listener who;
};
/// It does not any more.
struct unlisten_store {
  std::vector<std::string> channels;
  store_listener who;
};

using store_handle =
    caf::typed_actor<caf::reacts_to<ask_store>, caf::reacts_to<watch_store>,
                     caf::reacts_to<listen_to_store>, caf::reacts_to<unlisten_store>>;

// --- CHILD ---------------------------------------------------------------------------------------
// The shim's door to child processes that speak over standard input and output. CHILDREN starts
// them; each is a CHILD, which ends itself when nothing of its process group and its descendants is
// left. What CHILD tells comes in this order: `child_started` or `child_failed` (then nothing
// more); lines and `child_exited` in any order; `child_gone`. If its user dies, everything that was
// started is killed.

/// One line (a JSON-RPC message, without its LF) to the child's standard input.
struct child_line {
  std::string text;
};
/// Go on reading its standard output: the lines told last have been dealt with.
struct child_read_on {};
/// Nothing more comes on its standard input; what still waits to be written is dropped.
struct close_child_input {};
struct signal_child {
  enum class how : std::uint8_t {
    terminate,  ///< SIGTERM to the process group
    kill,       ///< SIGKILL to the process group and every descendant, until none is left
  } what = how::terminate;
};
using child_handle =
    caf::typed_actor<caf::reacts_to<child_line>, caf::reacts_to<child_read_on>,
                     caf::reacts_to<close_child_input>, caf::reacts_to<signal_child>>;

/// The program runs, and may be written to.
struct child_started {
  child_handle child;
  std::int64_t pid = 0;
};
/// The program could not be started, or was killed before it was.
struct child_failed {
  std::string why;  ///< for the log
};
/// Complete lines of its standard output, without LF. Nothing more is read before `child_read_on`.
struct child_spoke {
  std::vector<std::string> lines;
  std::size_t too_long = 0;  ///< lines that were dropped, for they exceeded the bound
  bool last = false;         ///< its standard output has ended
};
/// So many bytes of what it was given have been written, or dropped.
struct child_took {
  std::size_t bytes = 0;
  /// It has closed its standard input (perhaps it is ending): this was dropped, all else will be,
  /// and something that was written before may be unread.
  bool deaf = false;
};
/// The child itself has ended; others of its group may not have.
struct child_exited {
  int status = 0;  ///< exit code, or the signal that killed it
  bool by_signal = false;
};
/// Nothing is left of it: every process that it started has ended and was reaped.
struct child_gone {};

/// Whoever has a child must take these.
using child_user = caf::typed_actor<caf::reacts_to<child_started>, caf::reacts_to<child_failed>,
                                    caf::reacts_to<child_spoke>, caf::reacts_to<child_took>,
                                    caf::reacts_to<child_exited>, caf::reacts_to<child_gone>>;

struct start_child {
  std::string label;  ///< names it in the log
  child_user user;
};
/// Where the child is, or will be told to have failed: as long as this lives, so may processes.
struct child_made {
  child_handle child;
};
using children_handle = caf::typed_actor<caf::replies_to<start_child>::with<child_made>>;

}  // namespace gate

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::arrival)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::body_read)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::client_gone)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::serve)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::adopt)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::drain)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::drained)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::cut)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::start_fetch)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::abandon_fetch)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::fetched)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::streamed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::stop_requested)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::reload_requested)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::watch_for)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::ask_store)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::store_told)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::watch_store)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::store_turned)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::listen_to_store)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::unlisten_store)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::store_heard)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::child_line)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::child_read_on)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::close_child_input)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::signal_child)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::child_started)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::child_failed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::child_spoke)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::child_took)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::child_exited)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::child_gone)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::start_child)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::child_made)
