#include "actors/doctor/upstream_visit.hpp"

#include <utility>

#include "actors/doctor/words.hpp"
#include "actors/upstream/spoken.hpp"
#include "protocol/base/pen.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits/doctor.hpp"
#include "protocol/mcp/http_rules.hpp"
#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/stateless/headers.hpp"

namespace gate::doctor {
namespace {

using config::credential_source;
using config::protocol_choice;

/// The characters of a raw JSON string; of what is none, nothing.
std::string characters(std::string_view raw) {
  std::string out;
  return json::unquote(raw, out) ? out : std::string{};
}

/// Of an error its code, if that is a number.
std::string error_words(std::string_view raw_error, const notes& by) {
  const auto code = json::member(raw_error, "code");
  const bool number = code.find_first_not_of("-0123456789") == std::string_view::npos;
  const auto text = characters(json::member(raw_error, "message"));
  return "error" + (number ? ' ' + printable(code.substr(0, 20)) : std::string{}) +
         (text.empty() ? "" : ", " + in_quotes(by.clean(text)));
}

std::string server_words(std::string_view raw_result, const notes& by) {
  const auto info = json::member(raw_result, "serverInfo");
  const auto name = characters(json::member(info, "name"));
  if (name.empty()) return "";
  const auto version = characters(json::member(info, "version"));
  return ", " + in_quotes(by.clean(name)) +
         (version.empty() ? "" : " " + printable(by.clean(version)));
}

}  // namespace

upstream_visit::upstream_visit(upstream_question q)
    : examination(q.pointer, q.id), q_(std::move(q)) {}

action upstream_visit::begin() {
  return look{q_.where};
}

action upstream_visit::seen(const inspected& m) {
  if (!reachable(m, q_.where, q_.wall())) return done{};
  if (q_.protocol == protocol_choice::session) return initialize();
  era_ = mcp::era::stateless;
  agreed_.version = mcp::stateless_versions.back();
  state_ = state::discovering;
  return ask(mcp::names::discover, {});
}

// --- requests ------------------------------------------------------------------------------------

request upstream_visit::ask(std::string_view method, std::string params) {
  const bool notice = method.starts_with("notifications/");
  const auto id = notice ? std::string{} : std::to_string(next_id_++);
  std::string body = R"({"jsonrpc":"2.0",)" + (notice ? "" : "\"id\":" + id + ",") +
                     R"("method":")" + std::string(method) + '"';
  std::string headers =
      "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
  if (!session_.empty()) headers += mcp::session_line(session_);
  if (!agreed_.version.empty())
    headers.append("MCP-Protocol-Version: ").append(agreed_.version) += "\r\n";
  if (era_ == mcp::era::stateless) {
    std::string more;
    pen own(more, 64);
    mcp::stateless::write_header_lines(own, method, {});
    headers.append(own.text());
    params = R"({"_meta":)" + mcp::stateless::write_meta("{}", {}) +
             (params.empty() ? "" : "," + params.substr(1, params.size() - 2)) + '}';
  }
  if (!params.empty()) body += R"(,"params":)" + params;
  auto out = make_request(q_.where, verb::post, headers + q_.credential_line, body + '}', true,
                          q_.max_bytes);
  out.answered_by = id;
  return out;
}

action upstream_visit::initialize() {
  era_ = mcp::era::session;
  agreed_ = {};
  state_ = state::initializing;
  return ask(mcp::names::initialize, upstream::initialize_params("{}"));
}

action upstream_visit::leave() {
  if (session_.empty() || state_ == state::ending) return done{};
  state_ = state::ending;
  std::string headers = std::string(mcp::session_line(session_));
  if (!agreed_.version.empty())
    headers.append("MCP-Protocol-Version: ").append(agreed_.version) += "\r\n";
  return make_request(q_.where, verb::del, headers + q_.credential_line, {}, true);
}

action upstream_visit::fail(check what, std::string seen, std::string advice) {
  if (what == check::resources)
    say().warn(what, std::move(seen), std::move(advice));
  else
    say().error(what, std::move(seen), std::move(advice));
  return leave();
}

/// As soon as it is known: whatever comes of the answer, the session is there.
void upstream_visit::take_session(std::string_view id) {
  if (state_ == state::initializing && upstream::is_session_id(id)) session_ = id;
}

