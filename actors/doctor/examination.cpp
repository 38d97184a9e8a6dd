#include "actors/doctor/examination.hpp"

#include "actors/doctor/words.hpp"
#include "protocol/limits/doctor.hpp"

namespace gate::doctor {
namespace {

std::string names_of(const seen_certificate& c, const notes& by) {
  if (c.names.empty()) return "no name";
  std::string out;
  for (const auto& n : c.names) out += (out.empty() ? "" : ", ") + printable(by.clean(n));
  if (c.unnamed > 0) out += " and " + std::to_string(c.unnamed) + " more";
  return out;
}

/// False: EGRESS would refuse it.
bool judge(const seen_certificate& c, const http::url& where, std::chrono::sys_seconds now,
           notes& say) {
  const auto days = [&](std::chrono::seconds d) {
    return counted(static_cast<std::size_t>(std::chrono::floor<std::chrono::days>(d).count()),
                   "day");
  };
  if (c.until <= now && c.until != std::chrono::sys_seconds{}) {
    say.error(check::certificate, "its certificate ended on " + on_day(c.until),
              "have the server's certificate renewed");
    return false;
  }
  if (c.from > now) {
    say.error(check::certificate, "its certificate begins on " + on_day(c.from),
              "compare the clocks of both machines");
    return false;
  }
  if (!c.for_host) {
    say.error(check::certificate,
              "its certificate is for " + names_of(c, say) + ", not for " + where.host,
              "use one of these names in the URL, or give the server a certificate for this one");
    return false;
  }
  if (!c.distrust.empty()) {
    say.error(
        check::certificate, "its certificate is not trusted: " + printable(c.distrust),
        "have the server send its whole chain; if its authority is your own, put that into the "
        "system's trust store, or name its file in SSL_CERT_FILE");
    return false;
  }
  const auto seen =
      "certificate for " + names_of(c, say) + ", until " + on_day(c.until) + ", " + c.version;
  if (c.until - now < limits::doctor_certificate)
    say.warn(check::certificate, seen + ": it ends in " + days(c.until - now),
             "see why it is not renewed");
  else
    say.ok(check::certificate, seen);
  return true;
}

}  // namespace

void examination::unchecked() {
  notes_.error(check::connection, "was not looked at: the time was over before",
               "give --timeout a greater value");
}

bool examination::reachable(const inspected& m, const http::url& where,
                            std::chrono::system_clock::time_point now) {
  using stage = inspection_stage;
  const auto at = where.host + " port " + std::to_string(where.port);
  switch (m.ended) {
    case stage::resolve:
      notes_.error(check::connection,
                   m.late ? "the name " + where.host + " is not resolved in time"
                          : "the name " + where.host + " has no address (" +
                                printable(notes_.clean(m.why)) + ")",
                   "check the spelling of the URL's host and this machine's name servers");
      return false;
    case stage::connect:
      notes_.error(check::connection,
                   "no connection to " + at + ": " + printable(notes_.clean(m.why)),
                   m.late ? "look for a firewall between, and at the URL's port"
                          : "see whether the server runs, and at the URL's port");
      return false;
    case stage::tls:
      notes_.error(
          check::certificate, "no TLS with " + at + ": " + printable(notes_.clean(m.why)),
          "see whether the server speaks TLS 1.2 or later there; if not, its URL is http://");
      return false;
    case stage::answer:
    case stage::done:
      break;
  }
  notes_.ok(check::connection,
            "connected to " + printable(m.address) + " in " + in_milliseconds(m.took));
  return !m.certificate ||
         judge(*m.certificate, where, std::chrono::floor<std::chrono::seconds>(now), notes_);
}

request make_request(const http::url& to, verb method, std::string headers, std::string body,
                     bool redirects, std::size_t max_bytes) {
  auto place = std::make_shared<destination>();
  place->url = to;
  place->connect_timeout = limits::doctor_peer_most;  // the examination's own time is shorter
  place->max_response_bytes = max_bytes;
  place->redirects = redirects;
  auto out = std::make_shared<fetch>();
  out->to = std::move(place);
  out->method = method;
  out->headers = std::make_shared<const std::string>(std::move(headers));
  out->before = std::move(body);
  out->repeatable = true;
  return {std::move(out), {}};
}

std::string failure_of(const reply& r) {
  if (r.end == fetch_end::too_large)
    return "the answer is larger than " + std::to_string(limits::doctor_answer_bytes >> 20U) +
           " MiB";
  if (!r.why.empty()) return printable(r.why);
  return "it was cut off";
}

}  // namespace gate::doctor
