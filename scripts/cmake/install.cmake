# What `cmake --install` copies: the programs, and the library with its one public header as a CMake
# package. Compile flags of this build (sanitizers, warnings) are in no target, so none is exported.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/gate)

install(TARGETS gate gate-stdio gate-up gate-hooks gate-discovery gate-sim RUNTIME)
install(TARGETS gate_embed gate_actors gate_config gate_transport gate_protocol EXPORT gate-targets
  ARCHIVE INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY actors/embed/gate TYPE INCLUDE FILES_MATCHING PATTERN *.hpp)
install(EXPORT gate-targets NAMESPACE gate:: DESTINATION ${package})

write_basic_package_version_file(gate-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES scripts/cmake/gate-config.cmake scripts/cmake/FindCAF.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/gate-config-version.cmake DESTINATION ${package})
