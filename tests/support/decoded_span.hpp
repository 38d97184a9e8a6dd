#pragma once
/// Spans as tests look at them: read from what is exported, by the numbers of OTLP.
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/trace/ids.hpp"
#include "protocol/trace/wire.hpp"

namespace gate::testing {

struct decoded_span {
  std::string trace, id, parent, state, name, why;
  std::uint64_t kind = 0, status = 0, flags = 0, start = 0, end = 0;
  std::map<std::string, std::string> attributes;
  std::vector<std::string> links;  ///< span ids

  std::string operator[](const std::string& key) const {
    const auto at = attributes.find(key);
    return at == attributes.end() ? "" : at->second;
  }
};

inline std::string hex_of(std::string_view bytes) {
  return trace::hex({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

template <class F>
void each_member(std::string_view message, F&& f) {
  trace::wire::reader r(message);
  for (trace::wire::reader::member m; r.next(m);) f(m);
}

/// Of a `Span`.
inline decoded_span decode_inside(std::string_view message) {
  decoded_span out;
  each_member(message, [&](const auto& m) {
    const std::string inside(m.inside);
    switch (m.field) {
      case 1:
        out.trace = hex_of(inside);
        break;
      case 2:
        out.id = hex_of(inside);
        break;
      case 3:
        out.state = inside;
        break;
      case 4:
        out.parent = hex_of(inside);
        break;
      case 5:
        out.name = inside;
        break;
      case 6:
        out.kind = m.number;
        break;
      case 7:
        out.start = m.number;
        break;
      case 8:
        out.end = m.number;
        break;
      case 9: {
        std::string key, value;
        each_member(inside, [&](const auto& a) {
          if (a.field == 1) key = a.inside;
          if (a.field == 2) each_member(a.inside, [&](const auto& v) { value = v.inside; });
        });
        if (!out.attributes.emplace(key, value).second) throw std::logic_error("twice: " + key);
        break;
      }
      case 13:
        each_member(inside, [&](const auto& l) {
          if (l.field == 2) out.links.push_back(hex_of(l.inside));
        });
        break;
      case 15:
        each_member(inside, [&](const auto& s) {
          if (s.field == 2) out.why = s.inside;
          if (s.field == 3) out.status = s.number;
        });
        break;
      case 16:
        out.flags = m.number;
        break;
      default:
        throw std::logic_error("a member that spans do not have: " + std::to_string(m.field));
    }
  });
  return out;
}

/// Of one as `trace::encode` writes it.
inline decoded_span decode_span(std::string_view text) {
  decoded_span out;
  std::size_t found = 0;
  each_member(text, [&](const auto& m) {
    if (m.field == 2 && ++found == 1) out = decode_inside(m.inside);
  });
  if (found != 1) throw std::logic_error("it is not one span");
  return out;
}

}  // namespace gate::testing
