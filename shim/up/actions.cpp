#include "shim/up/actions.hpp"

#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "config/clients/units.hpp"
#include "config/options/listening.hpp"
#include "shim/up/files.hpp"

namespace gate::up {
namespace {

constexpr const char* copy_ending = ".before-gate";

int fail(const std::string& what) {
  std::cerr << "gate-up: " << what << '\n';
  return config::exit_invalid;
}

std::string absolute(const std::string& path, const std::string& from) {
  return path.starts_with('/') ? path : from + '/' + path;
}

bool agreed(const std::string& question) {
  if (::isatty(STDIN_FILENO) == 0) return false;
  std::cout << question << " [y/N] " << std::flush;
  std::string line;
  return std::getline(std::cin, line) && (line == "y" || line == "yes");
}

std::string endpoint(const options& o) {
  return config::url_of(o.host, o.port) + "/mcp";
}

}  // namespace

int write_units(const options& o, const gathered& what, const situation& at,
                const std::string& programs) {
  const auto folder = absolute(o.write, at.known.workspace);
  if (auto made = make_folder(folder); !made) return fail(made.error().what);
  const auto files = clients::units_of(what.servers, what.base,
                                       {programs, folder, at.path, at.known.home, o.host, o.port});
  for (const auto& p : what.problems) std::cout << "left out: " << p << '\n';
  for (const auto& f : files) {
    const auto path = folder + '/' + f.name;
    if (auto done = write_new_file(path, f.text, f.secret); !done) return fail(done.error().what);
    std::cout << path << '\n';
  }
  std::cout << "\nAs units of your own:\n\n    systemctl --user link " << folder
            << "/*.service\n    systemctl --user enable --now gate\n\n"
            << clients::snippets(endpoint(o));
  return config::exit_ok;
}

int tell_client(const options& o, const situation& at) {
  const auto place = clients::place_of(*o.client, at.known.workspace, at.known.home);
  const auto url = endpoint(o);
  std::cout << place.title << ", " << place.path << "\n\n"
            << clients::entry_for(*o.client, url) << std::flush;
  std::error_code bad;
  const bool there = std::filesystem::exists(place.path, bad);
  std::optional<std::string> before;
  if (there) {
    auto text = at.read(place.path);
    if (!text) return fail(text.error().what);
    before = std::move(*text);
  }
  const auto after = clients::with_entry(*o.client, before, url);
  if (!after) {
    std::cout << "\nWrite it there by hand: " << after.error().what << ".\n";
    return config::exit_ok;
  }
  const auto copy = place.path + copy_ending;
  if (!agreed("\nWrite it there" + (there ? ", and keep what was there as " + copy : "") + "?"))
    return config::exit_ok;
  if (auto made = make_folder(place.path.substr(0, place.path.rfind('/'))); !made)
    return fail(made.error().what);
  if (there)
    if (auto kept = write_new_file(copy, *before, true); !kept) return fail(kept.error().what);
  if (auto done = replace_file(place.path, *after); !done) return fail(done.error().what);
  std::cout << "Written.\n";
  return config::exit_ok;
}

}  // namespace gate::up
