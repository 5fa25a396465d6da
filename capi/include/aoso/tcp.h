/* Ranks connected by TCP, without an engine. aoso.h includes this file. */
#ifndef AOSO_TCP_H
#define AOSO_TCP_H

#include "collective.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which rank this process is, and how the ranks find one another. */
typedef struct aoso_tcp_options {
    uint32_t struct_size;
    int32_t rank;         /* of this process, from 0 */
    int32_t size;         /* the number of ranks, at least 1 */
    int32_t port;         /* rank 0 listens at this port; 0: at any free one */
    const char *host;     /* rank 0 listens at this host name or address; NULL: at all addresses of the machine */
    const void *secret;   /* the same on all ranks, 16 bytes or more. Processes that do not know it cannot join. */
    int64_t num_secret;   /* its bytes; 0: none, which is allowed if rank 0 listens at a loopback address */
    double timeout;       /* seconds to wait for the other ranks, when connecting and in each call; 0: 600 */
} aoso_tcp_options;

/* A rank that is connected with the others by TCP, each with each. The ranks prove
 * to one another that they know the secret; what they send is not encrypted. If a
 * rank is lost, gives up or does not answer in time, calls of all others return
 * AOSO_COLLECTIVE, and aoso_last_error names it. */
typedef struct aoso_tcp aoso_tcp;

/* Prepares a rank. From now on, rank 0 listens. */
AOSO_API aoso_status aoso_tcp_create(const aoso_tcp_options *options, aoso_tcp **out);

/* Sets *port to the port at which rank 0 listens; 0 for other ranks. */
AOSO_API aoso_status aoso_tcp_port(const aoso_tcp *tcp, int32_t *port);

/* Connects the ranks, which all call it at the same time, and makes a collective of them.
 * host and port are where the others reach rank 0; for rank 0 itself they do not count.
 * Set ranks->struct_size before. The collective is valid until the rank is freed.
 * Its functions may also be called by the program, between calls of the library;
 * abort at any time from any thread, which ends a call in progress. Afterwards no
 * rank listens any more. */
AOSO_API aoso_status aoso_tcp_connect(const aoso_tcp *tcp, const char *host, int32_t port, aoso_collective *ranks);

/* Ends aoso_tcp_connect in progress, or the next one at once. Can be called from any thread. */
AOSO_API aoso_status aoso_tcp_interrupt(const aoso_tcp *tcp);

/* Closes the connections. */
AOSO_API aoso_status aoso_tcp_free(aoso_tcp *tcp);

#ifdef __cplusplus
}
#endif

#endif
