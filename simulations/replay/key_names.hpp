#pragma once
/// Which variables of the environment hold private keys: a replay has one in their place, and a
/// text that a header may carry in the place of all others. Pure.
#include <set>
#include <string>
#include <string_view>

namespace gate::replay {

/// Of a document: what it signs with, as an issuer (`signingKeyRef`) and as a client
/// (`private_key_jwt`). What is no JSON names none.
void add_key_names(std::string_view document, std::set<std::string, std::less<>>& to);

}  // namespace gate::replay
