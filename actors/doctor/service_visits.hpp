#pragma once
/// Visits to all that is no upstream: issuers of tokens, token endpoints, the collector, receivers
/// of audit events, the store. EXAMINATIONs: events in, questions out.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "actors/doctor/examination.hpp"
#include "transport/clock.hpp"

namespace gate::doctor {

/// Connects, and asks nothing: a token endpoint, a receiver of audit events.
class reach_visit final : public examination {
 public:
  /// `subject`: whose it is.
  reach_visit(std::string pointer, std::string subject, check what, http::url where,
              wall_clock wall);
  action begin() override { return look{where_}; }
  action seen(const inspected& m) override;
  action late(std::string_view opened) override;

 private:
  check what_;
  http::url where_;
  wall_clock wall_;
};

/// An issuer: its key set as the gateway fetches it, its clock, its metadata.
///
///   look (GET of the key set) -> key set -> metadata (OpenID) -> metadata (RFC 8414) -> done
class issuer_visit final : public examination {
 public:
  /// `issuer` as tokens name it; `keys` where the gateway takes its keys from.
  issuer_visit(std::string pointer, std::string issuer, http::url keys, wall_clock wall);
  action begin() override { return look{keys_, true}; }
  action seen(const inspected& m) override;
  action heard(const reply& r) override;
  action late(std::string_view opened) override;

 private:
  enum class state : std::uint8_t { looking, keys, openid, oauth };

  void judge_keys(const reply& r);
  void judge_clock(const inspected& m);
  action metadata(const reply& r);
  void judge_metadata(std::string_view text);

  std::string issuer_;
  http::url at_, keys_;
  wall_clock wall_;
  state state_ = state::looking;
};

/// One request after the look, and a judgement of its answer: the collector, the discovery source.
class asking_visit : public examination {
 public:
  struct question {
    std::string pointer;
    check what;
    http::url where;
    request ask;
    std::function<void(const reply&, notes&)> judge;
  };
  asking_visit(question q, wall_clock wall);
  action begin() override { return look{q_.where}; }
  action seen(const inspected& m) override;
  action heard(const reply& r) override;
  action late(std::string_view opened) override;

 private:
  enum class state : std::uint8_t { looking, asking };

  question q_;
  wall_clock wall_;
  state state_ = state::looking;
};

class store_visit final : public examination {
 public:
  store_visit(resp::store_url where, wall_clock wall);
  action begin() override { return look_at_store{where_}; }
  action seen(const store_inspected& m) override;
  action late(std::string_view opened) override;

 private:
  void judge(std::string_view info);

  resp::store_url where_;
  wall_clock wall_;
};

/// A clock that is off; `whose`: what has it. `uncertain`: how exactly it can be known.
void judge_skew(std::chrono::microseconds theirs_ahead, std::chrono::microseconds uncertain,
                bool tokens, notes& say);

/// Is an export of no span taken?
void judge_collector(const reply& r, notes& say);

}  // namespace gate::doctor
