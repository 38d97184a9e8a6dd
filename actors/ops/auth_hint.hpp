#pragma once
/// `/api/auth-hint`: how to sign in, for whoever asks. Public configuration only. Pure.
#include <string>

#include "config/document.hpp"

namespace gate::ops {

/// The issuer that the console page signs in at: the one that is named, or the only one that there
/// is (config/rules looks). Empty: there is no `server.console.oauth`.
std::string console_issuer(const config::document& d);

/// `{"authRequired","mcpPath","resource"?,"oauth"?:{"issuer","clientId","scopes"?}}`.
std::string auth_hint(const config::document& d);

}  // namespace gate::ops
