# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs the public headers, the libraries and the package that find_package(Tessera) reads. Its targets: tessera::<folder>. The
# documentation is installed where `tessera --help` says, with the folders of the sources, so that its links and commands work there.
include(CMakePackageConfigHelpers)
set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/Tessera)
include(PublicHeaders)
install(
  CODE "
  set(TESSERA_HEADER_FOLDERS \"${PROJECT_SOURCE_DIR}/lib\" \"${PROJECT_BINARY_DIR}/lib/generated\")
  set(TESSERA_PUBLIC_HEADERS \"${Tessera_PUBLIC_HEADERS}\")
  set(TESSERA_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")")
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/InstallHeaders.cmake)
install(EXPORT TesseraTargets NAMESPACE tessera:: DESTINATION ${_package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/TesseraConfig.cmake.in ${PROJECT_BINARY_DIR}/TesseraConfig.cmake
                              INSTALL_DESTINATION ${_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TesseraConfig.cmake ${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake ${PROJECT_SOURCE_DIR}/cmake/FindNCCL.cmake ${PROJECT_SOURCE_DIR}/cmake/FindRCCL.cmake
        DESTINATION ${_package})
set(_documents ${CMAKE_INSTALL_DATAROOTDIR}/doc/tessera)
install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/docs
  DESTINATION ${_documents}
  FILES_MATCHING
  PATTERN "*.md"
  PATTERN "*.png"
  PATTERN man EXCLUDE)
install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/inputs
  DESTINATION ${_documents}
  FILES_MATCHING
  PATTERN "*.yaml"
  PATTERN "*.yml"
  PATTERN "*.geo"
  PATTERN "*.dxf"
  PATTERN "*.step"
  PATTERN "*.csv"
  PATTERN results EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md ${PROJECT_SOURCE_DIR}/LICENSE
              ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CITATION.cff DESTINATION ${_documents})
install(FILES ${PROJECT_SOURCE_DIR}/lib/io/materials/materials.yaml DESTINATION ${_documents}/lib/io/materials)
configure_file(${PROJECT_SOURCE_DIR}/docs/man/tessera.1.in ${PROJECT_BINARY_DIR}/tessera.1 @ONLY)
if(Tessera_ENABLE_PROGRAM)
  install(FILES ${PROJECT_BINARY_DIR}/tessera.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
