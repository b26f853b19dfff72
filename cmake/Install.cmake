# `cmake --install build/release --prefix DIR` makes a folder that can be moved as a whole:
#   bin/weir   lib/weir/libarrow.so.*  lib/weir/libparquet.so.*   share/doc/weir/
# The program finds the two libraries by a path relative to itself.

include(GNUInstallDirs)
set_target_properties(weir PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/weir")
install(TARGETS weir RUNTIME DESTINATION bin)
foreach(file IN LISTS WEIR_ARROW_FILES)
  install(FILES "${file}" DESTINATION lib/weir)
endforeach()
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" "${CMAKE_SOURCE_DIR}/docs/DEPENDENCIES.md"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")
