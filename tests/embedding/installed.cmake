# Called by the test embedding:installed; see CMakeLists.txt.
set(place "${build}/embedding test")
set(prefix "${place}/in stalled")
file(REMOVE_RECURSE "${place}")

function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(failed)
    message(FATAL_ERROR "${ARGN}\nfailed (${failed}):\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

must(${CMAKE_COMMAND} --install "${build}" --config "${config}" --prefix "${prefix}")

# One public header, and nothing of this build's place or flags in the package.
file(GLOB_RECURSE headers RELATIVE "${prefix}" "${prefix}/*.hpp")
if(NOT headers STREQUAL "include/gate/gateway.hpp")
  message(FATAL_ERROR "installed headers: ${headers}")
endif()
file(GLOB_RECURSE texts "${prefix}/*.cmake")
cmake_path(GET source PARENT_PATH root)
cmake_path(GET root PARENT_PATH root)
foreach(text ${texts})
  file(READ "${text}" content)
  foreach(foreign "${root}/" "${build}/" "-fsanitize" "-Werror")
    string(FIND "${content}" "${foreign}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${text} speaks of ${foreign}")
    endif()
  endforeach()
endforeach()
must("${prefix}/bin/gate" --version)
if(NOT out STREQUAL "gate ${version}\n")
  message(FATAL_ERROR "the installed program says: ${out}")
endif()

# A sanitizer that the library was built with is needed by whoever links it.
must(${CMAKE_COMMAND} -S "${source}" -B "${place}/build" -G "${generator}"
  "-DCMAKE_MAKE_PROGRAM=${make}" "-DCMAKE_CXX_COMPILER=${compiler}"
  "-DCMAKE_CXX_COMPILER_LAUNCHER=${launcher}" "-DCMAKE_CXX_FLAGS=${flags}"
  "-DCMAKE_BUILD_TYPE=${config}" "-DCMAKE_PREFIX_PATH=${prefix}")
must(${CMAKE_COMMAND} --build "${place}/build")
must("${place}/build/embedding")
# The log is written to standard error.
string(REGEX REPLACE "[0-9]+-[0-9]+-[0-9]+T[^\n]*\n" "" out "${out}")
set(expected "^gate ${version} at http://127.0.0.1:[0-9]+/mcp
second document: taken over
third document: refused
  /upstreams/0/url: [^\n]+
ticks: 3
stopped
$")
if(NOT out MATCHES "${expected}")
  message(FATAL_ERROR "the program said:\n${out}")
endif()
file(REMOVE_RECURSE "${place}")
