#pragma once
/// Lists of tools that are being fetched because a server has refused calls that went by an old one
/// (tool_desk.hpp). One fetch serves all calls that wait for the same list, whichever
/// session they go over: of one upstream on one unit, for one caller or client where it lists by
/// caller or client. Pure; part of PEERS. Its bound is that of the calls.
///
///   a call is refused, and     then                            the fetch …       those who wait
///   nobody fetches the list    it fetches it                   brings the list   are sent again
///   another call does          it waits, and looks again as    brings none       end as refused
///                              `tools_settled` comes           ends with its     the first of them
///                                                              call              fetches
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "actors/upstream/session_doors.hpp"

namespace gate::upstream {

class tool_renewals {
 public:
  /// Which list: the caller's and the session's number; 0: everybody's.
  using whose = std::pair<std::uint64_t, std::uint64_t>;

  /// What one call has to do with it, as long as it lives.
  class place {
   public:
    /// `doors`: of its session; for those who wait, when it has fetched.
    place(tool_renewals& all, whose list, session_doors& doors)
        : all_(all), at_(all.lists_.try_emplace(list).first), doors_(doors) {
      failures_ = at_->second.failures;
      leads_ = !std::exchange(at_->second.fetching, true);
      at_->second.waiting += !leads_;
    }
    place(const place&) = delete;
    place& operator=(const place&) = delete;
    ~place() {
      auto& list = at_->second;
      list.waiting -= !leads_;
      if (leads_) list.fetching = false;
      if (leads_ && list.waiting) doors_.tell(tools_settled{});
      if (!list.fetching && !list.waiting) all_.lists_.erase(at_);
    }

    /// It fetches the list itself.
    bool leads() const { return leads_; }
    enum class outlook : std::uint8_t { fetch, wait, none };
    /// One that waits looks again. `fetch`: nobody else does, and from now on it leads.
    outlook look() {
      auto& list = at_->second;
      if (list.failures != failures_) return outlook::none;
      if (list.fetching) return leads_ ? outlook::fetch : outlook::wait;
      list.fetching = leads_ = true;
      --list.waiting;
      return outlook::fetch;
    }
    /// One that leads has got no list.
    void failed() { at_->second.failures += leads_; }

   private:
    friend class tool_renewals;
    struct list {
      bool fetching = false;
      std::size_t waiting = 0;
      std::uint64_t failures = 0;
    };
    tool_renewals& all_;
    std::map<whose, list>::iterator at_;
    session_doors& doors_;
    std::uint64_t failures_ = 0;
    bool leads_ = false;
  };

  /// So many lists are waited for or fetched.
  std::size_t size() const { return lists_.size(); }

 private:
  std::map<whose, place::list> lists_;
};

}  // namespace gate::upstream
