# Puts files into the program's read-only data by way of the assembler's .incbin.
#
#   mi_embed(stage file symbol)              bytes from `symbol` up to `symbol`_end
#   mi_embed_catalogue(stage file.po symbol) the same for the .mo file made of it

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
endfunction()
