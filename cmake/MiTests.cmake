# Helpers for the test folders.
#
#   mi_unit_test(test_error)                  tests/unit/test_error.c, a cmocka program
#   mi_unit_test(test_json LIBS PkgConfig::X) ... with more libraries
#
# All C tests see the internal headers, what tests/support/ offers (#include "support/..."),
# MI_SOURCE_DIR (the source tree) and MI_BINARY_DIR (the build tree, which holds inspector-cli).
#
# Scripts get MI_SOURCE_DIR, MI_BINARY_DIR (inspector-cli lies there) and MI_ORT_LIB (the ONNX Runtime
# library that ./dev deps fetched; it may be missing) in the environment.
pkg_check_modules(MI_CMOCKA REQUIRED IMPORTED_TARGET cmocka)

# Seconds until a hanging test is ended; emulators and sanitizers are slow.
set(MI_TEST_TIMEOUT 600)

# ONNX Runtime does not start under qemu-user: a library it uses reads the host's processor and crashes.
if(CMAKE_CROSSCOMPILING)
    set(MI_ORT_LIB "")
else()
    set(MI_ORT_LIB "${PROJECT_SOURCE_DIR}/deps/ort/libonnxruntime.so")
endif()

function(mi_test_settings name kind)
    set_tests_properties("${name}" PROPERTIES LABELS "${kind}" TIMEOUT "${MI_TEST_TIMEOUT}")
    set_property(TEST "${name}" APPEND PROPERTY ENVIRONMENT
        LC_ALL=C LANGUAGE=
        UBSAN_OPTIONS=print_stacktrace=1
        TSAN_OPTIONS=halt_on_error=1
        "MI_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
        "MI_BINARY_DIR=${PROJECT_BINARY_DIR}"
        "MI_ORT_LIB=${MI_ORT_LIB}")
endfunction()

function(mi_c_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBS;SOURCES")
    if(NOT arg_SOURCES)
        set(arg_SOURCES "${name}.c")
    endif()
    add_executable("${name}" ${arg_SOURCES})
    target_compile_definitions("${name}" PRIVATE
        MI_SOURCE_DIR="${PROJECT_SOURCE_DIR}" MI_BINARY_DIR="${PROJECT_BINARY_DIR}")
    if(TARGET mi_test_support)
        target_link_libraries("${name}" PRIVATE mi_test_support)
    endif()
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

# How a script starts the program of a target: its path, or in a cross build that of a small script which
# starts it in the emulator. Those lie in emulated/, which scripts then see as MI_BINARY_DIR.
function(mi_program target out)
    set(path "$<TARGET_FILE:${target}>")
    get_target_property(type "${target}" TYPE)
    if(CMAKE_CROSSCOMPILING AND type STREQUAL "EXECUTABLE")
        set(path "${PROJECT_BINARY_DIR}/emulated/${target}")
        get_property(made GLOBAL PROPERTY "mi_emulated_${target}")
        if(NOT made)
            set_property(GLOBAL PROPERTY "mi_emulated_${target}" TRUE)
            file(GENERATE OUTPUT "${path}"
                CONTENT "#!/bin/sh\nexec ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${target}> \"$@\"\n"
                FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
        endif()
    endif()
    set("${out}" "${path}" PARENT_SCOPE)
endfunction()

# A test written as a shell script: exit code 77 means skipped. An argument "$<TARGET_FILE:name>" arrives as
# mi_program() has it.
function(mi_script_test kind name script)
    cmake_path(ABSOLUTE_PATH script BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    set(arguments "")
    foreach(argument IN LISTS ARGN)
        if(argument MATCHES "^\\$<TARGET_FILE:(.*)>$")
            mi_program("${CMAKE_MATCH_1}" argument)
        endif()
        list(APPEND arguments "${argument}")
    endforeach()
    add_test(NAME "${kind}/${name}" COMMAND sh "${script}" ${arguments}
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    mi_test_settings("${kind}/${name}" "${kind}")
    if(CMAKE_CROSSCOMPILING)
        mi_program(inspector-cli cli)
        set_property(TEST "${kind}/${name}" APPEND PROPERTY ENVIRONMENT
            "MI_BINARY_DIR=${PROJECT_BINARY_DIR}/emulated")
    endif()
    set_tests_properties("${kind}/${name}" PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

# A benchmark: tests/bench/<name>.c, built with everything, run by ./dev bench.
function(mi_bench name)
    mi_c_program("${name}" ${ARGN})
endfunction()

# A fuzz target: a source with LLVMFuzzerTestOneInput. The fuzz preset makes a libFuzzer program of it;
# all others make a program that runs the kept inputs once, as a test. Further arguments are sources of
# the target (default <name>.c) and, behind DEFINES, compile definitions. tests/data/<x>/ and
# tests/data/crash/<x>/ are the inputs of fuzz_<x>.
function(mi_fuzz_target name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEFINES;SOURCES")
    if(NOT arg_SOURCES)
        set(arg_SOURCES "${name}.c")
    endif()
    if(MI_FUZZ)
        mi_c_program("${name}" SOURCES ${arg_SOURCES})
        target_link_options("${name}" PRIVATE -fsanitize=fuzzer)
    else()
        mi_c_program("${name}" SOURCES ${arg_SOURCES} replay.c)
        string(REGEX REPLACE "^fuzz_" "" input "${name}")
        add_test(NAME "fuzz/${name}" COMMAND "${name}"
            "${PROJECT_SOURCE_DIR}/tests/data/${input}"
            "${PROJECT_SOURCE_DIR}/tests/data/crash/${input}")
        mi_test_settings("fuzz/${name}" fuzz)
    endif()
    target_compile_definitions("${name}" PRIVATE ${arg_DEFINES})
endfunction()
