#pragma once
/// Whose tasks are, as the instances of a fleet share it: what the store is asked, and what it
/// says. Pure; part of SHARED TASKS.
///
/// A task's id is one hash, `gate:{task:<sha256 of the id>}`, since upstreams choose ids by
/// themselves and two may choose the same: a field for each upstream, with `OWNER MINTED SESSION`.
/// The first who mints an id at an upstream keeps it there, for `limits::store_task`.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/sha256.hpp"
#include "transport/interfaces.hpp"

namespace gate::fleet {

struct task_owner {
  std::string upstream;
  std::uint64_t owner = 0;
  std::int64_t minted = 0;  ///< ms since 1970, by the store
  std::string session;      ///< where it was minted: what only its instance can read
};

/// The key of a task with this id.
std::string task_key(const sha256& digest, std::string_view id);

/// It is this owner's, and was minted so long ago (`minted` is the store's).
store_request ask_to_own(std::uint64_t id, const std::string& key, const task_owner& what,
                         std::chrono::milliseconds ago);
/// Whose it is: nobody else's before, so it is now the asker's; or another's. Nothing: this is no
/// answer.
struct owner_told {
  std::optional<std::uint64_t> other;
};
std::optional<owner_told> read_owned(const resp::value& v);

/// Whose is it, at all upstreams?
store_request ask_for_owners(std::uint64_t id, const std::string& key);
/// The latest first. Nothing: this is no answer.
std::optional<std::vector<task_owner>> read_owners(const resp::value& v);

/// `OWNER MINTED SESSION`, of the upstream.
std::string written(const task_owner& what);
std::optional<task_owner> read_owner(std::string_view upstream, std::string_view text);

/// The texts of the scripts, for stores that are none.
std::string_view own_script();
std::string_view owners_script();

}  // namespace gate::fleet
