#pragma once
/// What must hold in every story of `gate-hooks`, whatever its seed (docs/webhooks.md): each
/// checker reads the evidence and says what is wrong, in sentences. No complaint, no bug. Pure.
#include <string>
#include <vector>

#include "simulations/stories/hooks_model.hpp"

namespace gate::hook_churn {

using complaints = std::vector<std::string>;

/// Of all checkers.
complaints judge(const scenario& s, const evidence& e);

// hooks_checkers.cpp: what was promised to callers
/// Every request ends exactly once and in its time, or its caller or its process is gone.
void check_answers(const evidence& e, complaints& out);
/// What was answered 202 is kept, as it was posted.
void check_accepted(const evidence& e, const model& m, complaints& out);
/// Every event reaches each webhook that wanted it, or is a dead letter; never lost.
void check_lost(const evidence& e, const model& m, complaints& out);
/// A dead letter says why.
void check_reasons(const evidence& e, complaints& out);
/// When all is well again, all is as if nothing had been.
void check_end_of_trouble(const evidence& e, const model& m, complaints& out);
/// When the process has ended, nothing is left of it.
void check_end_of_process(const evidence& e, complaints& out);

// hooks_checkers_callers.cpp: what belongs to whom, by what callers asked
/// The storage is told what callers asked for, of whom they are, and nothing else.
void check_asked(const evidence& e, complaints& out);
/// What an organization posts reaches webhooks of its own only, and none is shown another's.
void check_tenants(const evidence& e, complaints& out);
/// No secret and no token of callers stands where it does not belong.
void check_secrets(const evidence& e, complaints& out);

// hooks_checkers_receivers.cpp: what receivers saw
/// A receiver gets what its webhook wants, byte for byte, and nothing else.
void check_astray(const evidence& e, const model& m, complaints& out);
/// By the secret of its webhook.
void check_signatures(const evidence& e, const model& m, complaints& out);
/// Attempts, pauses between them and what becomes of a delivery are as documented.
void check_attempts(const evidence& e, const model& m, complaints& out);
/// Nothing is delivered twice, unless something was lost on the way.
void check_twice(const evidence& e, const model& m, complaints& out);
/// Eight attempts at a time.
void check_crowds(const evidence& e, complaints& out);
/// Whoever is well gets an event at once, whatever others do.
void check_prompt(const evidence& e, const model& m, complaints& out);

/// Nothing that could make it take longer than it should happened from then to then.
bool is_calm(const evidence& e, time_point from, time_point until);
/// Nor was the wall clock set.
bool keeps_time(const evidence& e, time_point from, time_point until);
/// When something happened, for a sentence.
std::string when(const evidence& e, time_point at);

}  // namespace gate::hook_churn
