#pragma once
/// A recording of a gateway: what passed through its doors, as JSON Lines. One table says which
/// events there are, one which members each has; the writer, the reader, the JSON Schema and the
/// documentation are made of them. Pure. docs/simulations.md describes the format for its readers.
///
///   {"gate_recording":1,"version":"…","started":"…","units":1,…,"config":{…}}    the first line
///   {"t":1042,"u":0,"e":"request","n":7,"peer":"127.0.0.1","method":"POST",…}    events
///   {"end":"shutdown"}                                                          the last line
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/recording/header_list.hpp"
#include "protocol/sse/parser.hpp"

namespace gate::recording {

/// The format that this version writes, and the only one that it reads.
inline constexpr std::uint64_t format = 1;

/// What happened. `n` of an event is the number of the client's request or of the fetch that it
/// belongs to: each is unique on its unit, never used again, and counted apart.
enum class kind : std::uint8_t {
  // INGRESS: a client's request (`n`), and what it was told.
  request,  ///< it arrived
  body,     ///< its body, which was asked for after the header
  answer,   ///< the whole response
  stream,   ///< an event stream was opened for it
  sent,     ///< bytes on that stream
  ended,    ///< the gateway ended the stream
  dropped,  ///< the gateway let go of it unanswered: INGRESS says 500, or cuts the stream
  gone,     ///< its client closed the connection before it was answered
  moved,    ///< it went to another unit, where it arrives as a request of its own
  // EGRESS: a fetch (`n`), and what came of it.
  fetch,      ///< was asked for
  abandoned,  ///< nobody wants it any more
  streamed,   ///< events of its answer; without any: its stream is open
  fetched,    ///< its end
  // STORE: an operation (`n`), and what came of it; what was said of it and on it.
  asked,   ///< was asked for
  told,    ///< its end
  turned,  ///< the store is there, or is not any more
  heard,   ///< somebody published something
  // The operator.
  reload,    ///< SIGHUP, a changed file, or a call of the embedding program
  document,  ///< a document was read and is to be taken over
  adopted,   ///< the unit goes by another configuration from here on
  stop,      ///< SIGTERM or SIGINT
  // What the gateway said of it all.
  audit,  ///< an audit event
};
inline constexpr std::size_t kinds = static_cast<std::size_t>(kind::audit) + 1;

/// What members may say.
enum class shape : std::uint8_t {
  text,   ///< a string
  bytes,  ///< a string; where the bytes are not UTF-8, base64 in a member with `64` behind its name
  number,   ///< a whole number from 0
  flag,     ///< true, or absent
  json,     ///< any JSON value, as it was
  headers,  ///< [["name","value"],…], in their order
  events,   ///< [{"data":"…","id":"…","event":"…"},…]; no `id`: it has none of its own
};

enum class field : std::uint8_t {
  peer,
  method,
  target,
  url,
  headers,
  body,
  token,
  follows,
  arrives,
  flaw,
  status,
  type,
  close,
  data,
  to,
  session,
  media,
  events,
  retry,
  end,
  obstacle,
  untouched,
  retry_after,
  why,
  op,
  words,
  outcome,
  reply,
  here,
  anew,
  channel,
  text,
  document,
  line,
  request,
};
inline constexpr std::size_t fields = static_cast<std::size_t>(field::request) + 1;

struct kind_row {
  kind what;
  std::string_view name;
  std::string_view means;
};
inline constexpr std::array<kind_row, kinds> kind_table{{
    {kind::request, "request", "a client's request arrived"},
    {kind::body, "body", "its body, which was asked for after its header had been judged"},
    {kind::answer, "answer", "it was answered with this response"},
    {kind::stream, "stream", "it was answered with an event stream, which is open from here on"},
    {kind::sent, "sent", "bytes on that stream"},
    {kind::ended, "ended", "the gateway ended that stream"},
    {kind::dropped, "dropped", "the gateway let go of the request without an answer"},
    {kind::gone, "gone", "the client closed its connection before it was answered"},
    {kind::moved, "moved", "the request went to another unit, where it arrives anew"},
    {kind::fetch, "fetch", "a request to an upstream, an issuer or another server"},
    {kind::abandoned, "abandoned", "the gateway does not want its answer any more"},
    {kind::streamed, "streamed", "events of its answer; without events: its stream is open"},
    {kind::fetched, "fetched", "how it ended, and its answer"},
    {kind::asked, "asked", "an operation of the shared store"},
    {kind::told, "told", "what became of it"},
    {kind::turned, "turned", "the shared store is there, or is not any more"},
    {kind::heard, "heard", "another instance published something"},
    {kind::reload, "reload", "the operator wants the configuration read again"},
    {kind::document, "document", "a configuration document was read"},
    {kind::adopted, "adopted",
     "the unit goes by another configuration from here on: requests that stand behind it do"},
    {kind::stop, "stop", "the operator wants the gateway to end"},
    {kind::audit, "audit", "an audit event"},
}};

struct field_row {
  field what;
  std::string_view name;
  shape of;
  std::string_view in;  ///< kinds of events, with spaces between
  std::string_view means;
};
inline constexpr std::array<field_row, fields> field_table{{
    {field::peer, "peer", shape::text, "request", "the client's address"},
    {field::method, "method", shape::text, "request fetch", "GET, POST, DELETE, OPTIONS or PATCH"},
    {field::target, "target", shape::text, "request", "path and query, as the client sent them"},
    {field::url, "url", shape::text, "fetch", "where the request goes"},
    {field::headers, "headers", shape::headers, "request answer stream fetch",
     "header lines in their order; of an answer those that MCP has"},
    {field::body, "body", shape::bytes, "request body answer fetch fetched", "the body, if any"},
    {field::token, "token", shape::json, "request body",
     "what the bearer token or assertion says of itself, unproven: "
     "`{\"secret\",\"alg\",\"kid\",\"typ\",\"claims\"}`; of one that is no JWT only `secret`"},
    {field::follows, "follows", shape::flag, "request", "the body comes later, in `body`"},
    {field::arrives, "arrives", shape::flag, "request", "from another unit"},
    {field::flaw, "flaw", shape::text, "request body", "what was wrong with it as HTTP"},
    {field::status, "status", shape::number, "answer fetched", "the HTTP status"},
    {field::type, "type", shape::text, "answer", "the media type"},
    {field::close, "close", shape::flag, "answer", "the connection ends with it"},
    {field::data, "data", shape::bytes, "sent", "the bytes"},
    {field::to, "to", shape::number, "moved", "the other unit"},
    {field::session, "session", shape::text, "streamed fetched",
     "a stand-in for the server's `Mcp-Session-Id`"},
    {field::media, "media", shape::text, "fetched", "json, events, other or none"},
    {field::events, "events", shape::events, "streamed", "the events"},
    {field::retry, "retry", shape::number, "streamed fetched",
     "milliseconds: the latest `retry:` of the stream"},
    {field::end, "end", shape::text, "fetched",
     "complete, or why there is no (whole) answer: connect_failed, connect_timeout, overloaded, "
     "broken, too_large, malformed, redirected"},
    {field::obstacle, "obstacle", shape::text, "fetched",
     "where a connection ended that did not come to be"},
    {field::untouched, "untouched", shape::flag, "fetched",
     "the server has surely not begun with it"},
    {field::retry_after, "retry_after", shape::text, "fetched", "the header `Retry-After`"},
    {field::why, "why", shape::text, "fetched", "for the log"},
    {field::op, "op", shape::text, "asked", "what kind of operation"},
    {field::words, "words", shape::json, "asked", "the command, or keys and arguments of a script"},
    {field::outcome, "outcome", shape::text, "told", "ok, or why there is no answer"},
    {field::reply, "reply", shape::json, "told", "what the store said, if it answered"},
    {field::here, "here", shape::flag, "turned", "it is there"},
    {field::anew, "anew", shape::flag, "turned", "it has come back without what it had"},
    {field::channel, "channel", shape::text, "heard", "where it was said"},
    {field::text, "text", shape::text, "heard", "what was said"},
    {field::document, "document", shape::json, "document", "the document"},
    {field::line, "line", shape::json, "audit", "the event, as sinks get it"},
    {field::request, "request", shape::number, "fetch audit",
     "`n` of the client's request, on the same unit, that it is of; absent: of none, or, of a "
     "list, of several"},
}};

consteval bool tables_in_order() {
  for (std::size_t i = 0; i < kinds; ++i)
    if (static_cast<std::size_t>(kind_table[i].what) != i) return false;
  for (std::size_t i = 0; i < fields; ++i)
    if (static_cast<std::size_t>(field_table[i].what) != i) return false;
  return true;
}
static_assert(tables_in_order());

constexpr const kind_row& row(kind k) {
  return kind_table[static_cast<std::size_t>(k)];
}
constexpr const field_row& row(field f) {
  return field_table[static_cast<std::size_t>(f)];
}

/// Has an event of this kind such a member? (`in` of the table is a list of words.)
constexpr bool has(kind k, field f) {
  auto rest = row(f).in;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == row(k).name) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

/// Why a recording ends.
enum class ending : std::uint8_t {
  none,      ///< it has no last line: whoever wrote it was killed, or still writes
  shutdown,  ///< the gateway ended
  limit,     ///< it has as many bytes as it may
  gap,       ///< it could not be written as fast as things happened
};
inline constexpr std::array<std::pair<std::string_view, ending>, 3> endings{
    {{"shutdown", ending::shutdown}, {"limit", ending::limit}, {"gap", ending::gap}}};

/// The first line.
struct preamble {
  std::string version;  ///< of the gateway
  std::string started;  ///< RFC 3339, with microseconds: the wall clock at `t` 0
  std::uint64_t units = 1;
  std::string config;  ///< the document
  /// The monotonic clock at `t` 0, in µs since a whole minute: rate windows begin with its minutes.
  std::uint64_t clock = 0;
  bool operator==(const preamble&) const = default;
};

/// One event, as it was read. Members that its kind does not have, or that the line had not, are
/// empty.
struct event {
  kind what = kind::request;
  std::uint64_t at = 0;  ///< µs since the recording began, by a clock that never goes back
  std::uint64_t unit = 0;
  std::uint64_t number = 0;  ///< `n`
  std::string peer, method, target, url;
  header_list headers;
  std::optional<std::string> body;
  std::string token;  ///< JSON
  bool follows = false, arrives = false;
  std::string flaw;
  std::uint64_t status = 0;
  std::string type;
  bool close = false;
  std::string data;
  std::uint64_t to = 0;
  std::string session, media;
  std::vector<sse::event> events;
  std::optional<std::uint64_t> retry;
  std::string end, obstacle;
  bool untouched = false;
  std::optional<std::string> retry_after;
  std::string why;
  std::string op, words, outcome, reply;  ///< of the store; words and reply are JSON
  bool here = false, anew = false;
  std::string channel, text, document, line;
  std::uint64_t request = 0;  ///< of a fetch or an audit event; 0: of none

  /// Value of a header by its name in any case; empty if there is none.
  std::string_view header_of(std::string_view name) const;
};

}  // namespace gate::recording
