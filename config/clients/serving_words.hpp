#pragma once
/// The command lines of the programs that serve what stands in a client's file, as words: for
/// whoever starts them, and for units. Pure.
#include <cstdint>
#include <string>
#include <vector>

#include "config/clients/plan.hpp"

namespace gate::clients {

using words = std::vector<std::string>;

/// `programs`: the folder where they are. `folder`: where the server runs; empty: where its
/// gate-stdio does. `options`: further ones of gate-stdio.
words stdio_words(const planned_server& s, const child_environment& environment,
                  const std::string& programs, std::uint16_t port, const std::string& folder,
                  const words& options = {});
words gate_words(const std::string& programs, const std::string& document, const std::string& host,
                 std::uint16_t port, const words& options = {});

}  // namespace gate::clients