action upstream_visit::late(std::string_view opened) {
  take_session(opened);
  switch (state_) {
    case state::ending:
      return done{};
    case state::looking:
      say().error(check::connection, "no connection in time", "give --timeout a greater value");
      return done{};
    case state::noting:
      return fail(check::handshake, "it does not take notifications/initialized in time",
                  "see what the server is busy with");
    case state::discovering:
    case state::initializing:
      return fail(check::handshake,
                  "it was connected to, and does not answer " +
                      std::string(state_ == state::discovering ? "server/discover" : "initialize") +
                      " in time",
                  "see what the server is busy with, and whether the URL's path is that of MCP");
    case state::tools:
    case state::resources:
      break;
  }
  return fail(state_ == state::tools ? check::tools : check::resources,
              "its list does not come in time", "see what the server is busy with");
}

// --- answers -------------------------------------------------------------------------------------

action upstream_visit::refused(const reply& r, check what, std::string_view method) {
  const auto status = "HTTP " + std::to_string(r.status);
  switch (q_.credential) {
    case credential_source::caller:
      say().ok(what, "it refuses to answer without a credential (" + status +
                         "), which is each caller's: what it offers depends on that");
      return leave();
    case credential_source::token_endpoint:
      say().ok(what, "it refuses to answer without a credential (" + status +
                         "), and no token is fetched: what it offers is not known");
      return leave();
    case credential_source::environment:
      if (what != check::handshake) break;
      return fail(
          check::handshake, "it refuses the credential of " + q_.secret_name + " (" + status + ")",
          "see whether the secret is still good, and whether \"header\" and \"scheme\" are right");
    case credential_source::nothing:
      break;
  }
  // Who was let in by a handshake is known, and may not do everything.
  if (what != check::handshake)
    return fail(what, "it refuses " + std::string(method) + " (" + status + ")",
                "see what the server allows whom it let in");
  return fail(check::handshake, "it wants a credential (" + status + "), and has none here",
              "give the upstream an \"auth\"");
}

std::optional<action> upstream_visit::no_answer(const reply& r, check what,
                                                std::string_view method) {
  if (r.end == fetch_end::redirected)
    return fail(what, "it redirects: " + failure_of(r),
                "write the address that it leads to into the document");
  if (r.end == fetch_end::too_large && q_.max_bytes < limits::doctor_answer_bytes)
    return fail(what, "what answers " + std::string(method) + " is larger than maxResponseBytes",
                "give it a greater value");
  if (r.end != fetch_end::complete)
    return fail(what, std::string(method) + " is not answered: " + failure_of(r),
                "see the server's own log");
  if (r.status == 401 || r.status == 403) return refused(r, what, method);
  return std::nullopt;
}

action upstream_visit::discovered(const reply& r) {
  if (auto over = no_answer(r, check::handshake, mcp::names::discover)) return std::move(*over);
  const auto m = upstream::read_message(r.text);
  const bool answers = m && m->kind == jsonrpc::kind::response;
  if (answers && !m->result.empty()) {
    auto what = upstream::read_discover_result(m->result);
    if (what) return agreed(std::move(*what), r, m->result);
    return fail(check::handshake, printable(what.error().what), "update the server");
  }
  const auto error = answers ? m->error : std::string_view{};
  const bool other = upstream::is_other_era(r.status, error);
  if (other && q_.protocol == protocol_choice::automatic) return initialize();
  const auto answered = "server/discover is answered with HTTP " + std::to_string(r.status) +
                        (error.empty() ? "" : " and " + error_words(error, said()));
  return fail(
      check::handshake, answered,
      other
          ? R"(it does not speak MCP without sessions there: set "protocol" to "auto" or "session")"
          : "see whether the URL's path is that of MCP, and the server's own log");
}

action upstream_visit::initialized(const reply& r) {
  take_session(r.session_id);
  if (auto over = no_answer(r, check::handshake, mcp::names::initialize)) return std::move(*over);
  if (upstream::speaks_another(mcp::era::session, r.status, r.text))
    return fail(check::handshake, "it speaks MCP without sessions alone",
                R"(set "protocol" to "auto")");
  const auto m = upstream::read_message(r.text);
  const bool answers = m && m->kind == jsonrpc::kind::response;
  const auto status = "HTTP " + std::to_string(r.status);
  if (answers && m->result.empty())
    return fail(check::handshake,
                "initialize is answered with " + status + " and " + error_words(m->error, said()),
                "see the server's own log");
  if (r.status != 200)
    return fail(check::handshake, "initialize is answered with " + status,
                r.status == 404 || r.status == 405 ? "see whether the URL's path is that of MCP"
                                                   : "see the server's own log");
  if (!answers)
    return fail(check::handshake, "what answers initialize is no JSON-RPC",
                "see whether the URL's path is that of MCP");
  if (!r.session_id.empty() && session_.empty())
    return fail(check::handshake, "its session id is not visible ASCII", "update the server");
  auto what = upstream::read_initialize_result(m->result);
  if (!what) return fail(check::handshake, printable(what.error().what), "update the server");
  return agreed(std::move(*what), r, m->result);
}

