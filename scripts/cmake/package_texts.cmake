# Run when a package is made (package.cmake): manual pages and changelogs get version and date, and are
# packed so that the same texts are the same bytes. string(TIMESTAMP) tells SOURCE_DATE_EPOCH.
set(root $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})
set(packaging ${FROM}/scripts/packaging)
string(TIMESTAMP DATE "%Y-%m-%d" UTC)
string(TIMESTAMP CHANGED "%a, %d %b %Y %H:%M:%S +0000" UTC)

function(pack file)
  execute_process(COMMAND gzip -9 -n -f ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(GLOB pages ${packaging}/man/*.in)
foreach(page ${pages})
  get_filename_component(name ${page} NAME_WLE)
  string(REGEX MATCH "[0-9]$" section ${name})
  set(to ${root}/usr/share/man/man${section}/${name})
  configure_file(${page} ${to} @ONLY)
  pack(${to})
endforeach()

set(doc ${root}/usr/share/doc/gate)
configure_file(${packaging}/debian/changelog.in ${doc}/changelog.Debian @ONLY)
configure_file(${FROM}/CHANGELOG.md ${doc}/changelog COPYONLY)
pack(${doc}/changelog.Debian)
pack(${doc}/changelog)
