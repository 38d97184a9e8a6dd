#pragma once
/// `/api/auth-hint`: how to sign in, for whoever asks. Public configuration only. Pure.
#include <string>

#include "config/document.hpp"

namespace gate::ops {

/// `{"authRequired","resource"?,"oauth"?:{"issuer","clientId","scopes"?}}`.
std::string auth_hint(const config::document& d);

}  // namespace gate::ops
