# Compiler settings of our own code: warnings are errors, compiled results are cached where ccache
# is installed, and mold links where it is installed.

add_compile_options(
  -Wall -Wextra -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # In clang, not in g++, -Wconversion means changes of sign too, which would cast every size.
  add_compile_options(-Wthread-safety -Wno-sign-conversion)
elseif(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  # Under a sanitizer g++ takes the room of an empty std::optional for a value that is read; its
  # manual says not to heed this warning there. The other presets do. The sanitizer of threads does
  # not follow fences; only Boost.Asio has some, and takes locks beside them.
  add_compile_options(-Wno-maybe-uninitialized -Wno-tsan)
endif()

find_program(WEIR_CCACHE ccache)
if(WEIR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${WEIR_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${WEIR_CCACHE}")
endif()

find_program(WEIR_MOLD mold)
if(WEIR_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
mark_as_advanced(WEIR_CCACHE WEIR_MOLD)
