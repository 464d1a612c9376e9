# The part of the library that answers requests over a model, compiled to WebAssembly: what a one-file
# report brings along (src/present/offline/core.c). Needs clang, lld, wasi-libc and the compiler's runtime
# for wasm32; MI_REPORT is turned off where they are missing.
#
#   mi_wasm(core.wasm sources...)           one module of these sources, stripped
#   mi_wasm_check(works)                    whether that can be done here
#   mi_wasm_embed(source.S file symbol)     an assembler source, as mi_embed() makes it
#
# Each source is compiled by a command of its own, so that a change costs what it costs elsewhere.

find_program(MI_WASM_CC NAMES clang clang-14)

set(MI_WASM_FLAGS --target=wasm32-wasi -std=c17 -Oz -DNDEBUG -D_DEFAULT_SOURCE
    "-DMI_VERSION=\"${PROJECT_VERSION}\"" -DXXH_INLINE_ALL -ffunction-sections -fdata-sections
    -Wall -Wextra "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")

# Whether a small program with all that is needed gets through.
function(mi_wasm_check out)
    set(works FALSE)
    if(MI_WASM_CC)
        set(probe "${PROJECT_BINARY_DIR}/wasm-probe")
        file(WRITE "${probe}.c" "#include <stdio.h>\n#include <xxhash.h>\nint main(void) { return puts(\"\") + (int)XXH3_64bits(\"\", 0); }\n")
        execute_process(
            COMMAND "${MI_WASM_CC}" ${MI_WASM_FLAGS} "${probe}.c" -o "${probe}.wasm"
            RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
        if(failed EQUAL 0)
            set(works TRUE)
        endif()
    endif()
    set("${out}" "${works}" PARENT_SCOPE)
endfunction()

function(mi_wasm module)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/wasm")
    file(MAKE_DIRECTORY "${folder}")
    set(objects "")
    foreach(source IN LISTS ARGN)
        file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}" "${source}")
        string(REPLACE "/" "_" name "${name}")
        set(object "${folder}/${name}.o")
        get_property(needs GLOBAL PROPERTY "mi_wasm_needs_${source}")
        add_custom_command(OUTPUT "${object}"
            COMMAND ${CMAKE_C_COMPILER_LAUNCHER} "${MI_WASM_CC}" ${MI_WASM_FLAGS}
                "-I${PROJECT_SOURCE_DIR}/include" "-I${PROJECT_SOURCE_DIR}/src"
                -MD -MF "${object}.d" -MT "${object}" -c "${source}" -o "${object}"
            DEPENDS "${source}" ${needs} DEPFILE "${object}.d" VERBATIM
            COMMENT "Compiling ${name} to WebAssembly")
        list(APPEND objects "${object}")
    endforeach()
    add_custom_command(OUTPUT "${module}"
        COMMAND "${MI_WASM_CC}" --target=wasm32-wasi -mexec-model=reactor -Wl,--gc-sections
            -Wl,--strip-all -Wl,--stack-first -Wl,-z,stack-size=1048576 ${objects} -o "${module}"
        DEPENDS ${objects} VERBATIM
        COMMENT "Linking ${module}")
endfunction()

function(mi_wasm_embed assembler file symbol)
    file(CONFIGURE OUTPUT "${assembler}" CONTENT [[
    .section .rodata.@symbol@, "", @
    .globl @symbol@
    .type @symbol@, @object
@symbol@:
    .incbin "@file@"
    .size @symbol@, . - @symbol@
    .globl @symbol@_end
    .type @symbol@_end, @object
@symbol@_end:
    .int8 0
    .size @symbol@_end, 1
]] @ONLY)
    set_property(GLOBAL APPEND PROPERTY "mi_wasm_needs_${assembler}" "${file}")
endfunction()
