#include "shim/up/run_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace gate::up {
namespace {

constexpr const char* document_name = "/gate.json";
constexpr const char* next_name = "/gate.json.next";

problem trouble(const std::string& what) {
  return {what + ": " + std::strerror(errno)};
}

}  // namespace

result<std::unique_ptr<run_folder>> run_folder::make(const std::string& parent) {
  auto path = parent + "/gate-up-XXXXXX";
  if (!::mkdtemp(path.data())) return trouble("can not make a folder in " + parent);
  return std::unique_ptr<run_folder>(new run_folder(std::move(path)));
}

run_folder::~run_folder() {
  ::unlink((path_ + next_name).c_str());
  ::unlink((path_ + document_name).c_str());
  ::rmdir(path_.c_str());
}

result<std::string> run_folder::keep(std::string_view document) const {
  const auto next = path_ + next_name;
  const int fd = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return trouble("can not write " + next);
  std::size_t done = 0;
  while (done < document.size()) {
    const auto n = ::write(fd, document.data() + done, document.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    done += static_cast<std::size_t>(n);
  }
  const bool whole = done == document.size();
  auto wrong = trouble("can not write " + next);
  ::close(fd);
  if (!whole) return wrong;
  auto path = path_ + document_name;
  if (::rename(next.c_str(), path.c_str()) != 0) return trouble("can not write " + path);
  return {boost::system::in_place_value, std::move(path)};
}

}  // namespace gate::up
