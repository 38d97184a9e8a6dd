#pragma once
/// What gate-up does instead of running anything: writes documents and units, or tells a client of
/// the gateway. Boot only. Both return what is to be printed; an error is a sentence.
#include <string>

#include "shim/up/gather.hpp"
#include "shim/up/options.hpp"
#include "shim/up/terminal.hpp"

namespace gate::up {

/// Into the folder of `--write`; `programs`: where ours are.
result<std::string> write_units(const options& o, const gathered& what, const situation& at,
                                const std::string& programs);

/// Tells the entry; agreed to on the terminal, writes it into the client's file, of which a copy
/// stays.
result<std::string> tell_client(const options& o, const situation& at, terminal& asking);

}  // namespace gate::up
