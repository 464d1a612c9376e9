# Libraries from the system, gathered in mi_external.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_program(MI_MSGFMT msgfmt REQUIRED)

set(MI_PKG_MODULES zlib libzstd sqlite3 libxxhash libmicrohttpd)
pkg_check_modules(MI_EXTERNAL REQUIRED IMPORTED_TARGET ${MI_PKG_MODULES})

add_library(mi_external INTERFACE)
target_link_libraries(mi_external INTERFACE
    PkgConfig::MI_EXTERNAL Threads::Threads ${CMAKE_DL_LIBS} m)
