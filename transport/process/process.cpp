#include "transport/process.hpp"

#include <sys/resource.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace gate {
namespace {

constexpr std::size_t largest_file = 16 * 1024 * 1024;

}  // namespace

std::optional<std::string> environment_variable(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  if (!value || !*value) return {};
  return value;
}

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_cur < limit.rlim_max) {
    const auto before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = before;
  }
  return limit.rlim_cur;
}

result<std::string> read_file(const std::string& path) {
  auto reason = [&](const std::string& what) {
    return problem{"can not read the configuration file " + path + ": " + what};
  };
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!in) return reason(std::strerror(errno));
  std::string out;
  char buffer[65536];
  for (;;) {
    const auto n = std::fread(buffer, 1, sizeof buffer, in.get());
    out.append(buffer, n);
    if (out.size() > largest_file) return reason("it is larger than 16 MiB");
    if (n == 0) break;
  }
  if (std::ferror(in.get())) return reason(std::strerror(errno));
  return {boost::system::in_place_value, std::move(out)};
}

}  // namespace gate
