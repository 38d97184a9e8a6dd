#include "simulations/runs/promises.hpp"

#include <algorithm>
#include <array>

namespace gate::runs {
namespace {

constexpr std::string_view gateway = "gateway", fleet = "fleet", hooks = "hooks", shim = "shim";

constexpr std::array rows{
    promise{gateway, "answers", "every request ends exactly once, or its client is gone"},
    promise{gateway, "audit", "every request leaves its audit event, and none leaves two"},
    promise{gateway, "healthy",
            "upstreams that are well answer, with the right answer, asked once, in their own time"},
    promise{gateway, "latency", "nobody waits longer than the configured bounds"},
    promise{gateway, "drain",
            "what runs when the gateway is told to end has its time, and then the gateway ends"},
    promise{gateway, "reloads",
            "good documents are taken over, bad ones are not, and whoever asked is told"},
    promise{gateway, "marks",
            "what belongs to one call is in the hands of nobody else, and is what was sent"},
    promise{gateway, "secrets", "an upstream is shown its own key, always; nobody else sees it"},
    promise{gateway, "policy",
            "what policy denies is not listed, is refused, and reaches no upstream"},
    promise{gateway, "order",
            "what a server says within a call comes in its order, without gaps, and once"},
    promise{gateway, "readers",
            "who reads nothing has no more waiting for it than may be: its stream ends"},
    promise{gateway, "revision",
            "an upstream of MCP 2026-07-28 is asked by the rules of that revision"},
    promise{gateway, "sessions",
            "a session stays with the endpoint that gave it out, and with one client"},
    promise{gateway, "limits", "rate limits and budgets are kept"},
    promise{gateway, "gauges", "gauges stay within their range"},
    promise{gateway, "recovery", "when all is well again, all is as if nothing had been"},
    promise{gateway, "departure", "when all have gone, nobody is left"},
    promise{fleet, "endings",
            "every request ends exactly once, with its own answer, or its client or its instance "
            "is gone"},
    promise{fleet, "audit",
            "every request leaves its audit event at its instance, and none leaves two"},
    promise{fleet, "calls",
            "no call is made twice; those that nothing was in the way of are answered"},
    promise{fleet, "sessions",
            "a session is answered for its owner only, at every instance, until it ends"},
    promise{fleet, "limits",
            "limits of an upstream, of everybody and of principals are kept by the whole fleet"},
    promise{fleet, "budget",
            "an upstream is asked no more often in a period than its budget says, by the whole "
            "fleet; where somebody decided alone, by each instance"},
    promise{fleet, "lease", "one instance probes an upstream whose circuit is open"},
    promise{fleet, "assertions", "an assertion is taken once"},
    promise{fleet, "tasks", "a task is its owner's"},
    promise{fleet, "streams",
            "who comes back for the stream of a call hears on it what it has missed, once and in "
            "order"},
    promise{fleet, "tenants",
            "what one tenant has is neither shown to another, nor asked in its name"},
    promise{fleet, "credentials",
            "a credential is shown to its own upstream, in the name of its own principal; no token "
            "stands anywhere else"},
    promise{fleet, "recovery", "when all is well again, everything works at every instance"},
    promise{fleet, "departure",
            "when all have gone, nothing is left: here, at the servers, and in the store"},
    promise{hooks, "answers",
            "every request ends exactly once and in its time, or its caller or its process is "
            "gone"},
    promise{hooks, "accepted", "what was answered 202 is kept, as it was posted"},
    promise{hooks, "lost", "every event reaches each webhook that wanted it, or is a dead letter"},
    promise{hooks, "reasons", "a dead letter says why"},
    promise{hooks, "asked",
            "the storage is told what callers asked for, of whom they are, and nothing else"},
    promise{hooks, "tenants",
            "what an organization posts reaches webhooks of its own only, and none is shown "
            "another's"},
    promise{hooks, "secrets", "no secret and no token of callers stands where it does not belong"},
    promise{hooks, "astray", "a receiver gets what its webhook wants, and nothing else"},
    promise{hooks, "bodies", "what a receiver gets is byte for byte what was posted"},
    promise{hooks, "signatures", "each delivery is signed by the secret of its webhook"},
    promise{hooks, "attempts",
            "attempts, pauses between them and what becomes of a delivery are as documented"},
    promise{hooks, "twice", "nothing is delivered twice, unless something was lost on the way"},
    promise{hooks, "crowds", "eight attempts are made at a time"},
    promise{hooks, "prompt", "whoever is well gets an event at once, whatever others do"},
    promise{hooks, "recovery", "when all is well again, all is as if nothing had been"},
    promise{hooks, "departure", "when the process has ended, nothing is left of it"},
    promise{shim, "answers", "every request ends exactly once, or its client is gone"},
    promise{
        shim, "marks",
        "what belongs to a session is in the hands of its client and its child, of nobody else; "
        "and an answer is that of its own call"},
    promise{shim, "sessions", "a session is known until there is a reason for its end"},
    promise{shim, "secrets",
            "the id of a session is its client's: no child, no log and nobody else is told"},
    promise{shim, "prompt", "a child that answers is heard, in its own time"},
    promise{shim, "ceiling",
            "there are no more sessions, probes and children than there may be, and nobody is "
            "refused while there is room"},
    promise{shim, "teardown", "children are ended in the documented steps, each in its time"},
    promise{shim, "recovery", "when all is well again, sessions work as if nothing had been"},
    promise{shim, "departure", "when all have gone, nothing is left; least of all a child"},
    promise{{}, "memory", "stories leave no memory behind"},
    promise{{}, "process", "the process that tells a story lives, and ends it in its time"},
    promise{{}, "world", "all that is asked of the simulated world can be had of it"},
};

}  // namespace

std::span<const promise> promises() {
  return rows;
}

const promise* find_promise(std::string_view kind, std::string_view complaint) {
  const auto checker = complaint.substr(0, complaint.find(':'));
  const auto at = std::ranges::find_if(rows, [&](const promise& p) {
    return p.checker == checker && (p.kind.empty() || p.kind == kind);
  });
  return at == rows.end() ? nullptr : at;
}

}  // namespace gate::runs
