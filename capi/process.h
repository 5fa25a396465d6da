// What the library has to do with the process that it is loaded into, and
// with the threads that call it.
#ifndef AOSO_PROCESS_H
#define AOSO_PROCESS_H

#include <stdatomic.h>
#include <stdint.h>

#include "fpmode.h"

// AOSO_OK, or why no call may reach Go; and that in words.
extern _Atomic int32_t process_refuses;
const char *process_refusal(int32_t why);

// Whether the calling thread may call Go; else process_ready_thread is first.
// Go's own thread-local storage is of this model as well, so a process that
// can load the library has room.
#define AOSO_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
extern AOSO_THREAD_LOCAL int process_thread_ready;
void process_ready_thread(void);

// Has the host's signal handlers run on signal stacks: before calls that are
// not over at once.
void process_move_handlers(void);

#endif
