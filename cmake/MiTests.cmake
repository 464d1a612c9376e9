# Helpers for the test folders.
#
#   mi_unit_test(test_error)                  tests/unit/test_error.c, a cmocka program
#   mi_unit_test(test_json LIBS PkgConfig::X) ... with more libraries
#
# All C tests see the internal headers, MI_SOURCE_DIR (the source tree) and MI_BINARY_DIR (the build
# tree, which holds inspector-cli).
pkg_check_modules(MI_CMOCKA REQUIRED IMPORTED_TARGET cmocka)

# Seconds until a hanging test is ended; emulators and sanitizers are slow.
set(MI_TEST_TIMEOUT 300)

function(mi_test_settings name kind)
    set_tests_properties("${name}" PROPERTIES LABELS "${kind}" TIMEOUT "${MI_TEST_TIMEOUT}"
        ENVIRONMENT "LC_ALL=C;TSAN_OPTIONS=halt_on_error=1;UBSAN_OPTIONS=print_stacktrace=1")
endfunction()

function(mi_c_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBS;SOURCES")
    if(NOT arg_SOURCES)
        set(arg_SOURCES "${name}.c")
    endif()
    add_executable("${name}" ${arg_SOURCES})
    target_compile_definitions("${name}" PRIVATE
        MI_SOURCE_DIR="${PROJECT_SOURCE_DIR}" MI_BINARY_DIR="${PROJECT_BINARY_DIR}")
    target_link_libraries("${name}" PRIVATE mi_static ${arg_LIBS})
endfunction()

function(mi_cmocka_test kind name)
    mi_c_program("${name}" ${ARGN})
    target_link_libraries("${name}" PRIVATE PkgConfig::MI_CMOCKA)
    add_test(NAME "${kind}/${name}" COMMAND "${name}")
    mi_test_settings("${kind}/${name}" "${kind}")
endfunction()

function(mi_unit_test name)
    mi_cmocka_test(unit "${name}" ${ARGN})
endfunction()

function(mi_oracle_test name)
    mi_cmocka_test(oracle "${name}" ${ARGN})
endfunction()

# A test written as a shell script: exit code 77 means skipped.
function(mi_script_test kind name script)
    cmake_path(ABSOLUTE_PATH script BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    add_test(NAME "${kind}/${name}" COMMAND sh "${script}" ${ARGN}
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    mi_test_settings("${kind}/${name}" "${kind}")
    set_tests_properties("${kind}/${name}" PROPERTIES SKIP_RETURN_CODE 77)
    set_property(TEST "${kind}/${name}" APPEND PROPERTY ENVIRONMENT
        "MI_SOURCE_DIR=${PROJECT_SOURCE_DIR}" "MI_BINARY_DIR=${PROJECT_BINARY_DIR}")
endfunction()
