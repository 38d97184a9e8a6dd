// gate-sim plants: the faults that can be planted.
#include <array>
#include <cstdint>
#include <iostream>

#include "config/options/options.hpp"
#include "simulations/program/command.hpp"
#include "simulations/runs/kind.hpp"

namespace gate::sim_program {
namespace {

struct plants_options {
  enum class action : std::uint8_t { list, help } what = action::list;
};

constexpr std::array<config::option<plants_options>, 1> plants_rows{
    {{"--help", "", "this text",
      config::as_help<&plants_options::what, plants_options::action::help>()}}};

constexpr config::program<plants_options> plants_table{
    "gate-sim plants", "list the faults that can be planted, and who must see them",
    "gate-sim plants", "0 always, 2 the command line is wrong",
    plants_rows,
};

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  out.resize(std::max(out.size() + 2, width), ' ');
  return out;
}

}  // namespace

int plants_command(arguments args) {
  const auto parsed = config::parse(plants_table, args);
  if (const auto* wrong = std::get_if<config::usage_error>(&parsed))
    return complain_of(wrong->what);
  if (std::get<plants_options>(parsed).what == plants_options::action::help) {
    std::cout << config::help_of(plants_table);
    return exit_good;
  }
  for (const auto* k : runs::kinds()) {
    std::cout << k->name() << " - " << k->about() << '\n';
    for (const auto& p : k->plants())
      std::cout << "  " << padded(p.name, 20)
                << padded(p.complaint.substr(0, p.complaint.find(':')), 12) << p.about << '\n';
  }
  return exit_good;
}

config::described_program plants_line() {
  return config::described_of(plants_table);
}

}  // namespace gate::sim_program
