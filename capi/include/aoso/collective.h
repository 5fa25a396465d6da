/* Training on several machines. aoso.h includes this file. */
#ifndef AOSO_COLLECTIVE_H
#define AOSO_COLLECTIVE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What all_reduce does with the numbers of all ranks. */
enum {
    AOSO_SUM = 0, /* modulo 2^64, which never fails */
    AOSO_MAX = 1  /* the greatest */
};

/* The machines that train together, called ranks, as an engine such as MPI connects
 * them. Each rank has some of the rows. All ranks make the same calls in the same
 * order: those that make datasets with this collective in their options, and those
 * that train on them. The model is that which one machine would train on all rows,
 * to the last bit, and every rank gets it.
 *
 * tcp.h makes one without an engine. For others, the library calls the functions
 * below, on the thread
 * that calls the library, one at a time, in the same order on all ranks. Each
 * returns 0 when all ranks have made the call, or another number for an error: a
 * rank is lost, or has not answered in time. After an error only abort is called,
 * and the call of the library returns AOSO_COLLECTIVE.
 *
 * With MPI:
 *
 *     int32_t all_reduce(void *context, int32_t op, int64_t *v, int64_t n) {
 *         return MPI_Allreduce_c(MPI_IN_PLACE, v, n, MPI_INT64_T, op == AOSO_SUM ? MPI_SUM : MPI_MAX, *(MPI_Comm *)context);
 *     }
 *     int32_t gather_sizes(void *context, const void *bytes, int64_t n, int64_t *sizes) {
 *         return MPI_Allgather(&n, 1, MPI_INT64_T, sizes, 1, MPI_INT64_T, *(MPI_Comm *)context);
 *     }
 *     int32_t gather(void *context, const void *bytes, int64_t n, const int64_t *sizes, void *out) {
 *         MPI_Count counts[RANKS];
 *         MPI_Aint at[RANKS];
 *         for (int r = 0; r < RANKS; r++) counts[r] = sizes[r], at[r] = r ? at[r - 1] + counts[r - 1] : 0;
 *         return MPI_Allgatherv_c(bytes, n, MPI_BYTE, out, counts, at, MPI_BYTE, *(MPI_Comm *)context);
 *     }
 *     int32_t reduce_scatter(void *context, int64_t *v, const int64_t *counts, int64_t *out) {
 *         MPI_Count parts[RANKS];
 *         for (int r = 0; r < RANKS; r++) parts[r] = counts[r];
 *         return MPI_Reduce_scatter_c(v, out, parts, MPI_INT64_T, MPI_SUM, *(MPI_Comm *)context);
 *     }
 */
typedef struct aoso_collective {
    uint32_t struct_size;
    int32_t rank;   /* this one, from 0 */
    int32_t size;   /* the number of ranks, at least 1 */
    int32_t reserved;
    void *context; /* for the functions; the library does not look at it */

    /* Replaces n numbers by the sums, or the greatest, of those that all ranks have
     * there. op is AOSO_SUM or AOSO_MAX. op and n are the same on all ranks. */
    int32_t (*all_reduce)(void *context, int32_t op, int64_t *v, int64_t n);

    /* Sets sizes[r] to the n of rank r. n may be 0. An engine of messages may send the
     * bytes too, and keep what it receives until gather. */
    int32_t (*gather_sizes)(void *context, const void *bytes, int64_t n, int64_t *sizes);

    /* Follows gather_sizes, with the same bytes. Writes the bytes of all ranks to out,
     * which has room for them, one rank after another. */
    int32_t (*gather)(void *context, const void *bytes, int64_t n, const int64_t *sizes, void *out);

    /* Tells the other ranks that this one gives up, and why, so that their calls fail
     * rather than wait. NULL: they wait until their calls fail by themselves. */
    void (*abort)(void *context, const char *reason);

    /* Sets out to the sums, modulo 2^64, of this rank's part of v over all ranks. v is
     * the parts of all ranks, one after another, of counts[r] numbers each, and may be
     * overwritten; counts are the same on all ranks. This sends less than all_reduce.
     * NULL, as on all ranks: the library calls all_reduce. */
    int32_t (*reduce_scatter)(void *context, int64_t *v, const int64_t *counts, int64_t *out);
} aoso_collective;

#ifdef __cplusplus
}
#endif

#endif
