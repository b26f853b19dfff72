# What `weir version` says, for src/app/build_info.cc: versions, compiler and the commit. Written
# when configuring, so that checks find it, and again before each build, so that the commit is
# right; the file only changes when its content does.
#
# As a script: cmake -DVALUES=file.in -DOUT=file -DSOURCE=folder -P BuildInfo.cmake

function(weir_write_build_info values out source)
  execute_process(COMMAND git -C ${source} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(commit "")
  else()
    execute_process(COMMAND git -C ${source} status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      string(APPEND commit "+")
    endif()
  endif()
  file(READ ${values} text)
  file(CONFIGURE OUTPUT ${out} CONTENT "${text}#define WEIR_GIT_COMMIT \"${commit}\"\n" @ONLY)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  weir_write_build_info(${VALUES} ${OUT} ${SOURCE})
  return()
endif()

set(folder ${CMAKE_BINARY_DIR}/generated)
string(TOLOWER "${CMAKE_BUILD_TYPE}" build_type)
file(CONFIGURE OUTPUT ${folder}/build_info.in CONTENT
"#define WEIR_VERSION \"${PROJECT_VERSION}\"
#define WEIR_COMPILER \"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\"
#define WEIR_BUILD_TYPE \"${build_type}\"
#define WEIR_ARROW_VERSION \"${Arrow_VERSION}\"
#define WEIR_SQLITE_VERSION \"${SQLite3_VERSION}\"
")
weir_write_build_info(${folder}/build_info.in ${folder}/build_info.inc ${CMAKE_SOURCE_DIR})
add_custom_target(weir_build_info
  COMMAND ${CMAKE_COMMAND} -DVALUES=${folder}/build_info.in -DOUT=${folder}/build_info.inc
    -DSOURCE=${CMAKE_SOURCE_DIR} -P ${CMAKE_CURRENT_LIST_FILE}
  BYPRODUCTS ${folder}/build_info.inc)
add_dependencies(weir_app weir_build_info)
target_include_directories(weir_app PRIVATE ${folder})