action upstream_visit::agreed(upstream::handshake what, const reply& r,
                              std::string_view raw_result) {
  agreed_ = std::move(what);
  era_ = agreed_.era;
  const bool sessions = era_ == mcp::era::session;
  say().ok(check::handshake,
           "MCP " + agreed_.version + (sessions ? " with sessions" : " without sessions") +
               server_words(raw_result, said()) + ", in " + in_milliseconds(r.took));
  if (!sessions) return list(mcp::list_kind::tools);
  state_ = state::noting;
  return ask("notifications/initialized", {});
}

action upstream_visit::heard(const reply& r) {
  switch (state_) {
    case state::looking:
    case state::ending:
      return done{};
    case state::discovering:
      return discovered(r);
    case state::initializing:
      return initialized(r);
    case state::noting:
      return list(mcp::list_kind::tools);
    case state::tools:
    case state::resources:
      break;
  }
  return listed_page(r);
}

// --- lists ---------------------------------------------------------------------------------------

action upstream_visit::list(mcp::list_kind kind) {
  const auto& row = mcp::row(kind);
  const bool tools = kind == mcp::list_kind::tools;
  if (kind != listing_) {
    listing_ = kind;
    cursor_.clear();
    pages_ = skipped_ = 0;
    list_took_ = {};
    state_ = tools ? state::tools : state::resources;
    if (!agreed_.offers(kind)) {
      if (tools) say().ok(check::tools, "it has no tools");
      return tools ? list(mcp::list_kind::resources) : leave();
    }
  }
  return ask(row.method, cursor_.empty() ? std::string{} : R"({"cursor":)" + cursor_ + '}');
}

action upstream_visit::listed_page(const reply& r) {
  const auto& row = mcp::row(listing_);
  const bool tools = listing_ == mcp::list_kind::tools;
  const auto what = tools ? check::tools : check::resources;
  const auto bad = [&](std::string seen) {
    return fail(what, std::move(seen), "see the server's own log");
  };
  if (auto over = no_answer(r, what, row.method)) return std::move(*over);
  const auto m = upstream::read_message(r.text);
  if (!m || m->kind != jsonrpc::kind::response)
    return bad("what answers " + std::string(row.method) + " is no JSON-RPC (HTTP " +
               std::to_string(r.status) + ")");
  if (m->result.empty())
    return bad(std::string(row.method) + " is answered with " + error_words(m->error, said()));
  std::size_t skipped = 0;
  auto page = mcp::read_list_page(m->result, row.shape, tools ? q_.prefix : "", &skipped);
  if (!page) return bad(printable(said().clean(page.error().what)));
  skipped_ += skipped;
  list_took_ += r.took;
  auto& names = tools ? tools_ : uris_;
  const auto room = limits::doctor_items - names.size();
  const bool full = page->items.size() > room || (page->more && page->items.size() == room);
  for (auto& item : page->items) {
    if (names.size() == limits::doctor_items) break;
    names.push_back(std::move(item.key));
  }
  ++pages_;
  if (full) return list_ended("items");
  if (!page->more) return list_ended({});
  if (pages_ >= limits::doctor_pages) return list_ended("pages");
  cursor_ = std::move(page->next_cursor);
  return list(listing_);
}

action upstream_visit::list_ended(std::string_view left_out) {
  const bool tools = listing_ == mcp::list_kind::tools;
  const auto what = tools ? check::tools : check::resources;
  const auto seen = counted((tools ? tools_ : uris_).size(), tools ? "tool" : "resource") + " in " +
                    in_milliseconds(list_took_);
  if (!left_out.empty())
    say().warn(what, seen + ", and further " + std::string(left_out) + " are not looked at",
               "see whether the server's list has an end: each page may name a further one");
  else if (list_took_ > limits::doctor_slow)
    say().warn(what, seen + ": that is slow",
               "clients wait for it when no copy is kept (cacheTtlMs)");
  else
    say().ok(what, seen);
  if (skipped_ > 0)
    say().warn(what, counted(skipped_, "item") + " without a name that can be shown are left out",
               "see the server's list");
  if (!tools) return leave();
  judge_tool_names(tools_, say());
  return list(mcp::list_kind::resources);
}

}  // namespace gate::doctor
