/* Errors, warnings, Ctrl-C, and the registration of routines. */
#include "glue.h"
#include <R_ext/Rdynload.h>
#include <signal.h>
#include <stdio.h>

static char warning[1024]; /* the last one that R has not seen */

void keep_warning(int32_t level, const char *message, void *user) {
    (void)user;
    if (level == AOSO_LOG_WARNING) snprintf(warning, sizeof warning, "%s", message);
}

void check(aoso_status status) {
    char text[sizeof warning];
    snprintf(text, sizeof text, "%s", warning);
    warning[0] = 0;
    if (status != AOSO_OK) Rf_errorcall(R_NilValue, "%s", aoso_last_error());
    if (text[0]) Rf_warningcall(R_NilValue, "%s", text);
}

static volatile sig_atomic_t interrupted;
static struct sigaction handler_of_r;
static int calls; /* a callback may call the library in turn */

static void on_interrupt(int signal) {
    (void)signal;
    interrupted = 1;
}

/* The handler of R takes SA_ONSTACK away from itself. A second Ctrl-C would then run
 * on the small stack of a goroutine, so R's handler does not run during a call. */
void begin_call(void) {
    if (calls++ > 0) return;
    interrupted = 0;
    struct sigaction ours = {.sa_handler = on_interrupt, .sa_flags = SA_ONSTACK | SA_RESTART};
    sigemptyset(&ours.sa_mask);
    sigaction(SIGINT, &ours, &handler_of_r);
}

void end_call(void) {
    if (--calls > 0) return;
    sigaction(SIGINT, &handler_of_r, NULL);
    if (interrupted) raise(SIGINT);
}

int is_interrupted(void) { return interrupted != 0; }
void set_interrupted(void) { interrupted = 1; }

SEXP r_build_info(void) {
    char text[4096];
    check(aoso_build_info(text, sizeof text, NULL));
    return Rf_mkString(text);
}

#define ROUTINE(name, arguments) {#name, (DL_FUNC)&name, arguments}

static const R_CallMethodDef routines[] = {
    ROUTINE(r_train, 11),    ROUTINE(r_model_info, 1),  ROUTINE(r_importance, 2), ROUTINE(r_encode, 1),   ROUTINE(r_decode, 1),
    ROUTINE(r_save, 2),     ROUTINE(r_load, 1),        ROUTINE(r_export, 5),     ROUTINE(r_predict, 5),
    ROUTINE(r_predict_set, 4), ROUTINE(r_evaluate, 6), ROUTINE(r_build_info, 0),
    ROUTINE(r_suggest_codes, 5), {NULL, NULL, 0},
};

void R_init_aoso(DllInfo *dll);

void R_init_aoso(DllInfo *dll) {
    R_registerRoutines(dll, NULL, routines, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);
    R_forceSymbols(dll, TRUE);
    if (aoso_abi_version() != AOSO_ABI_VERSION)
        Rf_error("libaoso has the binary interface %d; this package was built for %d: install it again", (int)aoso_abi_version(),
                 AOSO_ABI_VERSION);
    aoso_set_log(keep_warning, NULL);
}
