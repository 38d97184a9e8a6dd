#include "actors/doctor/service_visits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "actors/doctor/words.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/oauth/key_set.hpp"
#include "protocol/oauth/metadata.hpp"
#include "protocol/trace/export.hpp"

namespace gate::doctor {
namespace {

std::string text_member(std::string_view object, std::string_view key) {
  std::string out;
  return json::unquote(json::member(object, key), out) ? out : std::string{};
}

std::string bare(std::string_view issuer) {
  while (issuer.ends_with('/')) issuer.remove_suffix(1);
  return std::string(issuer);
}

/// Where metadata is, by OpenID Connect Discovery: behind the issuer's path.
std::optional<http::url> openid_place(const std::string& issuer) {
  const auto url = http::parse_url(bare(issuer) + "/.well-known/openid-configuration");
  return url ? std::optional(*url) : std::nullopt;
}

/// By RFC 8414: before the issuer's path.
std::optional<http::url> oauth_place(const std::string& issuer) {
  auto url = http::parse_url(bare(issuer));
  if (!url) return std::nullopt;
  url->target = std::string(oauth::server_metadata_path) + (url->target == "/" ? "" : url->target);
  return *url;
}

request get(const http::url& where, std::string_view accept) {
  return make_request(where, verb::get, "Accept: " + std::string(accept) + "\r\n", {});
}

/// `field:value` of what INFO says.
std::string_view info_field(std::string_view info, std::string_view name) {
  while (!info.empty()) {
    auto line = info.substr(0, info.find('\n'));
    info.remove_prefix(std::min(info.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':'))
      return line.substr(name.size() + 1);
  }
  return {};
}

/// Is `version` below `major.minor`? What is no version is not.
bool is_older(std::string_view version, int major, int minor) {
  int a = 0, b = 0;
  const auto* end = version.data() + version.size();
  const auto first = std::from_chars(version.data(), end, a);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '.') return false;
  if (std::from_chars(first.ptr + 1, end, b).ec != std::errc{}) return false;
  return a < major || (a == major && b < minor);
}

}  // namespace

void judge_skew(std::chrono::microseconds ahead, std::chrono::microseconds uncertain, bool tokens,
                notes& say) {
  const auto amount = std::max<std::chrono::microseconds>(std::chrono::abs(ahead) - uncertain, {});
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(amount).count();
  if (amount <= limits::doctor_skew) return say.ok(check::clock, "its clock and ours agree");
  const auto seen = "its clock is " + counted(static_cast<std::size_t>(seconds), "second") +
                    (ahead.count() > 0 ? " ahead of ours" : " behind ours");
  const std::string advice = "have both machines take their time from the network (NTP)";
  if (tokens && amount > limits::token_leeway)
    return say.error(check::clock, seen + ": its tokens are too early or too late here", advice);
  say.warn(check::clock, seen, advice);
}

// --- those that are only reached -----------------------------------------------------------------

reach_visit::reach_visit(std::string pointer, std::string subject, check what, http::url where,
                         wall_clock wall)
    : examination(std::move(pointer), std::move(subject)),
      what_(what),
      where_(std::move(where)),
      wall_(std::move(wall)) {}

action reach_visit::seen(const inspected& m) {
  if (reachable(m, where_, wall_())) say().ok(what_, "can be reached; nothing is sent to it");
  return done{};
}

action reach_visit::late(std::string_view) {
  say().error(check::connection, "no connection in time", "give --timeout a greater value");
  return done{};
}

// --- issuers -------------------------------------------------------------------------------------

issuer_visit::issuer_visit(std::string pointer, std::string issuer, http::url keys, wall_clock wall)
    : examination(std::move(pointer), issuer),
      issuer_(std::move(issuer)),
      keys_(std::move(keys)),
      wall_(std::move(wall)) {}

action issuer_visit::seen(const inspected& m) {
  // That it is no HTTP, the key set's own answer says better.
  if (!reachable(m, keys_, wall_())) return done{};
  judge_clock(m);
  state_ = state::keys;
  return get(keys_, "application/jwk-set+json, application/json");
}

void issuer_visit::judge_clock(const inspected& m) {
  if (m.copy) {
    say().ok(check::clock, "a cache answers for it: what time it has is not known");
    return;
  }
  const auto now = wall_();
  const auto date = read_date(m.date, now);
  // A second is what a Date can be off by, another one what the answer may take.
  if (date)
    judge_skew(std::chrono::floor<std::chrono::microseconds>(*date - now), std::chrono::seconds(2),
               true, say());
}

void issuer_visit::judge_keys(const reply& r) {
  const auto no = [&](std::string seen, std::string advice) {
    say().error(check::keys, std::move(seen), std::move(advice));
  };
  const auto where = printable(keys_.place());
  const std::string correct = R"(see where it publishes its keys, and name that as "jwksUri")";
  if (r.end != fetch_end::complete)
    return no("its keys can not be had from " + where + ": " + failure_of(r), correct);
  if (r.status != 200)
    return no(where + " is answered with HTTP " + std::to_string(r.status), correct);
  if (r.text.size() > limits::key_set_bytes)
    return no("its key set is larger than " + std::to_string(limits::key_set_bytes) + " bytes",
              "the gateway does not take it");
  const auto set = oauth::read_key_set(r.text);
  if (!set) return no(where + ": " + printable(said().clean(set.error().what)), correct);
  if (set->keys().empty())
    return no("it publishes no key that can verify signatures: its tokens are refused",
              "have it sign with RS256, ES256 or EdDSA, or stronger");
  say().ok(check::keys,
           counted(set->keys().size(), "usable key") + ", in " + in_milliseconds(r.took));
}

