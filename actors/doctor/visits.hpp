#pragma once
/// Whom `gate doctor` visits: an EXAMINATION for each address that a document names, in the
/// document's order. Nothing is asked here. Pure.
#include "actors/doctor/examination.hpp"
#include "config/document.hpp"
#include "transport/clock.hpp"

namespace gate::doctor {

/// Of a document without problems. Secrets that are not set, or of no use, are told elsewhere: what
/// needs them is asked without, or not at all.
examinations visits_of(const config::document& doc, const secret_source& secrets,
                       const wall_clock& wall);

}  // namespace gate::doctor
