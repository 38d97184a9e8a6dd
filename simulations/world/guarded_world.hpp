#pragma once
/// A world that asks for tokens, its identity provider `https://idp.test`, and callers of all
/// kinds.
#include "simulations/peers/forge.hpp"
#include "simulations/world/world.hpp"

namespace gate::sim {

inline constexpr std::string_view resource = "https://gate.test/mcp";
inline constexpr std::string_view required_auth =
    R"("auth":{"mode":"required","resource":"https://gate.test/mcp",
               "issuers":[{"issuer":"https://idp.test"}]})";

/// A document with these upstreams (a JSON array) and further sections.
std::string guarded(std::string_view upstreams, std::string_view more = {});
/// The two upstreams of `two_upstreams`.
inline constexpr std::string_view a_and_b =
    R"([{"id":"a","url":"http://a.test/mcp","namespace":"a"},
        {"id":"b","url":"http://b.test/mcp","namespace":"b"}])";

/// What `idp.test` publishes: the key `p256`.
std::string published_keys();
/// The idp answers with its keys; further preparations may follow.
world_options guarded_world(std::string config);

/// A token of `idp.test` for the gateway: `sub`, and `more` claims (`"groups":["x"]`), which may
/// also replace these. It ends 600 s from the world's start.
std::string token_for(std::string_view sub, std::string_view more = {});
/// Any claims.
std::string token_with(std::string_view claims, std::string_view header = {});
std::int64_t world_start();

}  // namespace gate::sim
