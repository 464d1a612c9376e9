# Puts files into the program's read-only data by way of the assembler's .incbin.
#
#   mi_embed(stage file symbol)              bytes from `symbol` up to `symbol`_end
#   mi_embed_catalogue(stage file.po symbol) the same for the .mo file made of it
#   mi_embed_page(stage folder [file])       the web page: its files as mi_assets (tools/embed-page), and
#                                            the module of a report.
#                                            Built from folder/src where Node.js and the packages of
#                                            package-lock.json are there, else folder/notice

function(mi_embed stage file symbol)
    set(assembler "${CMAKE_CURRENT_BINARY_DIR}/${symbol}.S")
    file(CONFIGURE OUTPUT "${assembler}" CONTENT [[
    .section .rodata.@symbol@, "a", %progbits
    .balign 16
    .globl @symbol@
    .hidden @symbol@
    .type @symbol@, %object
@symbol@:
    .incbin "@file@"
    .globl @symbol@_end
    .hidden @symbol@_end
    .type @symbol@_end, %object
@symbol@_end:
    .byte 0
    .size @symbol@, @symbol@_end - @symbol@
    .section .note.GNU-stack, "", %progbits
]] @ONLY)
    mi_stage("${stage}" "${assembler}")
    set_property(GLOBAL APPEND PROPERTY mi_embedded "${assembler}|${file}")
endfunction()

function(mi_embed_catalogue stage po symbol)
    cmake_path(GET po STEM language)
    set(mo "${CMAKE_CURRENT_BINARY_DIR}/${language}.mo")
    add_custom_command(OUTPUT "${mo}"
        COMMAND "${MI_MSGFMT}" --check-format --check-domain --endianness=little --no-hash -o "${mo}" "${po}"
        DEPENDS "${po}" VERBATIM
        COMMENT "Compiling the catalogue ${language}")
    add_custom_target("mi_catalogue_${language}" DEPENDS "${mo}")
    mi_embed("${stage}" "${mo}" "${symbol}")
    set_property(GLOBAL APPEND PROPERTY "mi_needs_${stage}" "mi_catalogue_${language}")
endfunction()

function(mi_embed_page stage folder)
    set(extra ${ARGN})
    set(out "${CMAKE_CURRENT_BINARY_DIR}/page")
    set(dist "${folder}/notice")
    set(needs "${folder}/notice/index.html")
    set(options "")
    find_program(MI_NODE node)
    if(MI_WEB AND MI_NODE AND EXISTS "${PROJECT_SOURCE_DIR}/node_modules/esbuild")
        set(dist "${out}/dist")
        set(needs "${dist}/page.d")
        add_custom_command(OUTPUT "${dist}/page.d"
            COMMAND "${MI_NODE}" "${folder}/build.mjs" "${dist}"
            DEPENDS "${folder}/build.mjs" DEPFILE "${dist}/page.d" VERBATIM
            COMMENT "Bundling the web page")
    elseif(MI_WEB)
        message(STATUS "the web page is left out: `./dev deps` installs what it needs")
    endif()
    add_custom_command(OUTPUT "${out}/page.S" "${out}/page.c"
        COMMAND "${PROJECT_SOURCE_DIR}/tools/embed-page" "${dist}" "${out}" ${extra}
        DEPENDS "${needs}" ${extra} "${PROJECT_SOURCE_DIR}/tools/embed-page" VERBATIM
        COMMENT "Embedding the web page")
    add_custom_target(mi_page DEPENDS "${out}/page.S" "${out}/page.c")
    mi_stage("${stage}" "${out}/page.S" "${out}/page.c")
    set_property(GLOBAL APPEND PROPERTY "mi_needs_${stage}" mi_page)
    set_property(GLOBAL APPEND PROPERTY mi_generated "${out}/page.S" "${out}/page.c")
endfunction()

# The assembler does not tell what it included, so say it. Source properties count in the folder whose
# targets use the source: call where mi_stage_targets() is called.
function(mi_embedded_depends)
    get_property(pairs GLOBAL PROPERTY mi_embedded)
    foreach(pair IN LISTS pairs)
        string(REPLACE "|" ";" pair "${pair}")
        list(GET pair 0 assembler)
        list(GET pair 1 file)
        set_property(SOURCE "${assembler}" PROPERTY OBJECT_DEPENDS "${file}")
    endforeach()
    get_property(generated GLOBAL PROPERTY mi_generated)
    set_source_files_properties(${generated} PROPERTIES GENERATED TRUE)
endfunction()
