// A process whose memory is limited does not crash. The library refuses all
// calls, or those whose data is too large, with a message.
#define _GNU_SOURCE
#include "check.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void in_small(const char *limit) {
    const char text[] = "when the library is loaded; allowed: at least";
    aoso_model *m;
    FAILS(AOSO_OUT_OF_MEMORY, text, aoso_params_check(NULL));
    FAILS(AOSO_OUT_OF_MEMORY, limit, aoso_model_load("x", &m));
    FAILS(AOSO_OUT_OF_MEMORY, text, aoso_model_free(NULL));
    EXPECT(aoso_abi_version() == AOSO_ABI_VERSION);
    struct sigaction a; // Go's handlers must not be installed, because Go has not started
    for (int s = 1; s <= 31; s++)
        if (sigaction(s, NULL, &a) == 0) EXPECT(a.sa_handler == SIG_DFL || a.sa_handler == SIG_IGN);
}

// All rows of a data set are the same row in memory, so that only the library needs
// memory.
static void in_large(void) {
    aoso_dataset *d;
    aoso_labels y = aoso_int32_labels(classes, ROWS);
    aoso_matrix x = data();
    for (int threads = 1; threads <= 8; threads += 7) {
        aoso_model *m;
        aoso_params p = parse("n_estimators=5");
        p.nthread = threads;
        d = make_dataset();
        OK(aoso_train(d, &p, NULL, &m, NULL));
        OK(aoso_model_free(m));
        OK(aoso_dataset_free(d));
    }
    const int64_t rows = 200000000;
    x = aoso_dense(values, AOSO_FLOAT64, rows, COLS, 0, 1);
    y.count = rows;
    FAILS(AOSO_OUT_OF_MEMORY, "the limits of the process (RLIMIT_AS, RLIMIT_DATA) leave", aoso_dataset_create(&x, &y, NULL, &d));
    OK(aoso_dataset_free(make_dataset()));
}

// Many features take memory of Go, which ends the process where it gets none: a call that may
// need more than there is refuses before. little says that all of them must.
static void in_wide(int little) {
    enum { WIDE_ROWS = 200, WIDE_COLS = 40000 };
    static float numbers[WIDE_ROWS + WIDE_COLS];
    static int32_t labels[WIDE_ROWS];
    for (int i = 0; i < WIDE_ROWS + WIDE_COLS; i++) numbers[i] = (float)(i * 7919 % 10007);
    for (int i = 0; i < WIDE_ROWS; i++) labels[i] = i % 3;
    const aoso_matrix x = aoso_dense(numbers, AOSO_FLOAT32, WIDE_ROWS, WIDE_COLS, 1, 1);
    const aoso_labels y = aoso_int32_labels(labels, WIDE_ROWS);
    aoso_dataset *d = NULL;
    aoso_model *m = NULL;
    const aoso_params p = parse("n_estimators=2 nthread=2");
    aoso_status status = aoso_dataset_create(&x, &y, NULL, &d);
    if (status == AOSO_OK) status = aoso_train(d, &p, NULL, &m, NULL);
    if (status != AOSO_OK || little) FAILS(AOSO_OUT_OF_MEMORY, "the limits of the process (RLIMIT_AS, RLIMIT_DATA) leave", status);
}

int main(int argc, char **argv) {
    make_data();
    if (argc == 3) {
        if (strcmp(argv[2], "large") == 0) in_large();
        else if (strncmp(argv[2], "wide", 4) == 0) in_wide(strcmp(argv[2], "wide, little") == 0);
        else in_small(argv[2]);
        return failures != 0;
    }
    const struct {
        int resource;
        rlim_t mb;
        const char *expect;
    } limits[] = {{RLIMIT_AS, 200, "RLIMIT_AS"}, {RLIMIT_AS, 700, "RLIMIT_AS"}, {RLIMIT_AS, 1300, "RLIMIT_AS"}, {RLIMIT_AS, 2500, "large"},
                  {RLIMIT_DATA, 60, "RLIMIT_DATA"}, {RLIMIT_DATA, 400, "large"},
                  {RLIMIT_AS, 1860, "wide, little"}, {RLIMIT_AS, 1950, "wide, little"}, {RLIMIT_AS, 2100, "wide"}, {RLIMIT_AS, 2400, "wide"},
                  {RLIMIT_DATA, 160, "wide, little"}, {RLIMIT_DATA, 300, "wide"}};
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
        pid_t child = fork();
        if (child == 0) {
            struct rlimit l = {limits[i].mb << 20, limits[i].mb << 20};
            if (setrlimit(limits[i].resource, &l)) _exit(97);
            alarm(60);
            execl("/proc/self/exe", argv[0], "under", limits[i].expect, (char *)NULL);
            _exit(98);
        }
        int status;
        waitpid(child, &status, 0);
        if (status != 0) {
            fprintf(stderr, "limits: %s of %d MB: status %#x\n", limits[i].expect, (int)limits[i].mb, (unsigned)status);
            failures++;
        }
    }
    return finish("limits");
}
