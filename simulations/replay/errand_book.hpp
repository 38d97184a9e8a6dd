#pragma once
/// Which recorded fetch a fetch of the replay is. Fetches are the same if they say the same: ids
/// and progress tokens, which the gateway draws, apart. Of several that do, the one that was asked
/// for first is taken. Where the traffic has changed, the first may be one that is not asked for
/// any more: there, the one that was asked for at the nearest time is. Pure.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulations/replay/tape.hpp"

namespace gate::replay {

/// What a fetch asks for.
struct asked {
  std::uint64_t unit = 0;
  std::string_view method, url, session;
  std::string_view body;
  std::optional<std::uint64_t> at{};  ///< where the traffic has changed: µs since it began
};

enum class likeness : std::uint8_t {
  same,     ///< it says what the recorded one said, which was not taken yet
  again,    ///< likewise, but all that said so were taken
  alike,    ///< it calls the same method, or tool, of the same server
  unheard,  ///< nothing like it is in the recording, but its server is
  nowhere,  ///< and neither is its server
};

class errand_book {
 public:
  explicit errand_book(const tape& of);

  struct match {
    likeness how = likeness::nowhere;
    std::size_t errand = nothing;  ///< where there is one
  };
  match take(const asked& what);
  /// Is this one of the places where the gateway reports to? There, whatever is said is the same.
  bool reports_to(std::string_view url) { return reports_.contains(canonical(url)); }
  /// Recorded fetches that nobody has asked for again; without those that report.
  std::vector<std::size_t> left() const;

 private:
  /// When it was asked for, and its errand.
  using moment = std::pair<std::uint64_t, std::size_t>;
  /// Those that say the same: there may be as many as a recording has.
  struct line {
    std::map<std::uint64_t, std::set<moment>> waiting;  ///< by unit, of which none is empty
    std::vector<std::size_t> taken;
  };
  using by_subject = std::unordered_map<std::string, std::size_t>;  ///< the first of each
  std::optional<std::size_t> take_from(line& from, const asked& what);
  const std::string& canonical(std::string_view url);
  std::string words_key(const asked& a);
  const by_subject& subjects();

  const tape& tape_;
  std::unordered_map<std::string, line> by_words_;
  std::optional<by_subject> subjects_;
  std::map<std::string, std::string, std::less<>> canonical_;  ///< of each URL
  std::map<std::string, bool, std::less<>> hosts_;
  std::set<std::string, std::less<>> reports_;
  std::vector<bool> taken_;
};

/// `scheme://host:port` of a URL.
std::string origin_of(std::string_view url);
/// The part of a fetch's body that is the same in each replay.
std::string words_of(std::string_view body);
/// `tools/call "add"`, for people; the HTTP method where there is no message.
std::string subject_of(std::string_view method, std::string_view body);

}  // namespace gate::replay
