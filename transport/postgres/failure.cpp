#include "transport/postgres/failure.hpp"

#include <algorithm>

namespace gate::postgres {
namespace {

using kind = failure::kind;

constexpr std::size_t state_letters = 5;

/// SQLSTATE, or the beginning of one: the longest that fits holds.
struct row {
  std::string_view state;
  kind what_kind;
  std::string_view hint;
};

constexpr row table[] = {
    {"40", kind::again, "others were in the way; try again"},
    {"55P03", kind::again, "others were in the way; try again"},
    {"08", kind::lost, "it is connected to again"},
    {"57P", kind::lost, "it is connected to again"},
    {"57P03", kind::lost, ""},  // it starts, or ends, and says which
    // A server that has become a standby: another one may be at that address by now.
    {"25006", kind::lost, "it takes no writes: give the address of the primary"},
    {"57014", kind::unavailable, "it took too long; look at the load of the server"},
    {"22", kind::invalid, ""},
    {"23", kind::invalid, ""},
    {"28", kind::unavailable, "check user and password, and pg_hba.conf"},
    {"3D", kind::unavailable, "make that database"},
    {"42501", kind::unavailable, "the user needs more rights: the tables are to be its own"},
    {"42", kind::unavailable, "the tables are not as this program made them"},
    {"53100", kind::unavailable, "its disk is full; it goes on when there is room"},
    {"53300", kind::unavailable, "raise max_connections, or run fewer instances"},
    {"53", kind::unavailable, "the server is short of what it needs"},
};

const row* row_of(std::string_view state) {
  const row* best = nullptr;
  for (const auto& r : table)
    if (state.starts_with(r.state) && (best == nullptr || r.state.size() > best->state.size()))
      best = &r;
  return best;
}

bool is_state_letter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}

/// Where `FATAL:  28P01: …` of a verbose message has its state; that word is in the server's
/// language.
std::size_t find_state(std::string_view message) {
  constexpr std::string_view before = ":  ";
  for (auto at = message.find(before); at != message.npos; at = message.find(before, at + 1)) {
    const auto rest = message.substr(at + before.size());
    if (rest.size() > state_letters && rest.substr(state_letters).starts_with(": ") &&
        std::ranges::all_of(rest.substr(0, state_letters), is_state_letter))
      return at + before.size();
  }
  return message.npos;
}

}  // namespace

ledger::refusal failure::as_refusal() const {
  const bool of_asker = what_kind == kind::invalid;
  return {of_asker ? ledger::refusal::reason::invalid : ledger::refusal::reason::unavailable, what};
}

failure failure_of(std::string_view state, std::string_view message, const std::string& where) {
  const auto* r = row_of(state);
  failure out;
  out.what_kind = r == nullptr ? kind::unavailable : r->what_kind;
  out.what = where + ": " + one_line(message);
  if (!state.empty()) out.what += " (" + std::string(state) + ")";
  if (r != nullptr && !r->hint.empty()) out.what += "; " + std::string(r->hint);
  return out;
}

failure lost(std::string_view message, const std::string& where) {
  return {kind::lost, where + " is away: " + one_line(message)};
}

failure not_connected(std::string_view message, const std::string& where) {
  const auto at = find_state(message);
  if (at == message.npos) return lost(message, where);
  const auto said = message.substr(at + state_letters + 2);
  return failure_of(message.substr(at, state_letters), said.substr(0, said.find('\n')), where);
}

std::string one_line(std::string_view message) {
  while (!message.empty() && (message.back() == '\n' || message.back() == '.'))
    message.remove_suffix(1);
  std::string out;
  for (const char c : message) {
    if (c == '\n')
      out += "; ";
    else
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

}  // namespace gate::postgres
