# A stage is one folder of the pipeline; its sources become one object library mi_<stage>.
#
#   mi_stage(parse reader.c detect.c)                      sources, relative to the calling folder
#   mi_stage_table(parse readers.def MI_READER formats)    one source per row: formats/<row>.c
#
# Both may be called from several folders for one stage, and a stage without sources is left out.

function(mi_stage stage)
    foreach(file IN LISTS ARGN)
        cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
        set_property(GLOBAL APPEND PROPERTY "mi_sources_${stage}" "${file}")
    endforeach()
endfunction()

# The rows of a table file, `MACRO(row)` or `MACRO(row, ...)` each at the start of a line.
function(mi_table_rows table macro out)
    cmake_path(ABSOLUTE_PATH table BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    set(rows "")
    if(EXISTS "${table}")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${table}")
        file(STRINGS "${table}" lines REGEX "^${macro}\\([a-z0-9_]+[,)]")
        foreach(line IN LISTS lines)
            string(REGEX REPLACE "^${macro}\\(([a-z0-9_]+).*" "\\1" row "${line}")
            list(APPEND rows "${row}")
        endforeach()
    endif()
    set("${out}" "${rows}" PARENT_SCOPE)
endfunction()

function(mi_stage_table stage table macro folder)
    mi_table_rows("${table}" "${macro}" rows)
    list(TRANSFORM rows APPEND ".c")
    list(TRANSFORM rows PREPEND "${folder}/")
    mi_stage("${stage}" ${rows})
endfunction()

# Makes the object libraries; call once all folders have been seen. Names of those that have sources
# are returned in `out`.
function(mi_stage_targets out)
    set(targets "")
    foreach(stage IN LISTS ARGN)
        get_property(sources GLOBAL PROPERTY "mi_sources_${stage}")
        if(sources)
            list(REMOVE_DUPLICATES sources)
            add_library("mi_${stage}" OBJECT ${sources})
            target_include_directories("mi_${stage}" PRIVATE
                "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
            target_link_libraries("mi_${stage}" PRIVATE mi_external)
            get_property(needs GLOBAL PROPERTY "mi_needs_${stage}")
            if(needs)
                add_dependencies("mi_${stage}" ${needs})
            endif()
            list(APPEND targets "mi_${stage}")
        endif()
    endforeach()
    set("${out}" "${targets}" PARENT_SCOPE)
endfunction()
