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
static char memory_message[200]; // set if the limits leave too little memory

const char *process_refusal(int32_t why) {
    switch (why) {
    case AOSO_FORKED:
        return "aoso: this process was created by fork(), and Go cannot run in it; "
               "use exec, spawn or a fork server, or load the library only in the child";
        case AOSO_OUT_OF_MEMORY: return memory_message;
    }
    return "aoso: an internal error occurred in an earlier call; the library can no longer be used in this process";
}

void process_poison(void) { atomic_store(&process_refuses, AOSO_INTERNAL); }

static void in_child(void) { atomic_store(&process_refuses, AOSO_FORKED); }

// ----------------------------------------------------------------- limits --

// What Go needs, in MB, in addition to data. Go and the C library reserve much
// more address space than they use. If there is too little, Go ends the process.
// Measured on two cores, that happened always below 780 MB and near 1300 MB, one
// time in twenty up to 1650 MB, and never from 1700 MB on.
enum { MIN_SPACE = 1800, MIN_DATA = 100 };

// Reports whether a limit leaves less than min MB beyond the pages in use.
static int exceeds(const char *name, int resource, long pages, long min) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
    const long left = (long)(limit.rlim_cur >> 20) - (long)((unsigned long)pages * (unsigned long)sysconf(_SC_PAGESIZE) >> 20);
    if (left >= min) return 0;
    snprintf(memory_message, sizeof memory_message, "aoso: the limit %s of this process leaves %ld MB when the library is loaded; allowed: at least %ld MB",
             name, left < 0 ? 0 : left, min);
    return 1;
}

static int limits_refuse(void) {
    long space = 0, data = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fscanf(f, "%ld %*d %*d %*d %*d %ld", &space, &data) != 2) space = data = 0;
        fclose(f);
    }
    return exceeds("RLIMIT_AS", RLIMIT_AS, space, MIN_SPACE) || exceeds("RLIMIT_DATA", RLIMIT_DATA, data, MIN_DATA);
}

// ---------------------------------------------------------------- signals --

// A signal handler of the host must not run on the stack of a goroutine, which is
// a few kB large and has no guard page. So Go's threads block the signals that
// they can block. For all other signals, and for the host's threads during a call,
// handlers get SA_ONSTACK, and threads get signal stacks that are larger than Go's
// 32 kB.
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

// The key of a thread's signal stack. The page below the stack is a guard page.
static pthread_key_t stack_key;
static AOSO_THREAD_LOCAL int passes;

// Go may use the thread's signal stack until Go's destructor has run, so the stack
// is freed in the last pass over the destructors.
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
    if (memory == MAP_FAILED) return; // Go will use its own, smaller stack
    mprotect(memory, guard, PROT_NONE);
    pthread_setspecific(stack_key, memory);
    use_signal_stack(memory + guard);
}

// ----------------------------------------------------------- Go's threads --

// No code of the host runs on these threads, and Go needs only a few kB of their
// stacks. The usual 8 MB would count towards the limits of the process.
enum { THREAD_STACK = 256 << 10 };

// The linker redirects all calls of pthread_create, which only Go makes, to
// __wrap_pthread_create.
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
    if (atomic_load(&process_refuses) == AOSO_OUT_OF_MEMORY) return 0; // keeps Go from starting its first thread
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

// Go's threads inherit the floating-point mode and the signal mask of the thread
// that loads the library. So one constructor sets them before Go's constructor
// starts the threads, and another restores them afterwards.
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
    if (atomic_load(&process_refuses) == AOSO_OUT_OF_MEMORY) // Go's signal handlers cannot work without Go
        for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &loading_handlers[signal], NULL);
    pthread_sigmask(SIG_SETMASK, &loading_mask, NULL);
    fp_switch(FP_DEFAULT, loading_mode);
}
