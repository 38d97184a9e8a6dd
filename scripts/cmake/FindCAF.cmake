# CAF 0.17 ships neither a CMake package nor a pkg-config file. Used by this build, and installed
# for programs that embed `gate`. Makes the target CAF::core.
find_package(Threads REQUIRED)
find_path(CAF_INCLUDE caf/all.hpp)
find_library(CAF_CORE caf_core)
mark_as_advanced(CAF_INCLUDE CAF_CORE)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CAF REQUIRED_VARS CAF_CORE CAF_INCLUDE)
if(CAF_FOUND AND NOT TARGET CAF::core)
  add_library(CAF::core INTERFACE IMPORTED)
  target_include_directories(CAF::core INTERFACE ${CAF_INCLUDE})
  target_link_libraries(CAF::core INTERFACE ${CAF_CORE} Threads::Threads)
endif()
