// Trainings on several ranks, which are threads here: the model is that of one machine.
#include "check.h"

#include <pthread.h>

enum { MOST = 3 };

// Where the ranks meet.
typedef struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t all;
    int size, arrived, turn;
    int lost; // a rank has given up
    const void *given[MOST];
    int64_t n[MOST];
    char reason[400];
} meeting;

typedef struct member {
    meeting *m;
    int rank;
    int scatters;
    int fails_at, calls; // the all_reduce that fails
    pthread_t thread;    // that calls the library
    int64_t *kept;       // numbers that another rank may still read
} member;

// Waits for all ranks. Returns not 0 if one has given up.
static int32_t wait_for_all(meeting *m) {
    pthread_mutex_lock(&m->lock);
    int turn = m->turn;
    if (++m->arrived == m->size) {
        m->arrived = 0;
        m->turn++;
        pthread_cond_broadcast(&m->all);
    }
    while (m->turn == turn && !m->lost) pthread_cond_wait(&m->all, &m->lock);
    int32_t lost = m->lost;
    pthread_mutex_unlock(&m->lock);
    return lost;
}

static int32_t all_reduce(void *context, int32_t op, int64_t *v, int64_t n) {
    member *me = context;
    meeting *m = me->m;
    EXPECT(pthread_equal(pthread_self(), me->thread));
    if (++me->calls == me->fails_at) return 77;
    int64_t *mine = malloc(8 * (size_t)n + 8);
    memcpy(mine, v, 8 * (size_t)n);
    m->given[me->rank] = mine;
    m->n[me->rank] = n;
    int32_t lost = wait_for_all(m);
    for (int r = 0; r < m->size && !lost; r++) {
        const int64_t *theirs = m->given[r];
        EXPECT(m->n[r] == n);
        for (int64_t i = 0; i < n && m->n[r] == n; i++) {
            if (r == 0) v[i] = theirs[i];
            else if (op == AOSO_SUM) v[i] = (int64_t)((uint64_t)v[i] + (uint64_t)theirs[i]);
            else if (theirs[i] > v[i]) v[i] = theirs[i];
        }
    }
    if (!lost) lost = wait_for_all(m);
    if (lost) me->kept = mine;
    else free(mine);
    return lost;
}

static int32_t gather_sizes(void *context, const void *bytes, int64_t n, int64_t *sizes) {
    member *me = context;
    me->m->given[me->rank] = bytes;
    me->m->n[me->rank] = n;
    int32_t lost = wait_for_all(me->m);
    memcpy(sizes, me->m->n, sizeof(int64_t) * (size_t)me->m->size);
    return lost;
}

static int32_t gather(void *context, const void *bytes, int64_t n, const int64_t *sizes, void *out) {
    member *me = context;
    char *at = out;
    EXPECT(sizes[me->rank] == n && me->m->given[me->rank] == bytes);
    for (int r = 0; r < me->m->size; r++) {
        memcpy(at, me->m->given[r], (size_t)sizes[r]);
        at += sizes[r];
    }
    return wait_for_all(me->m);
}

static int32_t reduce_scatter(void *context, int64_t *v, const int64_t *counts, int64_t *out) {
    member *me = context;
    int64_t first = 0, n = 0;
    for (int r = 0; r < me->m->size; r++) {
        if (r < me->rank) first += counts[r];
        n += counts[r];
    }
    int32_t lost = all_reduce(context, AOSO_SUM, v, n);
    if (!lost) memcpy(out, v + first, 8 * (size_t)counts[me->rank]);
    return lost;
}

static void give_up(void *context, const char *reason) {
    meeting *m = ((member *)context)->m;
    pthread_mutex_lock(&m->lock);
    if (!m->lost) snprintf(m->reason, sizeof m->reason, "%s", reason);
    m->lost = 5;
    pthread_cond_broadcast(&m->all);
    pthread_mutex_unlock(&m->lock);
}

static aoso_collective collective_of(member *me) {
    return (aoso_collective){.struct_size = sizeof(aoso_collective), .rank = me->rank, .size = me->m->size, .context = me,
                             .all_reduce = all_reduce, .gather_sizes = gather_sizes, .gather = gather, .abort = give_up,
                             .reduce_scatter = me->scatters ? reduce_scatter : NULL};
}

static const char *const params[] = {"preset=paper n_estimators=5 max_leaves=6 nthread=1", "n_estimators=8 nthread=1", "n_estimators=3 subsample=0.5 calibration=none"};
enum { PARAMS = sizeof params / sizeof *params };

// Which rows a rank has: unequal parts, and with three ranks none for the last.
static int64_t first_row(int rank, int size) {
    static const int64_t of_two[] = {0, 100, ROWS}, of_three[] = {0, 211, ROWS, ROWS};
    return size == 1 ? rank * ROWS : size == 2 ? of_two[rank] : of_three[rank];
}

typedef struct job {
    member me;
    aoso_status status;
    char error[400];
    fingerprint got[PARAMS];
} job;

