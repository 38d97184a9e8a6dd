#pragma once
/// What a server's certificate says, read for people. Of a connection whose handshake is over.
#include <openssl/types.h>

#include <string>

#include "transport/inspection.hpp"

namespace gate::http {

/// Nothing if the server has shown none. `host` as `http::url` has it.
std::optional<seen_certificate> certificate_of(SSL* connection, const std::string& host);

}  // namespace gate::http
