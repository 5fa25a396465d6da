// See process.h.
#define _GNU_SOURCE
#include "process.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "shim.h"

// ---------------------------------------------------------------- refusal --

_Atomic int32_t process_refuses;
static char too_little[200]; // in words, if the limits leave too little memory

const char *process_refusal(int32_t why) {
    switch (why) {
    case AOSO_FORKED:
        return "aoso: this process is a child made by fork(), in which Go cannot run; "
               "use exec, spawn or a fork server, or load the library in the child only";
    case AOSO_OUT_OF_MEMORY: return too_little;
    }
    return "aoso: a defect of the library showed in an earlier call; it cannot go on in this process";
}

void process_poison(void) { atomic_store(&process_refuses, AOSO_INTERNAL); }

static void in_child(void) { atomic_store(&process_refuses, AOSO_FORKED); }

// ----------------------------------------------------------------- limits --

// What Go needs, in MB, beside data: it and the C library reserve much more
// address space than they use. Where Go finds less, it ends the process:
// measured on two cores, always below 780 and near 1300, one time in twenty up
// to 1650, and never from 1700 on.
enum { LEAST_SPACE = 1800, LEAST_DATA = 100 };

// Whether a limit leaves too little beside the pages that there are.
static int exceeds(const char *name, int resource, long pages, long least) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
    const long left = (long)(limit.rlim_cur >> 20) - (long)((unsigned long)pages * (unsigned long)sysconf(_SC_PAGESIZE) >> 20);
    if (left >= least) return 0;
    snprintf(too_little, sizeof too_little, "aoso: the limit %s of this process leaves %ld MB when the library is loaded; allowed: at least %ld MB",
             name, left < 0 ? 0 : left, least);
    return 1;
}

static int limits_refuse(void) {
    long space = 0, data = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fscanf(f, "%ld %*d %*d %*d %*d %ld", &space, &data) != 2) space = data = 0;
        fclose(f);
    }
    return exceeds("RLIMIT_AS", RLIMIT_AS, space, LEAST_SPACE) || exceeds("RLIMIT_DATA", RLIMIT_DATA, data, LEAST_DATA);
}

// ---------------------------------------------------------------- signals --

// A signal handler of the host must not run on the stack of a goroutine, which
// has a few kB and is not guarded. So Go's threads block what they can, and
// for the rest, and for the host's threads while they are in a call, handlers
// get SA_ONSTACK, and threads signal stacks larger than Go's of 32 kB.
enum { SIGNAL_STACK = 256 << 10 };

static void use_signal_stack(void *memory) {
    sigaltstack(&(stack_t){.ss_sp = memory, .ss_size = SIGNAL_STACK}, NULL);
}

static void use_no_signal_stack(void) { sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL); }

void process_move_handlers(void) {
    for (int signal = 1; signal <= SIGRTMAX; signal++) {
        struct sigaction a;
        if (sigaction(signal, NULL, &a) != 0 || a.sa_handler == SIG_DFL || a.sa_handler == SIG_IGN || a.sa_flags & SA_ONSTACK) continue;
        a.sa_flags |= SA_ONSTACK;
        sigaction(signal, &a, NULL);
    }
}

// ------------------------------------------------------ threads of the host --

AOSO_THREAD_LOCAL int process_thread_ready;

// The key of a thread's signal stack, with a page in front that guards it.
static pthread_key_t stack_key;
static AOSO_THREAD_LOCAL int passes;

// Go may use the thread's signal stack until its own destructor has run, so
// the last pass over the destructors frees it.
static void end_thread(void *memory) {
    if (++passes < _POSIX_THREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(stack_key, memory) == 0) return;
    const size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    use_no_signal_stack();
    munmap(memory, guard + SIGNAL_STACK);
}

void process_ready_thread(void) {
    process_thread_ready = 1;
    stack_t own;
    if (sigaltstack(NULL, &own) != 0 || !(own.ss_flags & SS_DISABLE)) return;
    const size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, guard + SIGNAL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return; // Go's will have to do
    mprotect(memory, guard, PROT_NONE);
    pthread_setspecific(stack_key, memory);
    use_signal_stack(memory + guard);
}

// ----------------------------------------------------------- Go's threads --

// No code of the host runs on them, and Go's own needs a few kB of their stack:
// 8 MB, as threads have else, would count for the limits of the process.
enum { THREAD_STACK = 256 << 10 };

// The linker has all calls of pthread_create, which are Go's, come here.
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument);

typedef struct start {
    void *(*function)(void *);
    void *argument;
} start;

static void *run_thread(void *user) {
    const start s = *(start *)user;
    free(user);
    char stack[SIGNAL_STACK];
    use_signal_stack(stack);
    void *result = s.function(s.argument);
    use_no_signal_stack();
    return result;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*function)(void *), void *argument) {
    if (atomic_load(&process_refuses) == AOSO_OUT_OF_MEMORY) return 0; // Go, which asks for its first, is not to start
    start *s = malloc(sizeof *s);
    if (!s) return __real_pthread_create(thread, attr, function, argument);
    *s = (start){function, argument};
    pthread_attr_t smaller;
    int detached;
    pthread_attr_getdetachstate(attr, &detached);
    pthread_attr_init(&smaller);
    pthread_attr_setdetachstate(&smaller, detached);
    pthread_attr_setstacksize(&smaller, THREAD_STACK + SIGNAL_STACK);
    const int error = __real_pthread_create(thread, &smaller, run_thread, s);
    pthread_attr_destroy(&smaller);
    if (error) free(s);
    return error;
}

// ---------------------------------------------------------------- loading --

// Go's threads inherit the floating-point mode and the signal mask of the
// thread that loads the library: the first constructor runs before Go's starts
// them, the second after.
static fpmode loading_mode;
static sigset_t loading_mask;
static struct sigaction loading_handlers[NSIG];

__attribute__((constructor(101))) static void before_go(void) {
    loading_mode = fp_get();
    fp_switch(loading_mode, FP_DEFAULT);
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &loading_mask);
    pthread_key_create(&stack_key, end_thread);
    if (limits_refuse()) {
        atomic_store(&process_refuses, AOSO_OUT_OF_MEMORY);
        for (int signal = 1; signal < NSIG; signal++) sigaction(signal, NULL, &loading_handlers[signal]);
    } else {
        pthread_atfork(NULL, NULL, in_child);
    }
}

__attribute__((constructor)) static void after_go(void) {
    if (atomic_load(&process_refuses) == AOSO_OUT_OF_MEMORY) // and Go's handlers have no Go
        for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &loading_handlers[signal], NULL);
    pthread_sigmask(SIG_SETMASK, &loading_mask, NULL);
    fp_switch(FP_DEFAULT, loading_mode);
}