static void *train_rank(void *argument) {
    job *j = argument;
    j->me.thread = pthread_self();
    aoso_collective c = collective_of(&j->me);
    int64_t first = first_row(j->me.rank, c.size), rows = first_row(j->me.rank + 1, c.size) - first;
    aoso_matrix x = aoso_row_major(values + first * COLS, AOSO_FLOAT64, rows, COLS);
    aoso_labels y = aoso_int32_labels(classes + first, rows);
    aoso_dataset_options o = {.struct_size = sizeof o, .collective = &c};
    aoso_dataset *d = NULL;
    j->status = aoso_dataset_create(&x, &y, &o, &d);
    for (int i = 0; i < PARAMS && !j->status; i++) {
        aoso_params p = parse(params[i]);
        aoso_model *m;
        j->status = aoso_train(d, &p, NULL, &m, NULL);
        if (j->status) break;
        j->got[i] = fingerprint_of(m);
        OK(aoso_model_free(m));
    }
    snprintf(j->error, sizeof j->error, "%s", aoso_last_error());
    OK(aoso_dataset_free(d));
    return NULL;
}

static void run_ranks(job *jobs, meeting *m, int size, int scatters, int failing, int fails_at) {
    pthread_t threads[MOST];
    *m = (meeting){.lock = PTHREAD_MUTEX_INITIALIZER, .all = PTHREAD_COND_INITIALIZER, .size = size};
    for (int r = 0; r < size; r++) {
        jobs[r] = (job){.me = {.m = m, .rank = r, .scatters = scatters, .fails_at = r == failing ? fails_at : 0}};
        if (pthread_create(&threads[r], NULL, train_rank, &jobs[r])) exit(1);
    }
    for (int r = 0; r < size; r++) pthread_join(threads[r], NULL);
    for (int r = 0; r < size; r++) free(jobs[r].me.kept);
}

static void test_same_model(void) {
    fingerprint want[PARAMS];
    for (int i = 0; i < PARAMS; i++) {
        aoso_dataset *d = make_dataset();
        aoso_model *m = train_on(d, params[i]);
        want[i] = fingerprint_of(m);
        OK(aoso_model_free(m));
        OK(aoso_dataset_free(d));
    }
    for (int i = 0; i < 2 * MOST; i++) {
        job jobs[MOST];
        meeting m;
        int size = i / 2 + 1;
        run_ranks(jobs, &m, size, i % 2, -1, 0);
        for (int r = 0; r < size; r++) {
            if (jobs[r].status) fprintf(stderr, "rank %d of %d: %s\n", r, size, jobs[r].error);
            EXPECT(jobs[r].status == AOSO_OK);
            for (int i = 0; i < PARAMS; i++) EXPECT(same(jobs[r].got[i], want[i]));
        }
    }
}

// A rank whose engine fails ends the calls of all ranks, at whatever call it does.
static void test_failures(void) {
    for (int at = 1; at <= 200; at += at < 8 ? 1 : 61) {
        job jobs[MOST];
        meeting m;
        run_ranks(jobs, &m, 2, at % 2, 1, at);
        for (int r = 0; r < 2; r++) {
            EXPECT(jobs[r].status == AOSO_COLLECTIVE);
            char rank[32];
            snprintf(rank, sizeof rank, "rank %d of 2", r);
            EXPECT(strstr(jobs[r].error, rank) != NULL);
        }
        EXPECT(strstr(jobs[1].error, " of the collective has returned 77") != NULL);
        EXPECT(strstr(m.reason, "rank 1") != NULL);
    }
}

static void test_arguments(void) {
    meeting m = {.size = 2};
    member me = {.m = &m, .rank = 1};
    aoso_matrix x = data();
    aoso_labels y = aoso_int32_labels(classes, ROWS);
    aoso_collective c = collective_of(&me);
    aoso_dataset_options o = {.struct_size = sizeof o, .collective = &c};
    aoso_dataset *d = NULL;
    c.rank = 2;
    FAILS(AOSO_INVALID_ARGUMENT, "options.collective.rank", aoso_dataset_create(&x, &y, &o, &d));
    c.rank = 1, c.size = 0;
    FAILS(AOSO_INVALID_ARGUMENT, "options.collective.size", aoso_dataset_create(&x, &y, &o, &d));
    c.size = 2, c.gather = NULL;
    FAILS(AOSO_INVALID_ARGUMENT, "options.collective.gather", aoso_dataset_create(&x, &y, &o, &d));
    c.struct_size = 3;
    FAILS(AOSO_INVALID_ARGUMENT, "options.collective.struct_size", aoso_dataset_create(&x, &y, &o, &d));
}

typedef struct tcp_job {
    aoso_tcp *tcp;
    int rank;
    int32_t port;
    aoso_status status;
    fingerprint got;
    int64_t sum, gathered;
} tcp_job;

