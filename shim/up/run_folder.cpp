#include "shim/up/run_folder.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "shim/up/files.hpp"

namespace gate::up {
namespace {

constexpr const char* document_name = "/gate.json";

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
  ::unlink((path_ + document_name + ".next").c_str());
  ::unlink((path_ + document_name).c_str());
  ::rmdir(path_.c_str());
}

result<std::string> run_folder::keep(std::string_view document) const {
  auto path = path_ + document_name;
  if (auto kept = replace_file(path, document); !kept) return kept.error();
  return {boost::system::in_place_value, std::move(path)};
}

}  // namespace gate::up
