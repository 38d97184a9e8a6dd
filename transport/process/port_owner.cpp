#include "transport/process/port_owner.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

namespace gate::process {
namespace {

namespace fs = std::filesystem;

constexpr unsigned listening = 0x0A;  ///< TCP_LISTEN, as /proc/net/tcp writes it

/// Sockets that listen on the port, by their inodes, as links of /proc name them.
void add_sockets(const char* table, std::uint16_t port, std::set<std::string>& to) {
  std::ifstream in(table);
  std::string line;
  std::getline(in, line);  // the heads of the columns
  while (std::getline(in, line)) {
    unsigned local = 0, state = 0;
    unsigned long inode = 0;
    // sl local:port remote:port state queues timer retransmits uid timeout inode
    if (std::sscanf(line.c_str(), " %*s %*[0-9A-Fa-f]:%x %*s %x %*s %*s %*s %*s %*s %lu", &local,
                    &state, &inode) == 3 &&
        state == listening && local == port)
      to.insert("socket:[" + std::to_string(inode) + ']');
  }
}

bool holds(const fs::path& process, const std::set<std::string>& sockets) {
  std::error_code bad;
  for (fs::directory_iterator it(process / "fd", bad), end; !bad && it != end; it.increment(bad)) {
    std::error_code gone;
    if (sockets.contains(fs::read_symlink(it->path(), gone).string())) return true;
  }
  return false;
}

std::string name_of(const fs::path& process) {
  std::ifstream in(process / "comm");
  std::string name;
  std::getline(in, name);
  return name;
}

}  // namespace

std::optional<port_owner> find_port_owner(std::uint16_t port) {
  std::set<std::string> sockets;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) add_sockets(table, port, sockets);
  if (sockets.empty()) return std::nullopt;
  std::error_code bad;
  for (fs::directory_iterator it("/proc", bad), end; !bad && it != end; it.increment(bad)) {
    const auto name = it->path().filename().string();
    pid_t pid = 0;
    const auto [rest, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (wrong != std::errc{} || rest != name.data() + name.size()) continue;
    if (holds(it->path(), sockets)) return port_owner{pid, name_of(it->path())};
  }
  return std::nullopt;
}

}  // namespace gate::process
