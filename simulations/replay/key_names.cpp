#include "simulations/replay/key_names.hpp"

#include "protocol/json/scan.hpp"
#include "simulations/replay/json_walk.hpp"

namespace gate::replay {
namespace {

void add_text(std::string_view raw, std::set<std::string, std::less<>>& to) {
  std::string said;
  if (json::unquote(raw, said)) to.insert(std::move(said));
}

}  // namespace

void add_key_names(std::string_view document, std::set<std::string, std::less<>>& to) {
  for (const auto& [key, value] : members_of(document)) {
    if (key == "signingKeyRef") add_text(value, to);
    add_key_names(value, to);
  }
  if (json::says(json::member(document, "type"), "private_key_jwt"))
    add_text(json::member(document, "secretRef"), to);
}

}  // namespace gate::replay
