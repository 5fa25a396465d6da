# Packages that may use aoso learn of it when they are loaded, before it or after it.

.onLoad <- function(libname, pkgname) {
  for (other in list(list("parsnip", register_parsnip), list("mlr3", register_mlr3))) {
    local({
      register <- other[[2L]]
      setHook(packageEvent(other[[1L]], "onLoad"), function(...) register())
      if (isNamespaceLoaded(other[[1L]])) register()
    })
  }
}
