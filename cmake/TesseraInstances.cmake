# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause

# tessera_form_instances(<template.cpp.in> <variable> [<form> ...])
#
# Makes one source file per execution space, dimension, order and form (one file if none is named) from a template that uses @SPACE@,
# @DIM@, @ORDER@, @FORM@ and @FORM_HEADER@ (in lib/physics), so that heavy templates compile in small files in parallel, and sets the
# variable to the list of these files. A form written <form>:2 is for two dimensions only.
function(tessera_form_instances template variable)
  set(forms ${ARGN})
  if(NOT forms)
    set(forms any)
  endif()
  set(space_SERIAL SerialSpace)
  set(space_OPENMP OpenMPSpace)
  set(space_CUDA CudaSpace)
  set(space_HIP HipSpace)
  foreach(device SYCL OPENMPTARGET OPENACC)
    set(space_${device} OtherSpace)
  endforeach()
  get_filename_component(stem ${template} NAME_WE)
  set(files)
  foreach(device IN LISTS Tessera_BACKENDS)
    set(SPACE ${space_${device}})
    foreach(form IN LISTS forms)
      set(dimensions 2 3)
      if(form MATCHES "^(.*):2$")
        set(form ${CMAKE_MATCH_1})
        set(dimensions 2)
      endif()
      set(FORM ${form})
      set(FORM_HEADER diffusion_form)
      if(FORM STREQUAL "Magnetostatics")
        set(FORM_HEADER magnetic_form)
      endif()
      foreach(DIM IN LISTS dimensions)
        foreach(ORDER 1 2)
          set(file ${CMAKE_CURRENT_BINARY_DIR}/${stem}_${FORM}_${DIM}_${ORDER}_${SPACE}.cpp)
          configure_file(${template} ${file} @ONLY)
          set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${FORM}_${DIM}_${ORDER}_${SPACE})
          list(APPEND files ${file})
        endforeach()
      endforeach()
    endforeach()
  endforeach()
  set(${variable}
      ${files}
      PARENT_SCOPE)
endfunction()
