/* Trains on several machines with MPI 4. Build it with mpicc, and run it as
 * mpiexec -n 4 ./train_mpi MODEL [CHECKPOINT]. */
#include <aoso.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example_data.h"

enum { ROWS = 1000 };

static double values[ROWS * FEATURES];
static int32_t classes[ROWS];

static int32_t all_reduce(void *context, int32_t op, int64_t *v, int64_t n) {
    return MPI_Allreduce_c(MPI_IN_PLACE, v, n, MPI_INT64_T, op == AOSO_SUM ? MPI_SUM : MPI_MAX, *(MPI_Comm *)context);
}

static int32_t gather_sizes(void *context, const void *bytes, int64_t n, int64_t *sizes) {
    (void)bytes;
    return MPI_Allgather(&n, 1, MPI_INT64_T, sizes, 1, MPI_INT64_T, *(MPI_Comm *)context);
}

static int32_t gather(void *context, const void *bytes, int64_t n, const int64_t *sizes, void *out) {
    int ranks, r;
    MPI_Comm_size(*(MPI_Comm *)context, &ranks);
    MPI_Count counts[ranks];
    MPI_Aint at[ranks];
    for (r = 0; r < ranks; r++) {
        counts[r] = sizes[r];
        at[r] = r ? at[r - 1] + counts[r - 1] : 0;
    }
    return MPI_Allgatherv_c(bytes, n, MPI_BYTE, out, counts, at, MPI_BYTE, *(MPI_Comm *)context);
}

static int32_t reduce_scatter(void *context, int64_t *v, const int64_t *counts, int64_t *out) { /* optional */
    int ranks, r;
    MPI_Comm_size(*(MPI_Comm *)context, &ranks);
    MPI_Count parts[ranks];
    for (r = 0; r < ranks; r++) parts[r] = counts[r];
    return MPI_Reduce_scatter_c(v, out, parts, MPI_INT64_T, MPI_SUM, *(MPI_Comm *)context);
}

/* Ends all ranks, after an error on this one. */
static void give_up(void *context, const char *reason) {
    fprintf(stderr, "%s\n", reason);
    MPI_Abort(*(MPI_Comm *)context, 1);
}

static void check(aoso_status status) {
    if (status == AOSO_OK) return;
    fprintf(stderr, "%s\n", aoso_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
    MPI_Comm comm = MPI_COMM_WORLD;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);

    /* Each rank has some of the rows. */
    example_data(1, ROWS, values, classes);
    const int64_t first = (int64_t)ROWS * rank / size, rows = (int64_t)ROWS * (rank + 1) / size - first;
    aoso_matrix x = aoso_row_major(values + first * FEATURES, AOSO_FLOAT64, rows, FEATURES);
    aoso_labels y = aoso_int32_labels(classes + first, rows);

    aoso_collective ranks = {
        .struct_size = sizeof ranks, .rank = rank, .size = size, .context = &comm,
        .all_reduce = all_reduce, .gather_sizes = gather_sizes, .gather = gather, .abort = give_up,
        .reduce_scatter = reduce_scatter,
    };
    aoso_dataset_options dataset = {.struct_size = sizeof dataset, .collective = &ranks};
    aoso_train_options training = {.struct_size = sizeof training, .checkpoint = argc > 2 ? argv[2] : NULL};
    aoso_params params;
    aoso_dataset *train;
    aoso_model *model;
    check(aoso_params_init(&params, sizeof params));
    params.n_estimators = 10;
    params.nthread = 1; /* the ranks share one machine here */
    check(aoso_dataset_create(&x, &y, &dataset, &train));
    check(aoso_train(train, &params, &training, &model, NULL));
    if (rank == 0 && argc > 1) check(aoso_model_save(model, argv[1]));

    check(aoso_model_free(model));
    check(aoso_dataset_free(train));
    return MPI_Finalize();
}
