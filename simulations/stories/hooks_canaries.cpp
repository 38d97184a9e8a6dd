#include "simulations/stories/hooks_canaries.hpp"

#include <array>

namespace gate::hook_churn {
namespace {

constexpr std::array hook_plants{
    planted{canary::drops_answer, "drops_answer", "answers: ", "a request is thrown away"},
    planted{canary::unkept_event, "unkept_event",
            "accepted: ", "an event is accepted, and not kept"},
    planted{canary::forgets_event, "forgets_event",
            "lost: ", "a delivery that waits is taken for one that was made"},
    planted{canary::unsaid_reason, "unsaid_reason", "reasons: ", "dead letters do not say why"},
    planted{canary::delivers_astray, "delivers_astray",
            "astray: ", "a webhook gets what it does not want"},
    planted{canary::wrong_secret, "wrong_secret",
            "signatures: ", "deliveries are signed by another secret"},
    planted{canary::changes_body, "changes_body",
            "bodies: ", "the white space of events is changed in the storage"},
    planted{canary::hurries, "hurries", "attempts: ", "pauses between attempts are too short"},
    planted{canary::gives_up, "gives_up", "attempts: ", "there are two attempts in all"},
    planted{canary::misnotes, "misnotes", "attempts: ", "a failure is taken for a success"},
    planted{canary::repeats, "repeats", "twice: ", "what was delivered is due again"},
    planted{canary::crowds, "crowds", "crowds: ", "twice as many attempts run at a time"},
    planted{canary::dawdles, "dawdles", "prompt: ", "first attempts come 3 s late"},
    planted{canary::stays_sick, "stays_sick", "recovery: ", "receivers never recover"},
    planted{canary::keeps_lease, "keeps_lease", "recovery: ", "a lease is never given back"},
    planted{canary::keeps_actor, "keeps_actor", "departure: ", "somebody outlives the process"},
    planted{canary::trespass, "trespass",
            "tenants: ", "webhooks change hands, and get what another organization posts"},
    planted{canary::confounds, "confounds",
            "asked: ", "the storage has events of another type than were posted"},
    planted{canary::tells_secret, "tells_secret", "secrets: ", "lists show secrets"},
};

}  // namespace

std::span<const planted> canaries() {
  return hook_plants;
}

}  // namespace gate::hook_churn
