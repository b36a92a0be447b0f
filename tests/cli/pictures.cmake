# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Pictures and reports, if the build has Cairo.
set(report run ${plates} --dry-run --set output.report=true)
if(Tessera_HAVE_CAIRO)
  tessera_add_cli_test("a report brings the fields that it shows" CODE 0 SAYS "fields: .potential, electric_field, material." ARGS ${report})
  add_test(NAME "cli: runs have pictures and reports" COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/pictures.sh $<TARGET_FILE:tessera>
                                                              ${PROJECT_SOURCE_DIR}/inputs)
  set_tests_properties("cli: runs have pictures and reports" PROPERTIES LABELS cli TIMEOUT 120)
else()
  tessera_add_cli_test("a build without Cairo reports it" CODE 1 SAYS "output.report: this build has no Cairo, which draws the pictures" ARGS ${report})
endif()
