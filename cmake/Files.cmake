# Lists of files by pattern. A pattern that matches nothing stops the configuration: sources left out of
# a list get other compiler options in silence, and results change.

# scone_files(VARIABLE PATTERN...): the files of the project that the patterns match, as absolute paths.
function(scone_files variable)
  set(all "")
  foreach(pattern ${ARGN})
    file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${pattern})
    if(NOT found)
      message(FATAL_ERROR "No file matches ${pattern}: correct the pattern, which was made for files that moved")
    endif()
    list(APPEND all ${found})
  endforeach()
  set(${variable} ${all} PARENT_SCOPE)
endfunction()

# scone_without(VARIABLE FILE): takes one file, which must be there, out of a list.
function(scone_without variable file)
  set(all ${${variable}})
  list(FIND all ${PROJECT_SOURCE_DIR}/${file} place)
  if(place EQUAL -1)
    message(FATAL_ERROR "${file} is not in ${variable}: it moved")
  endif()
  list(REMOVE_AT all ${place})
  set(${variable} ${all} PARENT_SCOPE)
endfunction()
