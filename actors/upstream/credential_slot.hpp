#pragma once
/// CREDENTIAL SLOT: what a session shows the upstream about who asks. A header line goes with every
/// request, of this session and to this origin only (EGRESS follows no redirect to another one).
/// Pure; part of UPSTREAM SESSION, which asks whoever is to be asked.
///
///   strategy             the line comes from              and is good
///   none                 -                                always
///   static               the environment, at its use      as long as the session
///   passthrough          the caller's own token           until the caller shows another
///   client-credentials   CREDENTIALS, for the gateway     until shortly before it expires,
///   token-exchange       CREDENTIALS, for the caller       or the upstream refuses it
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "actors/who/caller.hpp"
#include "config/document.hpp"

namespace gate::upstream {

/// The header line, CRLF included, that shows this secret to an upstream with strategy `static`; or
/// nothing if the secret does not fit into a header.
std::optional<std::string> fixed_credential(const config::upstream_auth& a,
                                            std::string_view secret);
std::string bearer_line(std::string_view token);

class credential_slot {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr auto never = time_point::max();

  explicit credential_slot(config::auth_strategy how)
      : from_(config::row(how).from),
        until_(from_ == config::credential_source::nothing ? never : time_point::min()) {}

  /// The latest word about who the caller is: tokens are renewed while sessions go on. True: there
  /// is another line for it.
  bool meet(const identity::caller_ptr& c);
  void take(std::string line, time_point until);
  /// Of answers that say who asks is not let in.
  bool refused_by(int status) const {
    return (status == 401 || status == 403) && from_ != config::credential_source::nothing;
  }
  /// What came of showing number `shown`, which was answered so.
  enum class verdict : std::uint8_t {
    as_it_was,  ///< that is no matter of credentials, or no other can be had
    newer,      ///< there is another one by now
    spent,      ///< this one is good no more: another one is to be asked for
  };
  verdict shown(int status, std::uint32_t shown);

  bool good(time_point now) const { return now < until_; }
  /// Is it CREDENTIALS that has another one?
  bool fetched() const { return from_ == config::credential_source::token_endpoint; }
  /// Can it end at all?
  bool ends() const { return until_ != never; }
  const std::string& line() const { return line_; }
  const identity::caller_ptr& caller() const { return caller_; }
  std::uint64_t caller_key() const { return caller_ ? caller_->who.key : 0; }
  /// The number of the line: how many there were so far.
  std::uint32_t number() const { return number_; }
  /// Does this hold something of it? Nothing of that is for logs and the audit trail, should
  /// somebody quote it to us.
  bool quoted_in(std::string_view text) const;

  // Is CREDENTIALS to answer?
  bool asked() const { return asked_; }
  void ask(bool somebody) { asked_ = somebody; }
  bool answered() { return std::exchange(asked_, false); }

 private:
  config::credential_source from_;
  identity::caller_ptr caller_;  ///< where the strategy needs one
  std::string line_;             ///< empty: none
  std::uint32_t number_ = 0;
  time_point until_;
  bool asked_ = false;
};

}  // namespace gate::upstream
