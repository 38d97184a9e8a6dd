#pragma once
/// Which upstream a fetch goes to: by its URL, as the recorded configuration has it. Pure.
#include <map>
#include <string>
#include <string_view>

namespace gate::recording {

class upstream_names {
 public:
  /// Learns from a document, in addition to what it knows.
  void learn(std::string_view document);
  /// The upstream's id; empty: it is none's.
  std::string_view of(std::string_view url) const;

 private:
  std::map<std::string, std::string, std::less<>> ids_;  ///< by URL, without query
};

}  // namespace gate::recording
