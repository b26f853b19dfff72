# Finds Arrow C++ and Parquet C++ and makes Arrow::arrow_shared and Parquet::parquet_shared.
#
# Looked for in this order:
#   WEIR_ARROW_ROOT   a folder with include/arrow and the libraries in it or in lib/
#   the system        an installed Arrow with its CMake package files
#   build/venv        the pyarrow wheel that `tools/setup build` installs
#
# Sets Arrow_VERSION, and WEIR_ARROW_FILES: the two library files that ship beside the program
# (empty for a system Arrow).

set(WEIR_ARROW_ROOT "" CACHE PATH "folder of Arrow C++; empty: the system's or build/venv")
set(WEIR_ARROW_FILES "")

# Reads the version and the number in the libraries' names from Arrow's generated header.
function(weir_read_arrow_config include_dir)
  file(STRINGS "${include_dir}/arrow/util/config.h" lines
       REGEX "^#define ARROW_(VERSION_STRING|SO_VERSION) ")
  foreach(line IN LISTS lines)
    if(line MATCHES "^#define ARROW_VERSION_STRING \"(.+)\"")
      set(Arrow_VERSION "${CMAKE_MATCH_1}" PARENT_SCOPE)
    elseif(line MATCHES "^#define ARROW_SO_VERSION \"(.+)\"")
      set(Arrow_SO_VERSION "${CMAKE_MATCH_1}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

set(_arrow_root "${WEIR_ARROW_ROOT}")
if(NOT _arrow_root)
  find_package(Arrow ${Arrow_FIND_VERSION} CONFIG QUIET)
  find_package(Parquet CONFIG QUIET)
  if(TARGET Arrow::arrow_shared AND TARGET Parquet::parquet_shared)
    return()
  endif()
  file(GLOB _wheels "${CMAKE_SOURCE_DIR}/build/venv/lib/python3*/site-packages/pyarrow")
  if(_wheels)
    list(GET _wheels 0 _arrow_root)
  endif()
endif()

find_path(Arrow_INCLUDE_DIR arrow/util/config.h HINTS "${_arrow_root}/include" NO_DEFAULT_PATH)
if(Arrow_INCLUDE_DIR)
  weir_read_arrow_config("${Arrow_INCLUDE_DIR}")
endif()
# A wheel has only the full file name, with its version; there is no plain libarrow.so.
foreach(_library arrow parquet)
  find_file(Arrow_${_library}_FILE
    NAMES lib${_library}.so.${Arrow_SO_VERSION} lib${_library}.so
    HINTS "${_arrow_root}" "${_arrow_root}/lib" NO_DEFAULT_PATH)
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Arrow
  REQUIRED_VARS Arrow_arrow_FILE Arrow_parquet_FILE Arrow_INCLUDE_DIR
  VERSION_VAR Arrow_VERSION
  REASON_FAILURE_MESSAGE "run `tools/setup build`, or set WEIR_ARROW_ROOT")

if(Arrow_FOUND AND NOT TARGET Arrow::arrow_shared)
  add_library(Arrow::arrow_shared SHARED IMPORTED)
  add_library(Parquet::parquet_shared SHARED IMPORTED)
  set_target_properties(Arrow::arrow_shared PROPERTIES
    IMPORTED_LOCATION "${Arrow_arrow_FILE}"
    INTERFACE_INCLUDE_DIRECTORIES "${Arrow_INCLUDE_DIR}"
    INTERFACE_COMPILE_FEATURES cxx_std_20)
  # The wheel's libparquet exports the OpenSSL inside it. The system's has to come before, or most
  # calls of the program and of libssl, libcurl and libpq end there.
  set_target_properties(Parquet::parquet_shared PROPERTIES
    IMPORTED_LOCATION "${Arrow_parquet_FILE}"
    INTERFACE_LINK_OPTIONS
      "LINKER:--push-state,--no-as-needed,$<TARGET_FILE:OpenSSL::Crypto>,--pop-state"
    INTERFACE_LINK_LIBRARIES Arrow::arrow_shared)
  set(WEIR_ARROW_FILES "${Arrow_arrow_FILE}" "${Arrow_parquet_FILE}")
endif()
mark_as_advanced(Arrow_INCLUDE_DIR Arrow_arrow_FILE Arrow_parquet_FILE)
