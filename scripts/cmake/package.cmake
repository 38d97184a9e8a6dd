# The Debian package (make package): what is in it, and where. All of it is the component `package`,
# which `cmake --install` leaves out. Its texts are in scripts/packaging; those that need the version
# or a date, or are packed, are made when it is (package_texts.cmake).
# Less than that of a package by Debian itself would be.
set(GATE_PACKAGE_REVISION 0gate1 CACHE STRING "Debian revision of the package")
set(GATE_PACKAGE_MAINTAINER "gate maintainers <maintainers@gate.invalid>" CACHE STRING
  "Who answers for the package: Name <address>")
set(packaging ${CMAKE_SOURCE_DIR}/scripts/packaging)
set(programs gate gate-stdio gate-up gate-hooks gate-discovery gate-sim)
add_custom_target(packaged DEPENDS ${programs})

function(packaged)
  install(${ARGN} COMPONENT package EXCLUDE_FROM_ALL)
endfunction()

packaged(TARGETS ${programs} RUNTIME DESTINATION usr/bin)
packaged(FILES ${packaging}/etc/gate.json DESTINATION etc/gate)
packaged(FILES ${packaging}/units/gate.service ${packaging}/units/gate-hooks.service
  ${packaging}/units/gate-stdio@.service DESTINATION lib/systemd/system)
packaged(FILES ${packaging}/debian/copyright DESTINATION usr/share/doc/gate)
packaged(FILES config/gate.config.schema.json config/examples/federation.json
  config/examples/full.json DESTINATION usr/share/doc/gate/examples)
foreach(program ${programs})
  set(from ${packaging}/completions)
  packaged(FILES ${from}/${program}.bash RENAME ${program}
    DESTINATION usr/share/bash-completion/completions)
  packaged(FILES ${from}/_${program} DESTINATION usr/share/zsh/vendor-completions)
  packaged(FILES ${from}/${program}.fish DESTINATION usr/share/fish/vendor_completions.d)
endforeach()
packaged(CODE "set(FROM \"${CMAKE_SOURCE_DIR}\")
set(VERSION \"${PROJECT_VERSION}\")
set(DEB_VERSION \"${PROJECT_VERSION}-${GATE_PACKAGE_REVISION}\")
set(MAINTAINER \"${GATE_PACKAGE_MAINTAINER}\")")
packaged(SCRIPT ${CMAKE_SOURCE_DIR}/scripts/cmake/package_texts.cmake)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gate)
set(CPACK_COMPONENTS_ALL package)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_PACKAGING_INSTALL_PREFIX /)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
  GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_PACKAGE_NAME gate)
set(CPACK_DEBIAN_PACKAGE_NAME gate)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_RELEASE ${GATE_PACKAGE_REVISION})
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${GATE_PACKAGE_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS ca-certificates)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${packaging}/debian/conffiles ${packaging}/debian/postinst
  ${packaging}/debian/prerm ${packaging}/debian/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "MCP gateway: many MCP servers behind one endpoint")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Presents many servers of the Model Context Protocol as one, over streamable
HTTP: lists are merged, names prefixed, and every call goes to the one server
that owns the name. With authentication, policy, limits, audit events and
metrics.

Also gate-stdio, which serves a stdio server over HTTP; gate-up, which runs
what stands in the mcp.json of a client; gate-hooks, which delivers webhooks;
gate-discovery, which makes upstreams of the Services of a Kubernetes cluster;
and gate-sim, which replays recordings and tells made-up stories.")
include(CPack)
