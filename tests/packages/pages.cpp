#include "tests/packages/pages.hpp"

#include <array>

#include "actors/kubernetes/options.hpp"
#include "actors/webhooks/options.hpp"
#include "config/cli.hpp"
#include "config/doctor_options.hpp"
#include "config/options/completions.hpp"
#include "config/options/manual.hpp"
#include "config/reference.hpp"
#include "shim/options.hpp"
#include "shim/up/options.hpp"
#include "simulations/program/command.hpp"

namespace gate::packages {
namespace {

using config::manual_entry;
using config::manual_notes;
using config::manual_section;

constexpr std::string_view folder = "scripts/packaging/";

constexpr std::array gate_environment{
    manual_entry{"GATE_CONFIG", "Path of the configuration document, or the document itself."},
    manual_entry{"REDIS_URL", "The shared store, if the document names none."},
    manual_entry{"others", "Those that the document names hold its secrets."}};
constexpr std::array gate_files{
    manual_entry{"/etc/gate/gate.json", "The document of gate.service."},
    manual_entry{"/etc/gate/gate.env",
                 "Environment of gate.service, where secrets are: NAME=value, a line each."},
    manual_entry{"/var/log/gate", "Where gate.service may write files, such as audit events."}};
constexpr std::array gate_signals{
    manual_entry{"SIGHUP", "Read the document again."},
    manual_entry{"SIGTERM, SIGINT",
                 "Let nobody new in, end what runs, and exit; a second one "
                 "ends it at once."}};
constexpr std::array gate_sections{manual_section{"ENVIRONMENT", gate_environment},
                                   manual_section{"FILES", gate_files},
                                   manual_section{"SIGNALS", gate_signals}};
constexpr manual_notes gate_notes{
    "Presents many MCP servers as one. Clients connect to a single endpoint over streamable HTTP; "
    "lists are merged, names are prefixed with their server's namespace, and every call goes to "
    "the one server that owns the name.\n\n"
    "The configuration is one JSON document, which gate.json(5) describes. To run what stands in "
    "the mcp.json of a client, see gate-up(1).",
    gate_sections,
    "gate.json(5), gate-doctor(1), gate-stdio(1), gate-up(1), gate-hooks(1), gate-discovery(1), "
    "gate-sim(1)"};

constexpr std::array doctor_sections{manual_section{"ENVIRONMENT", gate_environment}};
constexpr manual_notes doctor_notes{
    "Looks at a document as gate(1) would, and at what it names: secrets, the port and the host, "
    "each server with its certificate, handshake and tools, issuers and their keys, token "
    "endpoints, clocks, the shared store, the discovery source, audit receivers, the collector. "
    "Prints a line for each, with what to do about it.\n\n"
    "It listens to nothing, and sends a credential only where the document says.",
    doctor_sections, "gate(1), gate.json(5)"};

constexpr std::array stdio_files{
    manual_entry{"/etc/gate/gate-stdio-NAME.env",
                 "Environment of gate-stdio@NAME.service: ARGUMENTS, which are the options and the "
                 "command, and the variables that --env-passthrough names."},
    manual_entry{"/var/lib/gate-stdio-NAME", "Working and home directory of that unit."}};
constexpr std::array stop_signals{
    manual_entry{"SIGTERM, SIGINT",
                 "Let nobody new in, end what runs, and exit; a second one "
                 "ends it at once."}};
constexpr std::array stdio_sections{manual_section{"FILES", stdio_files},
                                    manual_section{"SIGNALS", stop_signals}};
constexpr manual_notes stdio_notes{
    "Runs one stdio MCP server for each client session and serves it over streamable HTTP at "
    "/mcp, so that it is an ordinary http upstream of gate(1). The server's command follows a "
    "literal --, and comes from nowhere else. No process of a session outlives it.\n\n"
    "The child sees the variables that are passed on, and no other.",
    stdio_sections, "gate(1), gate-up(1)"};

constexpr std::array hooks_files{
    manual_entry{"/etc/gate/gate-hooks.env",
                 "Environment of gate-hooks.service: HOOKS_TOKEN, which callers must present, and "
                 "ARGUMENTS for further options."},
    manual_entry{"/var/lib/gate-hooks/gate-hooks.db", "Where that unit keeps everything."}};
constexpr std::array hooks_sections{manual_section{"FILES", hooks_files},
                                    manual_section{"SIGNALS", stop_signals}};
constexpr manual_notes hooks_notes{
    "Takes events, and delivers each to the URLs that want it: signed, tried again when it fails, "
    "and never lost. It has an HTTP API and a page at /console/.",
    hooks_sections, "gate(1)"};

constexpr std::array up_signals{
    manual_entry{"SIGTERM, SIGINT", "End everything that was started, and exit."}};
constexpr std::array up_sections{manual_section{"SIGNALS", up_signals}};
constexpr manual_notes up_notes{
    "Reads the mcp.json of Claude Desktop, Claude Code, Cursor, VS Code or Windsurf, the "
    "config.toml of Codex, or a document of gate(1); starts a gate-stdio(1) for each server that "
    "is a command, and a gateway in front of all. Prints the endpoint, what each server offers, "
    "or why it does not run, and what to tell each client. What dies is started again; a file "
    "that changes is read again.\n\n"
    "Without a file, the first that lists a server is taken of those where clients keep one.",
    up_sections, "gate(1), gate-stdio(1), gate.json(5)"};

constexpr std::array discovery_environment{
    manual_entry{"KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT",
                 "The API server, as containers of a cluster find it."},
    manual_entry{"others", "The one that --bearer-env names holds the token of callers."}};
constexpr std::array discovery_files{
    manual_entry{"/var/run/secrets/kubernetes.io/serviceaccount",
                 "Token and authority of the account that a container runs as."}};
constexpr std::array discovery_sections{manual_section{"ENVIRONMENT", discovery_environment},
                                        manual_section{"FILES", discovery_files},
                                        manual_section{"SIGNALS", stop_signals}};
constexpr manual_notes discovery_notes{
    "Watches the Services of a Kubernetes cluster and serves those that are annotated with "
    "gate.mcp/enabled as a discovery document, which gate(1) polls. In a container of a cluster it "
    "needs no option but the right to list and watch Services.\n\n"
    "The document is at any path but /health, /healthz and /metrics.",
    discovery_sections, "gate(1), gate.json(5)"};

constexpr manual_notes sim_notes{
    "Shows and exports what gate --record wrote down, and plays it to a gateway: to the recorded "
    "document or another, in virtual time, or to a live gateway. Tells made-up stories, each made "
    "by its seed, in which everything goes wrong, and looks for broken promises.",
    {},
    "gate(1)"};

constexpr manual_notes document_notes{
    "One JSON object. Every key is optional unless it is called required, and a key that is not "
    "known is an error. gate --validate --config FILE says what is wrong with a document, gate "
    "--schema prints its JSON Schema.\n\n"
    "Secrets stand in the environment: the document gives the names of variables.",
    {},
    "gate(1)"};

std::vector<config::described_program> programs() {
  return {config::command_line(), shim::command_line(), hooks::command_line(), up::command_line(),
          kubernetes::command_line()};
}

void add_completions(std::vector<made_file>& out, std::string_view name, std::string bash,
                     std::string zsh, std::string fish) {
  const auto at = std::string(folder) + "completions/";
  const std::string program(name);
  out.push_back({at + program + ".bash", std::move(bash)});
  out.push_back({at + '_' + program, std::move(zsh)});
  out.push_back({at + program + ".fish", std::move(fish)});
}

}  // namespace

std::vector<made_file> manual_pages() {
  const auto at = std::string(folder) + "man/";
  return {{at + "gate.1.in", manual(config::command_line(), gate_notes)},
          {at + "gate-doctor.1.in", manual(config::doctor_command_line(), doctor_notes)},
          {at + "gate-stdio.1.in", manual(shim::command_line(), stdio_notes)},
          {at + "gate-hooks.1.in", manual(hooks::command_line(), hooks_notes)},
          {at + "gate-up.1.in", manual(up::command_line(), up_notes)},
          {at + "gate-discovery.1.in", manual(kubernetes::command_line(), discovery_notes)},
          {at + "gate-sim.1.in", manual(sim_program::command_line(), sim_notes)},
          {at + "gate.json.5.in", config::document_manual(config::reference(), document_notes)}};
}

std::vector<made_file> completions() {
  std::vector<made_file> out;
  for (const auto& p : programs()) {
    const auto more = p.name == config::command_line().name
                          ? config::first_words{config::doctor_command_line()}
                          : config::first_words{};
    add_completions(out, p.name, bash_completion(p, more), zsh_completion(p, more),
                    fish_completion(p, more));
  }
  const auto sim = sim_program::command_line();
  add_completions(out, sim.name, bash_completion(sim), zsh_completion(sim), fish_completion(sim));
  return out;
}

}  // namespace gate::packages
