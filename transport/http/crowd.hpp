#pragma once
/// The client connections of one unit in three lines, by what they are worth when there is no room
/// for another: those that never carried a request that was accepted, those that are idle, and
/// those that are at work. Each line is in the order of arrival in it. Pure; owned by the server.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>

#include "protocol/limits.hpp"

namespace gate::http {

template <class Member>
class crowd {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  enum class line : std::uint8_t { newcomers, idle, busy };

  struct standing {
    Member* who = nullptr;
    time_point since;
  };
  /// Where a member stands; kept by the member.
  struct place {
    typename std::list<standing>::iterator at;
    line where = line::newcomers;
  };

  place join(Member& m, time_point now) {
    auto& l = of(line::newcomers);
    return {l.insert(l.end(), {&m, now}), line::newcomers};
  }
  void move(place& p, line to, time_point now) {
    auto& l = of(to);
    l.splice(l.end(), of(p.where), p.at);
    p.where = to;
    p.at->since = now;
  }
  void leave(const place& p) { of(p.where).erase(p.at); }

  std::size_t size() const { return lines_[0].size() + lines_[1].size() + lines_[2].size(); }

  /// Who goes for another to come: who has waited longest without ever having been accepted, else
  /// who is idle longest, and not only since now. Null: nobody.
  Member* yields(time_point now) const {
    if (const auto& l = lines_[0]; !l.empty()) return l.front().who;
    const auto& l = lines_[1];
    if (l.empty() || now - l.front().since < limits::idle_yields) return nullptr;
    return l.front().who;
  }

  template <class Function>
  void for_each(const Function& f) const {
    for (const auto& l : lines_)
      for (const auto& s : l) f(*s.who);
  }

 private:
  std::list<standing>& of(line l) { return lines_[static_cast<std::size_t>(l)]; }

  std::list<standing> lines_[3];
};

}  // namespace gate::http
