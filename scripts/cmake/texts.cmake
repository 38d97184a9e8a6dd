# cmake -D FROM=FOLDER -D "ENDINGS=json;pem" -D NAME=FUNCTION -D TO=FILE.cpp -P texts.cmake: writes a C++
# source with the files of a folder, and the function of simulations/peers/embedded.hpp that tells of
# them, by their names. The same files make the same source.
cmake_minimum_required(VERSION 3.25)

set(rows "")
set(count 0)
foreach(ending IN LISTS ENDINGS)
  file(GLOB found ${FROM}/*.${ending})
  list(SORT found COMPARE STRING)
  foreach(file IN LISTS found)
    get_filename_component(name ${file} NAME)
    # As escapes: no literal ends early, whatever the file says.
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${hex}")
    string(REPEAT "\\\\x[0-9a-f][0-9a-f]" 32 line)
    string(REGEX REPLACE "(${line})" "\\1\"\n     \"" bytes "${bytes}")
    string(LENGTH "${hex}" size)
    math(EXPR size "${size} / 2")
    string(APPEND rows "    {\"${name}\",\n     {\"${bytes}\", ${size}}},\n")
    math(EXPR count "${count} + 1")
  endforeach()
endforeach()
file(WRITE ${TO} "// Made by scripts/cmake/texts.cmake.\n"
  "#include \"simulations/peers/embedded.hpp\"\n\n#include <array>\n\nnamespace gate {\n\n"
  "embedded_texts ${NAME}() {\n  static constexpr std::array<embedded_text, ${count}> all{{\n"
  "${rows}  }};\n  return all;\n}\n\n}  // namespace gate\n")