action issuer_visit::heard(const reply& r) {
  if (state_ == state::keys) {
    judge_keys(r);
    state_ = state::openid;
    if (const auto where = openid_place(issuer_)) return get(*where, "application/json");
    return done{};
  }
  return metadata(r);
}

action issuer_visit::metadata(const reply& r) {
  const bool there = r.end == fetch_end::complete && r.status == 200 &&
                     json::validate(r.text, {json::deepest, true}) == json::fault::none &&
                     r.text.find('{') != std::string::npos;
  if (there) {
    judge_metadata(r.text);
    return done{};
  }
  const auto second = state_ == state::openid ? oauth_place(issuer_) : std::nullopt;
  if (second) {
    state_ = state::oauth;
    return get(*second, "application/json");
  }
  const auto why = r.end != fetch_end::complete ? failure_of(r)
                   : r.status != 200            ? "HTTP " + std::to_string(r.status)
                                                : std::string("no JSON");
  say().warn(check::issuer,
             "its metadata can not be had (" + why + "): clients can not find out how to sign in",
             "see whether the issuer's URL is the one that it calls itself");
  return done{};
}

void issuer_visit::judge_metadata(std::string_view text) {
  const auto named = text_member(text, "issuer");
  if (named != issuer_)
    return say().error(
        check::issuer,
        "it calls itself " + in_quotes(said().clean(named)) + ": tokens that say so are refused",
        "write it into the document exactly so, a slash at its end included");
  const auto keys = text_member(text, "jwks_uri");
  const auto elsewhere = http::parse_url(keys);
  if (elsewhere && (elsewhere->origin() != keys_.origin() || elsewhere->target != keys_.target))
    return say().warn(check::issuer,
                      "its metadata says that its keys are at " +
                          printable(said().clean(elsewhere->place())) +
                          ", and the gateway takes them from " + printable(keys_.place()),
                      R"(name that as "jwksUri")");
  say().ok(check::issuer, "its metadata names it as the document does");
}

action issuer_visit::late(std::string_view) {
  switch (state_) {
    case state::looking:
      say().error(check::connection, "no connection in time", "give --timeout a greater value");
      break;
    case state::keys:
      say().error(check::keys, "its keys do not come in time", "see what it is busy with");
      break;
    case state::openid:
    case state::oauth:
      say().warn(check::issuer, "its metadata does not come in time", "see what it is busy with");
      break;
  }
  return done{};
}

// --- those that are asked once -------------------------------------------------------------------

asking_visit::asking_visit(question q, wall_clock wall)
    : examination(q.pointer, q.where.host), q_(std::move(q)), wall_(std::move(wall)) {}

action asking_visit::seen(const inspected& m) {
  if (!reachable(m, q_.where, wall_())) return done{};
  state_ = state::asking;
  return std::move(q_.ask);
}

action asking_visit::heard(const reply& r) {
  if (r.end != fetch_end::complete)
    say().error(q_.what, "it does not answer: " + failure_of(r), "see its own log");
  else
    q_.judge(r, say());
  return done{};
}

action asking_visit::late(std::string_view) {
  if (state_ == state::looking) {
    say().error(check::connection, "no connection in time", "give --timeout a greater value");
    return done{};
  }
  say().error(q_.what, "it does not answer in time", "see what it is busy with");
  return done{};
}

void judge_collector(const reply& r, notes& say) {
  if (trace::verdict_of(r.status) == trace::verdict::taken)
    return say.ok(check::collector, "it takes an export of no span, in " + in_milliseconds(r.took));
  say.warn(check::collector,
           "it answers an export of no span with HTTP " + std::to_string(r.status),
           "see whether the URL is that of OTLP over HTTP (port 4318 most often), and the "
           "collector's log");
}

// --- the store -----------------------------------------------------------------------------------

store_visit::store_visit(resp::store_url where, wall_clock wall)
    : examination("/server/redisUrl", where.place()),
      where_(std::move(where)),
      wall_(std::move(wall)) {}

action store_visit::seen(const store_inspected& m) {
  if (!m.ready || !m.why.empty()) {
    say().error(check::store,
                m.why.empty() ? std::string("it does not answer") : printable(said().clean(m.why)),
                "see whether it runs, and whether its address and password are right");
    return done{};
  }
  judge(m.info);
  const auto now = std::chrono::floor<std::chrono::microseconds>(wall_());
  if (m.time) judge_skew(*m.time - now, std::chrono::seconds(1), false, say());
  return done{};
}

void store_visit::judge(std::string_view info) {
  if (info.empty())
    return say().warn(check::store, "it lets us in, and does not say what it is",
                      "allow its user INFO, if this is to be checked");
  const auto version = info_field(info, "redis_version");
  const auto policy = info_field(info, "maxmemory_policy");
  if (is_older(version, 6, 2))
    return say().error(check::store, "its version is " + printable(said().clean(version)),
                       "update it: 6.2 is needed");
  const auto seen = "it lets us in, version " + printable(said().clean(version));
  if (!policy.empty() && policy != "noeviction")
    return say().warn(
        check::store,
        seen + ", and drops keys when it is full (maxmemory-policy " +
            printable(said().clean(policy)) + ")",
        "set maxmemory-policy to noeviction: budgets and tokens that were used are among them");
  say().ok(check::store, seen);
}

action store_visit::late(std::string_view) {
  say().error(check::store, "it does not answer in time",
              "see whether it runs, and what it is busy with");
  return done{};
}

}  // namespace gate::doctor
