#include "shim/up/actions.hpp"

#include "config/clients/units.hpp"
#include "config/options/listening.hpp"
#include "transport/process.hpp"
#include "transport/surroundings.hpp"

namespace gate::up {
namespace {

constexpr const char* copy_ending = ".before-gate";

std::string absolute(const std::string& path, const std::string& from) {
  return path.starts_with('/') ? path : from + '/' + path;
}

std::string endpoint(const options& o) {
  return config::url_of(o.host, o.port) + "/mcp";
}

result<std::string> text(std::string said) {
  return {boost::system::in_place_value, std::move(said)};
}

}  // namespace

result<std::string> write_units(const options& o, const gathered& what, const situation& at,
                                const std::string& programs) {
  const auto folder = absolute(o.write, at.known.workspace);
  if (auto made = make_folder(folder); !made) return made.error();
  std::string out;
  for (const auto& p : what.problems) out += "left out: " + p + '\n';
  const auto units = clients::units_of(
      what.servers, what.base,
      {programs, folder, at.known.workspace, at.path, at.known.home, o.host, o.port});
  if (!units.problem.empty()) return problem{"gate would refuse the document: " + units.problem};
  for (const auto& f : units.files)
    if (const auto path = folder + '/' + f.name; stamp_of(path))
      return problem{"there is a " + path + " already, and nothing is replaced"};
  for (const auto& f : units.files) {
    const auto path = folder + '/' + f.name;
    if (auto done = write_new_file(path, f.text, true); !done) return done.error();
    out += path + '\n';
  }
  for (const auto& n : units.notes) out += n + '\n';
  return text(out + "\nAs units of your own:\n\n    systemctl --user link " + folder +
              "/*.service\n    systemctl --user enable --now gate\n\n" +
              clients::snippets(endpoint(o)));
}

result<std::string> tell_client(const options& o, const situation& at, terminal& asking) {
  const auto place = clients::place_of(*o.client, at.known.workspace, at.known.home);
  const auto url = endpoint(o);
  auto out =
      std::string(place.title) + ", " + place.path + "\n\n" + clients::entry_for(*o.client, url);
  std::optional<std::string> before;
  // Only who is there can be read.
  if (stamp_of(place.path)) {
    auto read = at.read(place.path);
    if (!read) return read.error();
    before = std::move(*read);
  }
  const auto after = clients::with_entry(*o.client, before, url);
  if (!after) return text(out + "\nWrite it there by hand: " + after.error().what + ".\n");
  auto copy = place.path + copy_ending;
  for (int n = 2; stamp_of(copy); ++n) copy = place.path + copy_ending + '-' + std::to_string(n);
  const auto kept = before ? ", and keep what was there as " + copy : std::string();
  if (!asking.agree(out + "\nWrite it there" + kept + "?")) return text(std::move(out));
  if (auto made = make_folder(place.path.substr(0, place.path.rfind('/'))); !made)
    return made.error();
  if (before)
    if (auto done = write_new_file(copy, *before, true); !done) return done.error();
  if (auto done = replace_file(place.path, *after); !done) return done.error();
  return text("Written.\n");
}

}  // namespace gate::up
