#include "actors/upstream/credential_slot.hpp"

#include <algorithm>

namespace gate::upstream {

std::string bearer_line(std::string_view token) {
  return "Authorization: Bearer " + std::string(token) + "\r\n";
}

std::optional<std::string> fixed_credential(const config::upstream_auth& a,
                                            std::string_view secret) {
  const auto visible = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (secret.empty() || !std::ranges::all_of(secret, visible)) return {};
  const auto header = a.header.value_or("Authorization");
  // Only this one header has a syntax of scheme and credentials.
  const auto scheme = a.scheme.value_or(a.header ? "" : "Bearer");
  return header + ": " + scheme + (scheme.empty() ? "" : " ") + std::string(secret) + "\r\n";
}

bool credential_slot::meet(const identity::caller_ptr& c) {
  if (!c || c == caller_) return false;
  // Verified when no upstream was to get tokens, and so remembered without: as if it had not come.
  const bool passes = from_ == config::credential_source::caller;
  if (passes && c->token.empty()) return false;
  const bool other = !caller_ || caller_->token != c->token;
  caller_ = c;
  if (!other || !passes) return false;
  take(bearer_line(c->token), never);
  return true;
}

void credential_slot::take(std::string line, time_point until) {
  line_ = std::move(line);
  until_ = until;
  ++number_;
}

credential_slot::verdict credential_slot::shown(int status, std::uint32_t shown) {
  if (status != 401 || from_ != config::credential_source::token_endpoint)
    return verdict::as_it_was;
  if (shown != number_) return verdict::newer;
  until_ = time_point::min();
  return verdict::spent;
}

bool credential_slot::quoted_in(std::string_view text) const {
  const auto begin = line_.find(": ");
  if (begin == line_.npos) return false;
  auto value = std::string_view(line_).substr(begin + 2);
  value.remove_suffix(2);
  const auto word = value.substr(value.find_last_of(' ') + 1);
  return (word.size() >= 4 && text.find(word) != text.npos) || text.find(value) != text.npos;
}

}  // namespace gate::upstream
