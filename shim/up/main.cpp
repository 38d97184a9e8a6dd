/// `gate-up`: reads the command line and the files, starts the runtime and UP, and waits for its
/// end.
#include <caf/send.hpp>

#include <future>
#include <iostream>
#include <map>
#include <optional>
#include <string>

#include "config/options/listening.hpp"
#include "protocol/limits/client_files.hpp"
#include "shim/up/actions.hpp"
#include "shim/up/options.hpp"
#include "shim/up/terminal.hpp"
#include "shim/up/up_actor.hpp"
#include "transport/doors/file_watch.hpp"
#include "transport/log.hpp"
#include "transport/process.hpp"
#include "transport/runtime.hpp"
#include "transport/surroundings.hpp"

namespace {

using namespace gate;

int complain(std::string_view what, int code) {
  std::cerr << "gate-up: " << what << '\n';
  return code;
}

up::situation surroundings(up::terminal& asking) {
  up::situation out;
  out.known.variable = [](std::string_view name) { return whole_environment_variable(name); };
  out.known.workspace = current_folder();
  out.known.home = environment_variable("HOME").value_or("");
  out.path = environment_variable("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  out.read = [](const std::string& file) { return read_regular_file(file); };
  out.ask = [&asking](const std::string& file, const clients::input& what) {
    return asking.ask(file, what);
  };
  return out;
}

std::optional<file_stamp> seen(const std::string& path) {
  const auto stamp = stamp_of(path);
  return stamp ? std::optional(*stamp) : std::nullopt;
}

/// Looks at the files that were read, and reads all of them again when one has changed.
class file_reader {
 public:
  using stamps = std::map<std::string, std::optional<file_stamp>>;

  /// `before`: as files were before they were read.
  file_reader(const up::gathered& what, const stamps& before, const up::situation& at)
      : read_(what.files), files_(what.files), at_(at) {
    files_.insert(files_.end(), what.beside.begin(), what.beside.end());
    for (const auto& f : files_) {
      const auto known = before.find(f);
      watches_.emplace_back(known == before.end() ? seen(f) : known->second);
    }
  }

  std::optional<result<up::gathered>> look_again() {
    bool changed = false;
    for (std::size_t i = 0; i < files_.size(); ++i)
      changed |= watches_[i].look(seen(files_[i])) == doors::file_watch::news::changed;
    if (!changed) return std::nullopt;
    return up::gather(read_, at_);
  }

 private:
  std::vector<std::string> read_, files_;
  std::vector<doors::file_watch> watches_;
  const up::situation& at_;
};

/// Of each gate-stdio, and of the gateway: a pipe, a descriptor of its end, and those that starting
/// it takes for a moment.
constexpr std::size_t descriptors_each = 8;

void say(std::string_view text) {
  std::cout << text << std::flush;
}

/// Where what runs may keep files; what the user's session has for it is not tidied meanwhile.
std::string folder_for_files() {
  if (auto own = environment_variable("XDG_RUNTIME_DIR"); own && seen(*own)) return *own;
  return environment_variable("TMPDIR").value_or("/tmp");
}

int serve(const up::options& o, up::gathered what, const file_reader::stamps& before,
          const up::situation& at) {
  for (const char* program : {"/gate", "/gate-stdio"})
    if (!seen(program_folder() + program))
      return complain("the program is missing: " + program_folder() + program,
                      config::exit_invalid);
  auto folder = run_folder::make(folder_for_files(), "gate.json");
  if (!folder) return complain(folder.error().what, config::exit_invalid);
  file_reader files(what, before, at);
  runtime::options w;
  w.listens = false;
  w.egress = spawn_egress;
  w.own_descriptors = descriptors_each * (limits::client_servers + 1);
  auto world = runtime::start(w);
  if (!world) return complain(world.error().what, config::exit_invalid);
  const auto& unit = (*world)->units().front();
  auto well = std::make_shared<std::optional<bool>>();
  auto ended = std::make_shared<std::promise<void>>();
  {
    up::up_parts parts;
    parts.what = std::move(what);
    parts.where = {program_folder(), at.path, at.known.home};
    parts.host = o.host;
    parts.port = o.port;
    parts.verbose = o.verbose;
    parts.start = [&system = (*world)->system(), on = unit.unit](program_spec s, program_user u) {
      return spawn_program(system, on, std::move(s), std::move(u));
    };
    parts.egress = unit.egress;
    parts.keep_document = [&folder = **folder](std::string_view document) {
      return folder.keep(document);
    };
    parts.say = say;
    parts.look_again = [&files] { return files.look_again(); };
    parts.over = [well](bool so) { *well = so; };
    const auto boss = (*world)->system().spawn<up::up_actor>(unit.unit, std::move(parts));
    caf::actor_cast<caf::abstract_actor*>(boss)->attach_functor([ended] { ended->set_value(); });
    caf::anon_send((*world)->watch(), watch_for{caf::actor_cast<watcher_handle>(boss)});
  }
  ended->get_future().wait();
  if (*well) return **well ? config::exit_ok : config::exit_invalid;
  complain("UP crashed, which is a bug", config::exit_invalid);
  std::_Exit(config::exit_invalid);  // at once: the kernel ends its programs
}

int print(const result<std::string>& what) {
  if (!what) return complain(what.error().what, config::exit_invalid);
  say(*what);
  return config::exit_ok;
}

/// A file that lies where one works may be somebody else's, and its commands are about to run: who
/// has not named it is asked.
bool may_start(const up::gathered& what, const up::situation& at, up::terminal& asking) {
  const auto& file = what.files.front();
  if (!file.starts_with(at.known.workspace + '/') || at.known.workspace == at.known.home)
    return true;
  std::string question = file + " has these servers:\n\n";
  for (const auto& s : what.servers) {
    question += "    " + s.name + ":";
    for (const auto& word : s.entry.command) question += ' ' + word;
    question += (s.started() ? "" : " " + s.entry.url) + '\n';
  }
  if (asking.agree(question + "\nServe them?")) return true;
  complain("name the file if its servers are to be started: gate-up " + file, config::exit_invalid);
  return false;
}

int run(const up::options& o) {
  log::init(log::format::text, log::level::warn);
  up::terminal asking({on_terminal, [](std::string_view text) { std::cerr << text << std::flush; },
                       read_terminal_line});
  auto at = surroundings(asking);
  if (o.client) return print(up::tell_client(o, at, asking));
  at.own_port = o.port;
  file_reader::stamps before;
  for (const auto& f : o.files.empty() ? up::usual_files(at) : o.files) before[f] = seen(f);
  auto what = up::gather(o.files, at);
  if (!what) return complain(what.error().what, config::exit_invalid);
  if (what->servers.empty() && what->base.empty()) {
    for (const auto& p : what->problems) std::cerr << "left out: " << p << '\n';
    return complain("no server is left that could be served", config::exit_invalid);
  }
  asking.close();
  if (!o.write.empty()) return print(up::write_units(o, *what, at, program_folder()));
  std::string from;
  for (const auto& f : what->files) from += " " + f;
  say("Serving the MCP servers of" + from + "\n");
  if (!config::is_loopback(o.host) && !what->of_base.authenticates)
    say("\nWhoever reaches " + o.host + " may call all of them: nothing asks who they are. A " +
        "document of gate with \"auth\" would (docs/authorization.md).\n");
  if (o.files.empty() && !may_start(*what, at, asking)) return config::exit_invalid;
  return serve(o, std::move(*what), before, at);
}

}  // namespace

int main(int argc, char** argv) {
  ignore_hangup();  // until WATCH takes it
  // Servers run as the same user, and are not to find in our environment what they are not given.
  forbid_inspection();
  const auto parsed = up::parse_options({const_cast<const char* const*>(argv) + 1,
                                         static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
  if (const auto* wrong = std::get_if<config::usage_error>(&parsed))
    return complain(wrong->what, config::exit_usage);
  const auto& o = std::get<up::options>(parsed);
  switch (o.action) {
    case up::action::help:
      std::cout << up::help();
      return config::exit_ok;
    case up::action::version:
      std::cout << "gate-up " GATE_VERSION "\n";
      return config::exit_ok;
    default:
      return run(o);
  }
}
