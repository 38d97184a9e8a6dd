#pragma once
/// What must hold in every story of `gate-stdio`, whatever its seed (docs/stdio.md): each checker
/// reads the evidence and says what is wrong, in sentences. No complaint, no bug. Pure.
#include <string>
#include <vector>

#include "simulations/stories/shim_evidence.hpp"

namespace gate::shim_churn {

using complaints = std::vector<std::string>;

/// Of all checkers.
complaints judge(const scenario& s, const evidence& e);

/// Every request ends exactly once, or its client is gone.
void check_answers(const evidence& e, complaints& out);
/// What belongs to a session is in the hands of its client and its child, of nobody else; and an
/// answer is that of its own call.
void check_marks(const evidence& e, complaints& out);
/// A session is known until there is a reason for its end.
void check_sessions(const evidence& e, complaints& out);
/// The id of a session is its client's: no child, no log and nobody else is told.
void check_secrets(const evidence& e, complaints& out);
/// A child that answers is heard, in its own time.
void check_prompt(const evidence& e, complaints& out);
/// No more sessions, probes and children than there may be; and nobody is refused while there is
/// room.
void check_ceiling(const scenario& s, const evidence& e, complaints& out);
/// Children are ended in the documented steps, each in its time.
void check_teardown(const evidence& e, complaints& out);
/// When all is well again, sessions work as if nothing had been.
void check_recovery(const scenario& s, const evidence& e, complaints& out);
/// When all have gone, nothing is left; least of all a child.
void check_departure(const evidence& e, complaints& out);

}  // namespace gate::shim_churn
