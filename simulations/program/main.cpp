/// `gate-sim`: what passed through the doors of a gateway, played back; and worlds that are made
/// up, with everything that can go wrong in them.
#include <exception>
#include <iostream>

#include "simulations/program/command.hpp"

int main(int argc, char** argv) {
  using namespace gate::sim_program;
  try {
    const auto code = run_program({const_cast<const char* const*>(argv) + 1,
                                   static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
    // Of what nobody could read, nothing is said: not even that it was good.
    if (!std::cout.flush() && code != exit_unusable)
      return complain_of("standard output can not be written");
    return code;
  } catch (const std::exception& e) {
    return complain_of(e.what());
  }
}
