#include "actors/fleet/shared_lists.hpp"

#include <charconv>

#include "protocol/limits.hpp"
#include "protocol/mcp/list.hpp"

namespace gate::fleet {
namespace {

using std::chrono::milliseconds;

/// KEYS: the list, who fetches it, when it changed. ARGV: how old it may be, who asks, how long a
/// fetch may take. Answer: `kept`, age and text; or `fetch` and the time; or `wait`.
constexpr std::string_view look_text = R"(
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local began = tonumber(redis.call('HMGET', KEYS[1], 'b')[1])
local changed = tonumber(redis.call('GET', KEYS[3]) or 0)
if began and began <= now and now - began < tonumber(ARGV[1]) and began > changed then
  return {'kept', now - began, redis.call('HMGET', KEYS[1], 'd')[1] or ''}
end
if redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[3]) then return {'fetch', now} end
return {'wait'}
)";

/// KEYS: the list, who fetches it. ARGV: who has, when it began, text, how long a list is kept.
constexpr std::string_view keep_text = R"(
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
if ARGV[3] == '' then return 0 end
local began, was = tonumber(ARGV[2]), tonumber(redis.call('HMGET', KEYS[1], 'b')[1])
local left = began + tonumber(ARGV[4]) - now
if left <= 0 or (was and was >= began) then return 0 end
redis.call('HSET', KEYS[1], 'b', ARGV[2], 'd', ARGV[3])
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', left))
return 1
)";

/// KEYS: when it changed. ARGV: how long lists are kept; the channel, and what is said there
/// (empty: nothing).
constexpr std::string_view forget_text = R"(
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
redis.call('SET', KEYS[1], string.format('%.0f', now), 'PX', ARGV[1])
if ARGV[3] ~= '' then redis.call('PUBLISH', ARGV[2], ARGV[3]) end
return 1
)";

std::string millis(milliseconds ms) {
  return std::to_string(ms.count());
}

/// `N` and what follows it, taken off.
std::optional<std::size_t> take_number(std::string_view& text, char end) {
  std::size_t out = 0;
  const auto [at, wrong] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (wrong != std::errc() || at == text.data() + text.size() || *at != end) return {};
  text.remove_prefix(static_cast<std::size_t>(at - text.data()) + 1);
  return out;
}

}  // namespace

std::string_view look_script() {
  return look_text;
}
std::string_view keep_script() {
  return keep_text;
}
std::string_view forget_script() {
  return forget_text;
}

list_keys keys_of_list(const std::string& upstream, mcp::list_kind kind, mcp::capability_profile as,
                       std::string_view digest) {
  const auto all = "gate:{cache:" + upstream + "}:" + std::string(mcp::shape(kind).member);
  auto copy = all + ':' + std::to_string(as) + ':' + std::string(digest);
  auto fetch = copy + ":fetch";
  return {std::move(copy), std::move(fetch), all + ":changed"};
}

store_request ask_for_list(std::uint64_t id, const list_keys& keys, milliseconds youth,
                           std::string_view name) {
  static const auto script = resp::make_script(look_text);
  return {.id = id,
          .op = store_op::look,
          .script = script,
          .keys = {keys.copy, keys.fetch, keys.changed},
          .words = {millis(youth), std::string(name), millis(limits::store_list_fetch)}};
}

std::optional<list_told> read_list(const resp::value& v) {
  using what = list_told::what;
  if (v.kind() != resp::kind::list || v.size() == 0) return {};
  const auto said = v.first();
  if (said.is_text("wait") && v.size() == 1) return list_told{};
  if (v.size() < 2 || v[1].kind() != resp::kind::number || v[1].number() < 0) return {};
  const auto number = v[1].number();
  if (said.is_text("fetch") && v.size() == 2) return list_told{what::fetch, nullptr, {}, number};
  if (!said.is_text("kept") || v.size() != 3 || v[2].kind() != resp::kind::text) return {};
  auto list = read_raw_list(v[2].text());
  if (!list) return {};
  return list_told{what::kept, std::move(list), milliseconds(number)};
}

store_request ask_to_keep(std::uint64_t id, const list_keys& keys, std::string_view name,
                          std::int64_t began, std::string text, milliseconds ttl) {
  static const auto script = resp::make_script(keep_text);
  return {.id = id,
          .op = store_op::keep,
          .script = script,
          .keys = {keys.copy, keys.fetch},
          .words = {std::string(name), std::to_string(began), std::move(text), millis(ttl)}};
}

store_request ask_to_forget(std::uint64_t id, const list_keys& keys, milliseconds ttl,
                            std::string channel, std::string news) {
  static const auto script = resp::make_script(forget_text);
  return {.id = id,
          .op = store_op::forget,
          .script = script,
          .keys = {keys.changed},
          .words = {millis(ttl), std::move(channel), std::move(news)}};
}

std::string channel_of_lists(const std::string& upstream, std::uint32_t database) {
  auto out = "gate:{cache:" + upstream + "}";
  if (database != 0) out.append(1, '/').append(std::to_string(database));
  return out;
}

std::string written_news(mcp::list_kind kind, std::string_view by) {
  return std::string(mcp::shape(kind).member).append(1, ' ').append(by);
}

std::optional<list_news_told> read_list_news(std::string_view text) {
  const auto blank = text.find(' ');
  if (blank == text.npos) return {};
  for (std::size_t k = 0; k < mcp::kept_list_kinds; ++k)
    if (const auto kind = static_cast<mcp::list_kind>(k);
        mcp::shape(kind).member == text.substr(0, blank))
      return list_news_told{kind, text.substr(blank + 1)};
  return {};
}

/// `GENERATION TASKS PAGES`, then of each page its length and its text.
std::optional<std::string> written(const raw_list& list) {
  std::size_t bytes = 0;
  for (const auto& page : list.pages) bytes += page.size();
  if (bytes > limits::store_list_bytes || list.pages.empty()) return {};
  std::string out = std::to_string(static_cast<int>(list.era)) + ' ' +
                    (list.makes_tasks ? '1' : '0') + ' ' + std::to_string(list.pages.size()) + '\n';
  for (const auto& page : list.pages) {
    out.append(std::to_string(page.size())).append(1, '\n');
    out += page;
  }
  return out;
}

raw_list_ptr read_raw_list(std::string_view text) {
  const auto era = take_number(text, ' ');
  const auto tasks = era ? take_number(text, ' ') : era;
  const auto pages = tasks ? take_number(text, '\n') : tasks;
  if (!pages || *era > 1 || *tasks > 1 || *pages == 0 || *pages > limits::list_pages) return {};
  auto out = std::make_shared<raw_list>();
  out->era = static_cast<mcp::era>(*era);
  out->makes_tasks = *tasks == 1;
  std::size_t bytes = 0;
  for (std::size_t n = 0; n < *pages; ++n) {
    const auto size = take_number(text, '\n');
    if (!size || *size > text.size()) return {};
    bytes += *size;
    if (bytes > limits::store_list_bytes) return {};
    out->pages.emplace_back(text.substr(0, *size));
    text.remove_prefix(*size);
  }
  if (!text.empty()) return {};
  return out;
}

}  // namespace gate::fleet
