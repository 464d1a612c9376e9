# Language level, warnings, hardening and instrumentation, the same for every target.
include(CheckPIESupported)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
check_pie_supported(LANGUAGES C)

# Assertions stay on while developing.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")

add_compile_definitions(_DEFAULT_SOURCE MI_VERSION="${PROJECT_VERSION}")

function(mi_c_options)
    foreach(option IN LISTS ARGN)
        add_compile_options("$<$<COMPILE_LANGUAGE:C>:${option}>")
    endforeach()
endfunction()

macro(mi_set_flags)
    mi_c_options(
        -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes
        -Wmissing-prototypes -Wundef -Wvla -Wformat=2 -Wwrite-strings -Wcast-qual -Wswitch-enum
        -Wimplicit-fallthrough -Wnull-dereference)
    if(MI_WERROR)
        mi_c_options(-Werror)
    endif()
    # The same binary wherever the source tree lies: no absolute paths in messages or debug data.
    mi_c_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
        set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
        mi_c_options(-fstack-protector-strong)
        if(NOT MI_SANITIZE)
            add_compile_definitions(_FORTIFY_SOURCE=2)
        endif()
        add_link_options(-Wl,-z,relro,-z,now)
    endif()
    if(MI_FUZZ)
        mi_c_options(-fsanitize=fuzzer-no-link)
    endif()
    if(MI_SANITIZE)
        mi_c_options("-fsanitize=${MI_SANITIZE}" -fno-omit-frame-pointer)
        if(MI_SANITIZE MATCHES "undefined")
            mi_c_options(-fno-sanitize-recover=undefined)
        endif()
        add_link_options("-fsanitize=${MI_SANITIZE}")
    endif()
    if(MI_COVERAGE)
        mi_c_options(--coverage)
        add_link_options(--coverage)
    endif()
endmacro()
mi_set_flags()
