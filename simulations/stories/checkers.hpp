#pragma once
/// What must hold in every story, whatever its seed: each checker reads the evidence and says what
/// is wrong, in sentences. No complaint, no bug. Pure, so that falsified evidence shows whether
/// they see.
#include <string>
#include <vector>

#include "simulations/stories/evidence.hpp"

namespace gate::churn {

using complaints = std::vector<std::string>;

/// Of all checkers.
complaints judge(const scenario& s, const evidence& e);

// checkers.cpp: requests
/// Every request ends exactly once, or its client is gone.
void check_answers(const evidence& e, complaints& out);
/// Every request leaves its audit event, and no request leaves two.
void check_audit(const evidence& e, complaints& out);
/// Upstreams that are well answer, with the right answer, asked once, in their own time.
void check_the_healthy(const scenario& s, const evidence& e, complaints& out);
/// Nobody waits longer than the configured bounds.
void check_latency(const evidence& e, complaints& out);
/// What runs when the gateway is told to end has its time, and then the gateway ends.
void check_drain(const evidence& e, complaints& out);
/// Good documents are taken over, bad ones are not, and whoever asked is told.
void check_reloads(const evidence& e, complaints& out);

// checkers_payloads.cpp: what was said, byte for byte
/// What belongs to one call is in the hands of nobody else, and is what was sent.
void check_marks(const evidence& e, complaints& out);
/// An upstream is shown its own key, always; nobody else sees it.
void check_secrets(const scenario& s, const evidence& e, complaints& out);

// checkers_views.cpp: what callers see of upstreams, and upstreams of callers
/// What policy denies is not listed, is refused, and reaches no upstream.
void check_policy(const scenario& s, const evidence& e, complaints& out);
/// What a server says within a call comes in its order, without gaps, and once.
void check_order(const evidence& e, complaints& out);
/// Who reads nothing has no more waiting for it than may be: its stream ends, to be resumed.
void check_readers(const evidence& e, complaints& out);
/// An upstream of MCP 2026-07-28 is asked by the rules of that revision.
void check_revision(const evidence& e, complaints& out);

// checkers_upstreams.cpp: what servers saw, what metrics say, what is left
/// A session stays with the endpoint that gave it out, and with one client.
void check_sessions(const scenario& s, const evidence& e, complaints& out);
/// Rate limits and budgets are kept.
void check_limits(const scenario& s, const evidence& e, complaints& out);
/// Gauges stay within their range.
void check_gauges(const evidence& e, complaints& out);
/// When all is well again, all is as if nothing had been.
void check_recovery(const scenario& s, const evidence& e, complaints& out);
/// When all have gone, nobody is left.
void check_departure(const scenario& s, const evidence& e, complaints& out);

/// How it is called in complaints.
std::string name_of(const request& r);
/// Was it refused with this code? Generations have codes of their own for the same thing.
struct refusal_codes {
  std::string_view session, stateless;
};
inline constexpr refusal_codes rate_limited{"-32040", "-31040"}, exhausted{"-32044", "-31044"},
    denied{"-32042", "-31042"};
bool is_refused(const request& r, refusal_codes by);
std::string_view word_of(request::kind what);
/// The samples of an exposition: `name{labels}` and value.
std::vector<std::pair<std::string, double>> samples(const std::string& exposition);

}  // namespace gate::churn
