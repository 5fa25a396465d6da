// Adapts the library to the process that loads it and to the threads that call it: limits, fork, signals, the floating-point mode.
#ifndef AOSO_PROCESS_H
#define AOSO_PROCESS_H

#include <stdatomic.h>
#include <stdint.h>

#include "fpmode.h"

// AOSO_OK, or the status with which all calls are refused. process_refusal returns the message of a status.
extern _Atomic int32_t process_refuses;
const char *process_refusal(int32_t why);

// 1 if the calling thread is prepared for calls into Go; otherwise process_ready_thread prepares it. Go's own thread-local storage also uses
// this TLS model, so a process that can load the library has space for it.
#define AOSO_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
extern AOSO_THREAD_LOCAL int process_thread_ready;
void process_ready_thread(void);

// Makes the host's signal handlers run on signal stacks. It must be called before
// calls that take long.
void process_move_handlers(void);

#endif
