#include "protocol/mcp/stateless/known_envelopes.hpp"

#include <functional>

#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/stateless/task_shapes.hpp"

namespace gate::mcp::stateless {

known_envelopes::reading known_envelopes::read(std::string_view raw_meta) {
  if (raw_meta.empty()) return {};
  auto& place = places_[std::hash<std::string_view>{}(raw_meta) % places_.size()];
  if (place.it && place.text == raw_meta) return {true, place.it, {}};
  const envelope_members found(raw_meta);
  reading out{.named = found.name_version(), .it = {}, .flaw = {}};
  if (!out.named) return out;
  auto read = read_envelope(found);
  if (!read) {
    out.flaw = std::move(read.error().what);
    return out;
  }
  out.it = std::make_shared<const known_envelope>(
      known_envelope{.version = std::move(read->version),
                     .capabilities = std::make_shared<const std::string>(read->capabilities),
                     .log_level = std::string(read->log_level),
                     .asked_by = asked_by(read->capabilities),
                     .takes_tasks = declares_tasks(read->capabilities),
                     .alone = found.alone});
  // What else `_meta` holds differs from request to request.
  if (found.alone && raw_meta.size() <= longest) place = {std::string(raw_meta), out.it};
  return out;
}

}  // namespace gate::mcp::stateless
