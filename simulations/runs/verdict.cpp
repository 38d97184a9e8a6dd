#include "simulations/runs/verdict.hpp"

#include <cstring>

namespace gate::runs {
namespace {

/// The numbers of a frame; the complaints stand behind it, each with its length in front.
struct head {
  std::uint64_t bytes = 0;  ///< of all that follows
  std::uint64_t seed = 0, told = 0, requests = 0, calls = 0, faults = 0, complaints = 0;
  std::int64_t took = 0, cpu = 0;
  sha256_digest digest{};
};

template <class T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T take(std::string_view& from) {
  T value{};
  std::memcpy(&value, from.data(), sizeof value);
  from.remove_prefix(sizeof value);
  return value;
}

}  // namespace

std::string to_frame(const verdict& v) {
  std::string said;
  for (const auto& c : v.complaints) {
    put(said, static_cast<std::uint64_t>(c.size()));
    said += c;
  }
  head h;
  h.bytes = said.size();
  h.seed = v.seed;
  h.told = v.told;
  h.requests = v.requests;
  h.calls = v.calls;
  h.faults = v.faults;
  h.complaints = v.complaints.size();
  h.took = v.took.count();
  h.cpu = v.cpu.count();
  h.digest = v.digest;
  std::string out;
  put(out, h);
  return out + said;
}

std::optional<verdict> take_frame(std::string& bytes) {
  if (bytes.size() < sizeof(head)) return {};
  std::string_view rest = bytes;
  const auto h = take<head>(rest);
  if (rest.size() < h.bytes) return {};
  verdict v;
  v.seed = h.seed;
  v.told = h.told != 0;
  v.requests = h.requests;
  v.calls = h.calls;
  v.faults = h.faults;
  v.took = std::chrono::milliseconds(h.took);
  v.cpu = std::chrono::microseconds(h.cpu);
  v.digest = h.digest;
  for (std::uint64_t n = 0; n < h.complaints; ++n) {
    const auto size = take<std::uint64_t>(rest);
    v.complaints.emplace_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  bytes.erase(0, sizeof(head) + h.bytes);
  return v;
}

std::string hex(const sha256_digest& d) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const auto byte : d) {
    out += digits[byte >> 4U];
    out += digits[byte & 15U];
  }
  return out;
}

void run_digest::add(const sha256_digest& story) {
  std::string both(value_.begin(), value_.end());
  both.append(story.begin(), story.end());
  value_ = digest_(both);
}

}  // namespace gate::runs
