#pragma once
/// What programs that listen have in common: who can reach an address, what it is called, and the
/// names of variables that hold what must not stand on a command line. Pure.
#include <cstdint>
#include <string>
#include <string_view>

namespace gate::config {

/// Is this address reached from this machine only? localhost, 127.0.0.0/8, ::1.
bool is_loopback(std::string_view host);
/// `http://host:port`, with brackets where an IPv6 address needs them.
std::string url_of(std::string_view host, std::uint16_t port);
/// Can an environment variable have this name?
bool is_variable_name(std::string_view name);
/// What a file or a shell may have put around a secret: callers can not present it.
std::string_view without_blanks(std::string_view text);

}  // namespace gate::config
