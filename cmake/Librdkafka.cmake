# Makes weir::rdkafka, the static librdkafka that `tools/setup build` builds.
# WEIR_RDKAFKA_ROOT names another one: a folder with include/librdkafka/rdkafka.h and lib/.

set(WEIR_RDKAFKA_ROOT "${CMAKE_SOURCE_DIR}/build/deps/librdkafka" CACHE PATH
  "folder of librdkafka 2.12 or newer")
set(_rdkafka_least 0x020c0000)

find_path(Rdkafka_INCLUDE_DIR librdkafka/rdkafka.h
  HINTS "${WEIR_RDKAFKA_ROOT}/include" NO_DEFAULT_PATH)
find_library(Rdkafka_LIBRARY rdkafka HINTS "${WEIR_RDKAFKA_ROOT}/lib" NO_DEFAULT_PATH)
mark_as_advanced(Rdkafka_INCLUDE_DIR Rdkafka_LIBRARY)
if(NOT Rdkafka_INCLUDE_DIR OR NOT Rdkafka_LIBRARY)
  message(FATAL_ERROR "no librdkafka in ${WEIR_RDKAFKA_ROOT}: run `tools/setup build`")
endif()

file(STRINGS "${Rdkafka_INCLUDE_DIR}/librdkafka/rdkafka.h" _line REGEX "^#define RD_KAFKA_VERSION ")
string(REGEX MATCH "0x[0-9a-fA-F]+" _rdkafka_version "${_line}")
if(_rdkafka_version STRLESS _rdkafka_least)
  message(FATAL_ERROR "librdkafka is ${_rdkafka_version}, at least ${_rdkafka_least} is needed")
endif()

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CURL REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(rdkafka_codecs REQUIRED IMPORTED_TARGET libzstd liblz4)

if(NOT TARGET weir::rdkafka)
  add_library(weir::rdkafka UNKNOWN IMPORTED)
  set_target_properties(weir::rdkafka PROPERTIES
    IMPORTED_LOCATION "${Rdkafka_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Rdkafka_INCLUDE_DIR}")
  target_link_libraries(weir::rdkafka INTERFACE
    CURL::libcurl OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB PkgConfig::rdkafka_codecs
    Threads::Threads ${CMAKE_DL_LIBS} m)
endif()
