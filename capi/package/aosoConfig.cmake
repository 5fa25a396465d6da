# Defines the targets aoso::aoso (shared) and aoso::static, and for prediction alone
# aoso::predict (shared) and aoso::predict_static. They use the prefix that this
# file is installed in.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
get_filename_component(_aoso_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET aoso::aoso)
  add_library(aoso::aoso SHARED IMPORTED)
  set_target_properties(aoso::aoso PROPERTIES
    IMPORTED_LOCATION "${_aoso_prefix}/lib/libaoso.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_aoso_prefix}/include")

  add_library(aoso::static STATIC IMPORTED)
  set_target_properties(aoso::static PROPERTIES
    IMPORTED_LOCATION "${_aoso_prefix}/lib/libaoso.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_aoso_prefix}/include"
    INTERFACE_LINK_LIBRARIES Threads::Threads)

  add_library(aoso::predict SHARED IMPORTED)
  set_target_properties(aoso::predict PROPERTIES
    IMPORTED_LOCATION "${_aoso_prefix}/lib/libaoso_predict.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_aoso_prefix}/include")

  add_library(aoso::predict_static STATIC IMPORTED)
  set_target_properties(aoso::predict_static PROPERTIES
    IMPORTED_LOCATION "${_aoso_prefix}/lib/libaoso_predict.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_aoso_prefix}/include")
endif()

unset(_aoso_prefix)
