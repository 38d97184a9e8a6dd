#pragma once
/// FLEET LINE: how this unit speaks with the store and, through it, with other instances of the
/// fleet: questions and what becomes of them, the key of the fleet, sealed words. Part of ROUTER,
/// of a gateway with a store.
///
///   of the key            what is known                          what of a session it does not
///   know unheard               nothing: it has just started           waits for the key, at most
///   500 ms asked                 the store is to say it                 the same unsure the store
///   is there, and did not say    is not judged: its client is to
///                         it; it is asked again each second      come again
///   refused               the store is there, and can not say    is not there
///                         it: it is asked again as well
///   agreed                this one                               is looked for
///   (away)                the store is not there                 is not there
///
/// Each time that the store returns it is asked again: it may have lost what it had.
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/fleet/session_book.hpp"
#include "actors/router/unit.hpp"
#include "transport/clock.hpp"

namespace gate::routing {

struct fleet_settings {
  /// What the fleet's key is derived from; nothing: what the store keeps.
  std::optional<std::string> secret{};
};

/// Nobody has said no: what was asked for may well be there.
inline bool is_late(store_outcome o) {
  return o == store_outcome::timeout || o == store_outcome::lost || o == store_outcome::overloaded;
}

/// What became of a word to another instance.
enum class hearing : std::uint8_t {
  unsaid,    ///< the store has not taken it, or did not say so in time: then it may be heard
  nobodys,   ///< nobody listens there
  somebody,  ///< it is on its way
};

class fleet_line {
 public:
  using then = std::function<void(const store_told&)>;

  struct callbacks {
    /// The store is there; what was known of it may be old, and so may it itself be.
    std::function<void()> ready;
    /// A word about the session with this key reached nobody: who was to hear it is not there.
    std::function<void(const std::string& name, const std::string& key)> missed;
  };
  fleet_line(partner_door& to, const fleet_settings& with, random_source random, callbacks call);

  /// Of this life of the unit.
  const std::string& name() const { return name_; }
  const std::array<std::uint8_t, 16>& id() const { return id_; }
  std::string channel() const { return fleet::instance_channel(name_); }
  bool ready() const { return here_ && vault_; }
  /// What can not be opened by the key may well be the fleet's: it may be another one by now.
  bool unsure() const { return here_ && key_ != key::agreed && key_ != key::refused; }
  /// The store is there, and will not say it: waiting for it may be in vain for ever.
  bool refused() const { return here_ && key_ == key::refused; }
  /// It is not ready, and will be in a moment: see `await_key`.
  bool about_to_be() const { return !ready() && (key_ == key::unheard || key_ == key::asked); }
  /// Told once, at the latest by `give_up`: is it ready? False: too many wait.
  bool await_key(std::function<void(bool)> then);
  bool room_to_wait() const;
  bool awaited() const { return !waiting_.empty(); }
  const fleet::vault& vault() const { return *vault_; }
  const sha256& digest() const { return digest_; }
  /// Fifty bits that nobody else has, or nearly.
  std::uint64_t random_number();

  /// Returns the question's number, which comes back in what `told` gets.
  std::uint64_t ask(store_request what, then told);
  /// A field of a session, sealed.
  std::string seal(std::string_view text, std::string_view about);
  /// To another instance. `then` is told later; at once, if the store is away or the word too long.
  void say(const std::string& to, fleet::session_word word, std::function<void(hearing)> then = {});
  /// What another instance has said: who, and what. Nothing: it is forged, or was said before.
  std::optional<std::pair<std::string, fleet::session_word>> hear(const store_heard& m);

  void on_told(const store_told& m);
  void on_turned(bool here);
  /// Those who wait for the key have waited long enough.
  void give_up();
  /// Every second.
  void tick();

 private:
  void agree();
  void take_key(const store_told& m);
  void tell_waiting(bool known);

  enum class key : std::uint8_t { unheard, asked, unsure, refused, agreed } key_ = key::unheard;
  std::vector<std::function<void(bool)>> waiting_;  ///< for the key
  partner_door& to_;
  std::optional<std::string> secret_;
  random_source random_;
  callbacks call_;
  std::array<std::uint8_t, 16> id_;
  std::string name_;
  sha256 digest_;
  std::optional<fleet::vault> vault_;
  std::unordered_map<std::uint64_t, then> asked_;
  std::uint64_t next_ = 1;
  std::uint64_t said_ = 0;
  struct sender {
    std::uint64_t last = 0;  ///< the number of its last word
    std::uint64_t when = 0;  ///< among the words of all
  };
  std::unordered_map<std::string, sender> heard_;
  std::uint64_t words_ = 0;
  bool here_ = false;
};

}  // namespace gate::routing
