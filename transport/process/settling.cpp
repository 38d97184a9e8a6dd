#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "transport/process.hpp"

namespace gate {
namespace {

/// A mapping of /proc/PID/smaps (which a process may read of itself also where nobody is to look
/// into it, unlike pagemap).
struct mapping {
  std::uintptr_t begin = 0, end = 0;
  bool file = false;   ///< of a file, never written to through it: program text, and constants
  bool plain = false;  ///< nothing in it is a copy, as a debugger's breakpoint makes one

  void drop() const {
    // A hint: where it is not taken, all is as it was.
    if (file && plain) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
};

/// `begin-end r-xp … /path`, `begin-end r--p … /path`
bool begins_mapping(std::string_view line, mapping& out) {
  const auto* last = line.data() + line.size();
  mapping m;
  const auto from = std::from_chars(line.data(), last, m.begin, 16);
  if (from.ec != std::errc{} || from.ptr == last || *from.ptr != '-') return false;
  const auto to = std::from_chars(from.ptr + 1, last, m.end, 16);
  if (to.ec != std::errc{}) return false;
  const std::string_view rest(to.ptr, static_cast<std::size_t>(last - to.ptr));
  const bool read_only = rest.starts_with(" r-xp ") || rest.starts_with(" r--p ");
  m.file = read_only && rest.find(" /") != rest.npos;
  out = m;
  return true;
}

/// `name:  N kB`, and N is 0.
bool is_none(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return false;
  line.remove_prefix(name.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line.starts_with("0 ");
}

}  // namespace

void settle_down() {
  ::malloc_trim(0);
  std::ifstream smaps("/proc/self/smaps");
  mapping m;
  for (std::string line; std::getline(smaps, line);) {
    if (mapping next; begins_mapping(line, next)) {
      m.drop();
      m = next;
    } else if (is_none(line, "Anonymous:")) {
      m.plain = true;
    } else if (line.starts_with("Swap:") && !is_none(line, "Swap:")) {
      m.plain = false;
    }
  }
  m.drop();
}

}  // namespace gate
