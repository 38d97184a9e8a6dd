#pragma once
/// What gate-up does instead of running anything: writes documents and units, or tells a client of
/// the gateway. Boot only; exit codes are those of config/cli.hpp.
#include "shim/up/gather.hpp"
#include "shim/up/options.hpp"

namespace gate::up {

/// Into the folder of `--write`; `programs`: where ours are.
int write_units(const options& o, const gathered& what, const situation& at,
                const std::string& programs);

/// Prints the entry; asked on the terminal, and answered yes, writes it into the client's file, of
/// which a copy stays.
int tell_client(const options& o, const situation& at);

}  // namespace gate::up
