# Headers, both libraries, the program and the pkg-config file.
file(RELATIVE_PATH MI_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
list(JOIN MI_PKG_MODULES ", " MI_PC_REQUIRES)
configure_file("${PROJECT_SOURCE_DIR}/cmake/model-inspector.pc.in" model-inspector.pc @ONLY)

install(TARGETS mi_static ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS mi_shared LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS mi_hook LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(TARGET inspector-cli)
    install(TARGETS inspector-cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
    install(FILES "${PROJECT_SOURCE_DIR}/man/inspector-cli.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/model-inspector"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_BINARY_DIR}/model-inspector.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES "${PROJECT_SOURCE_DIR}/python/model_inspector_collect.py"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/model-inspector/python")
