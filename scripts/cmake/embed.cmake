# cmake -D "FROM=FOLDER;FOLDER" -D NAME=FUNCTION -D TO=FILE.cpp -P embed.cmake: writes a C++ source with
# all files of these folders, each plain and as gzip, and the function of actors/console/asset.hpp that
# tells of them. A path may be in one of the folders only. The same files make the same source.
cmake_minimum_required(VERSION 3.25)

set(type_.html "text/html; charset=utf-8")
set(type_.js "text/javascript; charset=utf-8")
set(type_.css "text/css; charset=utf-8")
set(type_.svg "image/svg+xml")
set(type_.txt "text/plain; charset=utf-8")

# As escapes in literals of 32 bytes.
function(literal hex out)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${hex}")
  string(REPEAT "\\\\x[0-9a-f][0-9a-f]" 32 line)
  string(REGEX REPLACE "(${line})" "\\1\"\n    \"" bytes "${bytes}")
  set(${out} "\"${bytes}\"" PARENT_SCOPE)
endfunction()

set(files "")
foreach(folder IN LISTS FROM)
  file(GLOB_RECURSE found RELATIVE ${folder} ${folder}/*)
  foreach(name IN LISTS found)
    if(DEFINED folder_of_${name})
      message(FATAL_ERROR "${name} is in ${folder} and in ${folder_of_${name}}")
    endif()
    set(folder_of_${name} ${folder})
  endforeach()
  list(APPEND files ${found})
endforeach()
list(SORT files COMPARE STRING)
set(rows "")
set(count 0)
foreach(name IN LISTS files)
  set(file ${folder_of_${name}}/${name})
  get_filename_component(ending ${name} LAST_EXT)
  if(NOT DEFINED type_${ending})
    message(FATAL_ERROR "${file}: no media type is known for ${ending}; add it here")
  endif()
  file(SHA256 ${file} digest)
  string(SUBSTRING ${digest} 0 32 digest)
  file(READ ${file} plain HEX)
  string(LENGTH "${plain}" plain_size)
  file(ARCHIVE_CREATE OUTPUT ${TO}.gz PATHS ${file} FORMAT raw COMPRESSION GZip
    COMPRESSION_LEVEL 9)
  file(READ ${TO}.gz packed HEX)
  # Bytes 4 to 7 are the time at which it was packed; 0 says that nobody knows (RFC 1952 §2.3.1).
  string(SUBSTRING "${packed}" 0 8 magic)
  string(SUBSTRING "${packed}" 16 -1 rest)
  set(packed "${magic}00000000${rest}")
  string(LENGTH "${packed}" packed_size)
  math(EXPR plain_size "${plain_size} / 2")
  math(EXPR packed_size "${packed_size} / 2")
  literal("${plain}" plain)
  literal("${packed}" packed)
  string(APPEND rows "    {\"${name}\", \"${type_${ending}}\", \"${digest}\",\n"
    "    {${plain}, ${plain_size}},\n    {${packed}, ${packed_size}}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(REMOVE ${TO}.gz)
file(WRITE ${TO} "// Made by scripts/cmake/embed.cmake.\n"
  "#include \"actors/console/asset.hpp\"\n\n#include <array>\n\nnamespace gate::console {\n\n"
  "files ${NAME}() {\n  static constexpr std::array<asset, ${count}> all{{\n"
  "${rows}  }};\n  return all;\n}\n\n}  // namespace gate::console\n")
