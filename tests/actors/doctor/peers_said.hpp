#pragma once
/// What peers say to EXAMINATIONs, and what those made of it.
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "actors/doctor/examination.hpp"
#include "transport/clock.hpp"

namespace gate::doctor {

using namespace std::chrono_literals;

inline const auto now = std::chrono::system_clock::time_point{} + std::chrono::days(20'000);
inline const auto second = std::chrono::floor<std::chrono::seconds>(now);
inline const wall_clock wall = [] { return now; };

inline seen_certificate good_certificate() {
  seen_certificate c;
  c.names = {"a.example"};
  c.for_host = true;
  c.from = second - 24h;
  c.until = second + 24h * 300;
  c.version = "TLSv1.3";
  return c;
}

inline inspected connected() {
  inspected m;
  m.ended = inspection_stage::done;
  m.address = "10.0.0.1 port 443";
  m.certificate = good_certificate();
  return m;
}

inline bool is_done(const action& a) {
  return std::holds_alternative<done>(a);
}

inline reply status(int code, std::string text = {}) {
  reply r;
  r.status = code;
  r.text = std::move(text);
  return r;
}
inline reply failed(fetch_end how, std::string why) {
  reply r;
  r.end = how;
  r.why = std::move(why);
  return r;
}

inline finding worst(const findings& of) {
  return *std::ranges::max_element(of, {}, &finding::level);
}

}  // namespace gate::doctor
