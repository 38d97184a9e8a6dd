#include <malloc.h>
#include <sys/mman.h>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "transport/process.hpp"

namespace gate {
namespace {

/// What a line of /proc/PID/maps says of a mapping of program text: `begin-end r-xp …`, of a file.
/// Such a page was never written to (the flags say that it can not be), so dropping it loses
/// nothing.
struct text_mapping {
  std::uintptr_t begin = 0, end = 0;
};

std::optional<text_mapping> text_in(std::string_view line) {
  text_mapping out;
  const auto* last = line.data() + line.size();
  const auto from = std::from_chars(line.data(), last, out.begin, 16);
  if (from.ec != std::errc{} || from.ptr == last) return {};
  const auto to = std::from_chars(from.ptr + 1, last, out.end, 16);
  if (to.ec != std::errc{}) return {};
  const std::string_view rest(to.ptr, static_cast<std::size_t>(last - to.ptr));
  if (!rest.starts_with(" r-xp ") || rest.find(" /") == rest.npos) return {};
  return out;
}

}  // namespace

void settle_down() {
  ::malloc_trim(0);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (const auto text = text_in(line))
      // A hint: where it is not taken, all is as it was.
      ::madvise(reinterpret_cast<void*>(text->begin), text->end - text->begin, MADV_DONTNEED);
}

}  // namespace gate
