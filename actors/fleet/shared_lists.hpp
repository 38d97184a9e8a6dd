#pragma once
/// Lists of an upstream that the instances of a fleet share: what the store is asked, and what it
/// says. Pure; part of UPSTREAM.
///
/// A list is a hash, `gate:{cache:UPSTREAM}:KIND:PROFILE:DIGEST` (the digest is that of where and
/// how the upstream is asked, so that instances with another configuration have another list): when
/// its fetch began, by the store's clock, and its pages. Beside it, with the same hash tag:
/// `:fetch` says that somebody fetches it, and `gate:{cache:UPSTREAM}:KIND:changed` when it was
/// heard that lists of this kind changed. What began before that is given to nobody; and the others
/// are told, on a channel `gate:{cache:UPSTREAM}` (with a database other than 0 `/DATABASE` behind
/// it, since channels are the whole server's).
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "actors/messages/lists.hpp"
#include "protocol/mcp/capability_profile.hpp"
#include "protocol/mcp/list_kinds.hpp"
#include "transport/interfaces.hpp"

namespace gate::fleet {

struct list_keys {
  std::string copy, fetch, changed;
};
list_keys keys_of_list(const std::string& upstream, mcp::list_kind kind, mcp::capability_profile as,
                       std::string_view digest);

struct list_told {
  enum class what : std::uint8_t {
    kept,   ///< here it is
    fetch,  ///< fetch it, and have it kept
    wait,   ///< somebody else fetches it
  } is = what::wait;
  raw_list_ptr list;                 ///< with `kept`
  std::chrono::milliseconds age{0};  ///< with `kept`: so long ago its fetch began
  std::int64_t began = 0;            ///< with `fetch`: now, by the store
};
/// Is there one whose fetch began less than `youth` ago? If not, `name` may fetch it.
store_request ask_for_list(std::uint64_t id, const list_keys& keys, std::chrono::milliseconds youth,
                           std::string_view name);
/// Nothing: this is no answer, or the list is none.
std::optional<list_told> read_list(const resp::value& v);

/// `name` has fetched it: keep it until `ttl` behind the beginning. An empty text: there is
/// nothing to keep, but others need not wait.
store_request ask_to_keep(std::uint64_t id, const list_keys& keys, std::string_view name,
                          std::int64_t began, std::string text, std::chrono::milliseconds ttl);
/// It has changed: nobody gets what began before. Copies are kept so long at most. `news`: what the
/// others are told; empty: nothing.
store_request ask_to_forget(std::uint64_t id, const list_keys& keys, std::chrono::milliseconds ttl,
                            std::string channel, std::string news);
std::string channel_of_lists(const std::string& upstream, std::uint32_t database);
/// That lists of this kind have changed, says who is called so.
std::string written_news(mcp::list_kind kind, std::string_view by);
struct list_news_told {
  mcp::list_kind kind;
  std::string_view by;
};
std::optional<list_news_told> read_list_news(std::string_view text);

/// Nothing: it takes more than `limits::store_list_bytes`.
std::optional<std::string> written(const raw_list& list);
/// Null: this is no list.
raw_list_ptr read_raw_list(std::string_view text);

/// The texts of the scripts, for stores that are none.
std::string_view look_script();
std::string_view keep_script();
std::string_view forget_script();

}  // namespace gate::fleet
