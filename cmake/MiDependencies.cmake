# Libraries from the system, gathered in mi_external.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_program(MI_MSGFMT msgfmt REQUIRED)

set(MI_PKG_MODULES zlib libzstd sqlite3 libxxhash)
pkg_check_modules(MI_EXTERNAL REQUIRED IMPORTED_TARGET ${MI_PKG_MODULES})

# Not linked: it is loaded when something is served, by the name that the one at hand goes by.
pkg_check_modules(MI_MHD REQUIRED libmicrohttpd)
find_library(MI_MHD_FILE microhttpd HINTS ${MI_MHD_LIBRARY_DIRS} REQUIRED)
file(REAL_PATH "${MI_MHD_FILE}" MI_MHD_SONAME)
cmake_path(GET MI_MHD_SONAME FILENAME MI_MHD_SONAME)
string(REGEX REPLACE "([.]so[.][0-9]+).*" "\\1" MI_MHD_SONAME "${MI_MHD_SONAME}")

add_library(mi_external INTERFACE)
target_include_directories(mi_external SYSTEM INTERFACE ${MI_MHD_INCLUDE_DIRS})
target_link_libraries(mi_external INTERFACE
    PkgConfig::MI_EXTERNAL Threads::Threads ${CMAKE_DL_LIBS} m)
