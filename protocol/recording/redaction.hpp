#pragma once
/// REDACTOR: puts stand-ins in the place of secrets before anything is recorded. Three nets, one
/// behind the other: what is secret by its place (headers, fields of token endpoints, names that
/// the operator has given), by its value (secrets of the environment, tokens that were fetched),
/// and by its looks (signed tokens, session ids of this gateway). docs/simulations.md says it in
/// the operator's words. One for each unit; for one thread. Pure.
///
/// A stand-in is `secret:` and eight hexadecimal digits of an HMAC: the same for the same secret
/// under the same key. That of a session id of ours keeps its last two digits, the unit.
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "protocol/recording/needles.hpp"

namespace gate::recording {

class redactor {
 public:
  /// `key`: drawn for each recording and kept nowhere. `names`: of headers, JSON members, fields of
  /// forms and parameters of URLs that are secret as well.
  redactor(std::string key, std::vector<std::string> names);

  /// A secret that is looked for wherever it stands.
  void know(std::string_view secret) {
    ++taught_;
    needles_.add(secret, true);
  }
  /// The same of one that others take the place of, in time.
  void learn(std::string_view secret) {
    ++taught_;
    needles_.add(secret, false);
  }
  /// Another number than before: it has been told of a secret, which may stand in what is kept.
  std::size_t taught() const noexcept { return taught_; }
  /// Another header that is secret.
  void know_header(std::string_view name);

  std::string stand_in(std::string_view secret);
  /// Of a session id, whoever's it is.
  std::string session(std::string_view id);

  // Each appends what may be recorded.
  /// Any text: a body, a reason, a header that is none of the secret ones.
  void text(std::string& out, std::string_view in);
  /// The same: `in` itself if nothing in it is secret, else what may be recorded, in `room`.
  std::string_view text_in(std::string& room, std::string_view in);
  /// The same of an event stream that this gateway writes: data is read as a whole, on however many
  /// lines it stands.
  std::string_view stream_in(std::string& room, std::string_view in);
  /// `of_form`: of a request that has a form. Basic credentials there name a client (RFC 6749
  /// §2.3.1), whose name stays.
  void header_value(std::string& out, std::string_view name, std::string_view value,
                    bool of_form = false);
  /// A URL, or the target of a request.
  void url(std::string& out, std::string_view in);
  /// What is sent to a token endpoint.
  void form(std::string& out, std::string_view body);
  /// What it answers. `fetched`: what it says is used, and so looked for from now on.
  void token_answer(std::string& out, std::string_view body, bool fetched);
  /// A configuration document: URLs in it may have passwords.
  void document(std::string& out, std::string_view in);

  /// What a token says, of itself: `{"secret","alg","kid","typ","claims"}`; of one that is no JWT
  /// only the first.
  std::string token(std::string_view presented);
  /// The same of what a form presents as an assertion; empty: it does not.
  std::string token_of_form(std::string_view body);

 private:
  enum class lore : std::uint8_t { any, answer, fetched_answer, document };

  bool is_named(std::string_view name) const;
  /// Has it to be read as JSON?
  bool is_walked(std::string_view in, lore what) const;
  bool append_client(std::string& out, std::string_view credentials);
  bool is_secret_member(std::string_view name, lore what) const;
  /// By value and by looks.
  void plain(std::string& out, std::string_view in);
  /// The same, with JSON in it: members by name, strings with escapes.
  void walk(std::string& out, std::string_view in, lore what, std::size_t depth);
  void anything(std::string& out, std::string_view in, lore what, std::size_t depth);
  void string(std::string& out, std::string_view quoted, lore what, std::size_t depth);
  /// Instead of the value at the beginning of `rest`; how many bytes that has.
  std::size_t replace_value(std::string& out, std::string_view rest, lore what);
  /// Names and values, with one of `apart` between two of them.
  void pairs(std::string& out, std::string_view in, std::string_view apart,
             bool (*secret)(std::string_view name));
  /// Any text with URLs in it.
  void urls(std::string& out, std::string_view in);

  std::string key_;
  std::vector<std::string> names_, headers_;  ///< lower case
  needles needles_;
  std::unordered_map<std::string, std::string> made_;  ///< stand-ins, by secret
  std::size_t taught_ = 0;
};

}  // namespace gate::recording
