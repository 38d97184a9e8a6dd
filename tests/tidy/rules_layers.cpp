/// The rules about includes: who may include whom, and how.
#include <algorithm>
#include <array>
#include <optional>

#include "tests/tidy/rules.hpp"
#include "tests/tidy/text.hpp"

namespace gate::tidy {
namespace {

using names = std::vector<std::string_view>;

struct layer {
  std::string_view room;
  names ours;       ///< prefixes of our own headers
  names libraries;  ///< prefixes of others' headers; std is allowed everywhere
  bool system;      ///< headers of the operating system
  std::string_view why;
};

const std::array<layer, 5>& layers() {
  static const std::array<layer, 5> table{{
      {"protocol",
       {"protocol/"},
       {"boost/json", "boost/system", "openssl/"},
       false,
       "protocol is pure: formats and rules, no I/O, threads, actors"},
      {"config",
       {"protocol/", "config/"},
       {"boost/json", "boost/system", "toml++/"},
       false,
       "config is built on protocol alone"},
      {"transport",
       {"protocol/", "transport/"},
       {"boost/", "caf/", "openssl/", "spdlog/", "prometheus/", "hiredis"},
       true,
       "transport moves bytes and knows neither the configuration nor who decides"},
      {"actors",
       {"protocol/", "config/", "actors/", "transport/interfaces.hpp", "transport/pinned.hpp",
        "transport/parcel.hpp", "transport/at_once.hpp", "transport/batch.hpp", "transport/log.hpp",
        "transport/metrics.hpp", "transport/clock.hpp", "transport/task_units.hpp",
        "transport/gzip.hpp", "transport/ledger_interface.hpp", "transport/recording.hpp",
        "transport/inspection.hpp", "transport/following.hpp"},
       {"caf/"},
       false,
       "actors touch the world through the doors of transport/interfaces.hpp only"},
      {"shim",
       {"protocol/", "config/cli.hpp", "config/options/", "config/clients/", "transport/", "shim/"},
       {"caf/"},
       false,
       "shim is a sibling of actors and shares no decision with it"},
  }};
  return table;
}

/// What assembles the process may use what assembles the world.
constexpr std::array assembly_headers{"transport/ledgers.hpp", "transport/lines.hpp",
                                      "transport/process.hpp", "transport/runtime.hpp",
                                      "transport/surroundings.hpp"};

bool assembles(std::string_view path) {
  return path == "actors/main.cpp" || path == "actors/webhooks/main.cpp" ||
         path == "actors/kubernetes/main.cpp" || path.starts_with("actors/supervisor/") ||
         path.starts_with("actors/embed/") || path.starts_with("actors/companion/");
}

/// The one header that strangers include. They and we write `gate/gateway.hpp`, whatever room it is
/// in.
constexpr std::string_view public_folder = "gate/";
constexpr std::string_view public_room = "actors/embed/";

std::string place_of(std::string_view included) {
  const bool ours = included.starts_with(public_folder);
  return std::string(ours ? public_room : "") + std::string(included);
}

bool is_public_header(std::string_view path) {
  return path.starts_with(std::string(public_room) + std::string(public_folder));
}

bool is_std(const include& i) {
  return !i.quoted && i.path.find_first_of("/.") == std::string::npos;
}

/// Vector instructions are the language's, not the system's.
bool is_intrinsic(const include& i) {
  return i.path == "arm_neon.h" || i.path.ends_with("intrin.h");
}

bool is_library(const include& i) {
  return in_any(i.path, {"boost/", "caf/", "openssl/", "spdlog/", "prometheus/", "hiredis",
                         "gtest/", "gmock/", "valijson/", "toml++/"});
}

bool allowed_in(const layer& l, std::string_view path, const include& i) {
  if (is_std(i) || is_intrinsic(i)) return true;
  if (is_public_header(path)) return false;
  if (i.quoted) {
    const auto& a = assembly_headers;
    if (assembles(path) && std::find(a.begin(), a.end(), i.path) != a.end()) return true;
    return in_any(place_of(i.path), l.ours);
  }
  if (is_library(i)) return in_any(i.path, l.libraries);
  return l.system;
}

std::string list(const names& of) {
  std::string out;
  for (const auto n : of) out += (out.empty() ? "" : ", ") + std::string(n);
  return out;
}

std::optional<std::string> wrong_layer(std::string_view path, const include& i) {
  for (const auto& l : layers())
    if (room_of(path) == l.room && !allowed_in(l, path, i))
      return is_public_header(path)
                 ? "what is installed for others includes the standard library alone"
                 : std::string(l.why) + "; it may include std, " + list(l.ours) + ", " +
                       list(l.libraries) + (l.system ? ", the system's headers" : "");
  return {};
}

constexpr std::string_view not_of_tests =
    "what simulates does not know its tests; move what both need to simulations/";

std::optional<std::string> of_tests(std::string_view path, const include& i) {
  if (room_of(path) == "simulations" && room_of(i.path) == "tests")
    return std::string(not_of_tests);
  return {};
}

/// Scripts of simulations/ that import something of tests/.
void add_scripts_of_tests(const file& f, findings& out) {
  if (room_of(f.path) != "simulations" || !f.path.ends_with(".mjs")) return;
  std::size_t number = 0;
  for (const auto line : lines_of(f.text)) {
    ++number;
    if (line.find("'../") != line.npos && line.find("/tests/") != line.npos)
      out.push_back(
          {f.path, number, f.path, "includes a script of tests/: " + std::string(not_of_tests)});
  }
}

std::optional<std::string> wrong_library(std::string_view path, const include& i) {
  if (path.starts_with("tests/") || path.starts_with("simulations/")) return {};
  if (i.path == "openssl/ssl.h" && room_of(path) != "transport")
    return "TLS belongs to transport; elsewhere use libcrypto's headers";
  if (in_any(i.path, {"boost/asio", "boost/beast"}) &&
      !in_any(path, {"transport/http/", "transport/doors/", "transport/scheduler/",
                     "transport/store/", "transport/process/"}))
    return "Asio and Beast cost seconds to compile and tie code to sockets; keep them in "
           "transport/{http,doors,scheduler,store,process}";
  if (i.path == "sqlite3.h" && !path.starts_with("transport/ledger/"))
    return "who else writes to the file belongs to transport/ledger; ask LEDGER";
  if (i.path.starts_with("libpq") && !path.starts_with("transport/postgres/"))
    return "who else asks the database belongs to transport/postgres; ask LEDGER";
  if (in_any(i.path, {"spdlog/", "prometheus/"}) && is_header(path) &&
      !in_any(path, {"transport/log/", "transport/metrics/"}))
    return "spdlog and prometheus-cpp stay out of our headers; use transport/log.hpp or "
           "transport/metrics.hpp";
  return {};
}

std::optional<std::string> wrong_spelling(const tree& t, const include& i) {
  if (i.path.ends_with(".cpp")) return "a .cpp is compiled once, by itself; include a header";
  const auto room = room_of(i.path);
  const bool ours = room == "simulations" || room == "tests" || in_rooms(i.path);
  if (!i.quoted) {
    if (ours && t.has(i.path)) return "our own headers are written in quotation marks";
    return {};
  }
  if (i.path.find("./") != std::string::npos || !t.has(place_of(i.path)))
    return "there is no such file from the root; write our includes from the root, and others' in "
           "angle brackets";
  return {};
}

/// The folders of actors/ from the innermost on; those of one row do not know each other.
const std::vector<names>& folder_order() {
  static const std::vector<names> order{
      {"cast.hpp"},
      {"messages"},
      {"who"},
      {"messages.hpp"},
      {"interfaces.hpp"},
      {"guards", "outbox", "console", "recording", "companion"},
      {"identity", "tasks", "federation", "sessions", "audit", "traces", "ops", "reload",
       "discovery", "webhooks", "kubernetes"},
      {"fleet"},
      {"upstream"},
      {"pipeline", "doctor"},
      {"router"},
      {"supervisor"},
      {"embed"},
      {"main.cpp"},
  };
  return order;
}

/// What follows `actors/`: a folder, or a file.
std::string_view actors_folder(std::string_view path) {
  path.remove_prefix(std::string_view("actors/").size());
  return path.substr(0, path.find('/'));
}

std::optional<std::size_t> rank_of(std::string_view path) {
  const auto folder = actors_folder(path);
  for (std::size_t n = 0; n < folder_order().size(); ++n)
    if (std::ranges::find(folder_order()[n], folder) != folder_order()[n].end()) return n;
  return {};
}

}  // namespace

findings check_layers(const tree& t) {
  findings out;
  for (const auto& f : t.files) {
    add_scripts_of_tests(f, out);
    if (!is_cpp(f.path)) continue;
    for (const auto& i : includes_of(f.text)) {
      const auto add = [&](const std::optional<std::string>& why) {
        if (why)
          out.push_back(
              {f.path, i.line, f.path + ":" + i.path, "includes " + i.path + ": " + *why});
        return why.has_value();
      };
      if (!add(wrong_spelling(t, i)) && !add(of_tests(f.path, i)) && !add(wrong_library(f.path, i)))
        add(wrong_layer(f.path, i));
    }
  }
  return out;
}

findings check_folders(const tree& t) {
  findings out;
  for (const auto& f : t.files) {
    if (!f.path.starts_with("actors/") || !is_cpp(f.path)) continue;
    const auto own = rank_of(f.path);
    for (const auto& i : includes_of(f.text)) {
      if (!i.quoted || !i.path.starts_with("actors/")) continue;
      const auto theirs = rank_of(i.path);
      if (!own || !theirs)
        out.push_back(
            {f.path, i.line, f.path + ":" + i.path,
             "includes " + i.path + ": one of them has no place in the order of folders"});
      else if (*theirs > *own ||
               (*theirs == *own && actors_folder(f.path) != actors_folder(i.path)))
        out.push_back({f.path, i.line, f.path + ":" + i.path,
                       "includes " + i.path +
                           ": folders of actors/ include those before them in the order of "
                           "tests/tidy/rules_layers.cpp, or what knows whom is a knot"});
    }
  }
  return out;
}

findings check_own_header_first(const tree& t) {
  findings out;
  for (const auto& f : t.files) {
    if (is_header(f.path) || !is_cpp(f.path)) continue;
    if (!in_rooms(f.path) && !f.path.starts_with("simulations/")) continue;
    const auto own = own_header(t, f.path);
    if (!own) continue;
    const auto includes = includes_of(f.text);
    if (!includes.empty() && includes.front().path == *own) continue;
    out.push_back(
        {f.path, includes.empty() ? 0 : includes.front().line, f.path,
         "does not include " + *own +
             " first, so nothing proves that the header compiles alone; move it to the top"});
  }
  return out;
}

}  // namespace gate::tidy