static void *train_tcp_rank(void *argument) {
    tcp_job *j = argument;
    aoso_collective c = {.struct_size = sizeof c};
    OK(aoso_tcp_connect(j->tcp, "127.0.0.1", j->port, &c));
    FAILS(AOSO_BUSY, "connected", aoso_tcp_connect(j->tcp, "127.0.0.1", j->port, &c));
    EXPECT(c.rank == j->rank && c.size == MOST);
    int64_t sum = j->rank, sizes[MOST], counts[MOST] = {0, 1, 2}, v[] = {1, 2, 3}, part[2] = {0};
    EXPECT(c.all_reduce(c.context, AOSO_SUM, &sum, 1) == 0);
    EXPECT(c.reduce_scatter(c.context, v, counts, part) == 0 && part[1] == (j->rank == 2 ? 9 : 0));
    char text[] = "rank", all[3 * MOST + 1] = "";
    EXPECT(c.gather_sizes(c.context, text, j->rank, sizes) == 0 && sizes[2] == 2);
    EXPECT(c.gather(c.context, text, j->rank, sizes, all) == 0 && !strcmp(all, "rra"));
    int64_t first = first_row(j->rank, MOST), rows = first_row(j->rank + 1, MOST) - first;
    aoso_matrix x = aoso_row_major(values + first * COLS, AOSO_FLOAT64, rows, COLS);
    aoso_labels y = aoso_int32_labels(classes + first, rows);
    aoso_dataset_options o = {.struct_size = sizeof o, .collective = &c};
    aoso_dataset *d;
    OK(aoso_dataset_create(&x, &y, &o, &d));
    aoso_model *m = train_on(d, params[0]);
    j->got = fingerprint_of(m);
    OK(aoso_model_free(m));
    OK(aoso_dataset_free(d));
    j->sum = sum;
    if (j->rank == 1) c.abort(c.context, "no more memory");
    j->status = c.all_reduce(c.context, AOSO_MAX, &sum, 1);
    EXPECT(strstr(aoso_last_error(), "no more memory") != NULL);
    return NULL;
}

// Ranks connected by TCP train the model of one, and hear of one that gives up.
static void test_tcp(void) {
    tcp_job jobs[MOST];
    pthread_t threads[MOST];
    for (int r = 0; r < MOST; r++) {
        aoso_tcp_options o = {.struct_size = sizeof o, .rank = r, .size = MOST, .host = "127.0.0.1", .timeout = 20};
        jobs[r] = (tcp_job){.rank = r};
        OK(aoso_tcp_create(&o, &jobs[r].tcp));
        OK(aoso_tcp_port(jobs[r].tcp, &jobs[r].port));
        EXPECT((jobs[r].port == 0) == (r != 0));
        jobs[r].port = jobs[0].port;
    }
    for (int r = 0; r < MOST; r++) {
        if (pthread_create(&threads[r], NULL, train_tcp_rank, &jobs[r])) exit(1);
    }
    aoso_dataset *d = make_dataset();
    aoso_model *m = train_on(d, params[0]);
    for (int r = 0; r < MOST; r++) {
        pthread_join(threads[r], NULL);
        EXPECT(jobs[r].status == AOSO_COLLECTIVE && jobs[r].sum == 3 && same(jobs[r].got, fingerprint_of(m)));
        OK(aoso_tcp_free(jobs[r].tcp));
    }
    OK(aoso_model_free(m));
    OK(aoso_dataset_free(d));
}

static void test_tcp_arguments(void) {
    aoso_tcp *tcp = NULL;
    aoso_collective c = {.struct_size = sizeof c};
    aoso_tcp_options o = {.struct_size = sizeof o, .rank = 2, .size = 2};
    FAILS(AOSO_INVALID_ARGUMENT, "options.rank", aoso_tcp_create(&o, &tcp));
    o.rank = 0, o.num_secret = 4;
    FAILS(AOSO_INVALID_ARGUMENT, "options.num_secret", aoso_tcp_create(&o, &tcp));
    o.num_secret = 0, o.timeout = -1;
    FAILS(AOSO_INVALID_ARGUMENT, "options.timeout", aoso_tcp_create(&o, &tcp));
    o.timeout = 0.2;
    OK(aoso_tcp_create(&o, &tcp));
    FAILS(AOSO_INVALID_ARGUMENT, "length of Secret", aoso_tcp_connect(tcp, NULL, 0, &c));
    OK(aoso_tcp_free(tcp));
    o.host = "127.0.0.1";
    OK(aoso_tcp_create(&o, &tcp));
    FAILS(AOSO_COLLECTIVE, "rank 1 has not connected in 200ms", aoso_tcp_connect(tcp, NULL, 0, &c));
    OK(aoso_tcp_free(tcp));
    o.rank = 1;
    OK(aoso_tcp_create(&o, &tcp));
    FAILS(AOSO_INVALID_ARGUMENT, "port", aoso_tcp_connect(tcp, "127.0.0.1", 0, &c));
    OK(aoso_tcp_interrupt(tcp));
    FAILS(AOSO_COLLECTIVE, "canceled", aoso_tcp_connect(tcp, "127.0.0.1", 1, &c));
    OK(aoso_tcp_free(tcp));
}

int main(void) {
    make_data();
    test_tcp_arguments();
    test_tcp();
    test_arguments();
    test_same_model();
    test_failures();
    return finish("collective");
}
