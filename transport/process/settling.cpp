#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "transport/process.hpp"

namespace gate {
namespace {

/// /proc/PID/pagemap: of each page whether it is in memory, and whether it is the file's (Linux
/// Documentation/admin-guide/mm/pagemap.rst).
constexpr std::uint64_t present = std::uint64_t{1} << 63, of_file = std::uint64_t{1} << 61;

class pagemap {
 public:
  pagemap() : fd_(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~pagemap() {
    if (fd_ >= 0) ::close(fd_);
  }
  pagemap(const pagemap&) = delete;
  pagemap& operator=(const pagemap&) = delete;

  /// Drops the pages in [begin, end) that are the file's, of as many as is told. A debugger's
  /// breakpoint makes a page a copy of its own, which has to stay.
  void drop(std::uintptr_t begin, std::uintptr_t end) const {
    std::array<std::uint64_t, 512> said;
    while (begin < end) {
      const auto pages = std::min<std::size_t>(said.size(), (end - begin) / page_);
      const auto got = ::pread(fd_, said.data(), pages * sizeof said[0],
                               static_cast<off_t>(begin / page_ * sizeof said[0]));
      if (got < static_cast<ssize_t>(sizeof said[0])) return;
      const auto told = static_cast<std::size_t>(got) / sizeof said[0];
      for (std::size_t i = 0; i < told;) {
        std::size_t run = i;
        while (run < told && (said[run] & (present | of_file)) == (present | of_file)) ++run;
        // A hint: where it is not taken, all is as it was.
        if (run > i)
          ::madvise(reinterpret_cast<void*>(begin + i * page_), (run - i) * page_, MADV_DONTNEED);
        i = run + 1;
      }
      begin += told * page_;
    }
  }
  std::uintptr_t page() const { return page_; }

 private:
  int fd_;
  std::uintptr_t page_ = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
};

/// Of the program and each library; the loader keeps them where they are meanwhile.
int drop_text(dl_phdr_info* of, std::size_t, void* by) {
  const auto& map = *static_cast<const pagemap*>(by);
  for (int i = 0; i < of->dlpi_phnum; ++i) {
    const auto& h = of->dlpi_phdr[i];
    if (h.p_type != PT_LOAD || !(h.p_flags & PF_X) || (h.p_flags & PF_W)) continue;
    const auto begin = of->dlpi_addr + h.p_vaddr;
    map.drop((begin + map.page() - 1) / map.page() * map.page(),
             (begin + h.p_memsz) / map.page() * map.page());
  }
  return 0;
}

}  // namespace

void settle_down() {
  ::malloc_trim(0);
  pagemap map;
  ::dl_iterate_phdr(drop_text, &map);
}

}  // namespace gate
