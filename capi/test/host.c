// libaoso_predict in hosts that make life hard: little address space, small stacks, storms of signals whose handlers do not
// restart calls, blocked signals, cancelled threads, pipes, devices without an end, strides beyond memory. Argument: a model file.
#define _GNU_SOURCE
#include "check.h"

#include <aoso_predict.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *path;
static double due[1000], row[1000];

// Loads and predicts; returns the status of the first call that fails.
static aosop_status work(const char *from) {
    aosop_model *m;
    aosop_status status = aosop_load(from, &m);
    if (status) return status;
    const int64_t rows = 300, classes = aosop_num_classes(m);
    aosop_rows x = aosop_row_major(row, AOSOP_FLOAT64, 1, aosop_num_features(m));
    double one[1000], *all = malloc((size_t)(rows * classes) * sizeof *all);
    status = aosop_predict_proba(m, &x, 0, one, classes);
    x.rows = rows, x.row_stride = 0;
    if (!status) status = all ? aosop_predict_proba(m, &x, 0, all, rows * classes) : AOSOP_OUT_OF_MEMORY;
    if (!status) {
        if (due[0] == 0) memcpy(due, one, (size_t)classes * sizeof *one);
        EXPECT(memcmp(one, due, (size_t)classes * sizeof *one) == 0 && memcmp(all + (rows - 1) * classes, due, (size_t)classes * sizeof *one) == 0);
    }
    free(all);
    aosop_free(m);
    return status;
}

// However little address space is left, calls work or say that there is no memory.
static void in_little_memory(void) {
    int worked = 0, refused = 0;
    for (rlim_t kb = 0; kb < 4000; kb += 40) {
        int status;
        const pid_t child = fork();
        if (child == 0) {
            FILE *f = fopen("/proc/self/statm", "r");
            unsigned long pages = 0;
            if (!f || fscanf(f, "%lu", &pages) != 1) _exit(99);
            fclose(f);
            const rlim_t bytes = pages * (rlim_t)sysconf(_SC_PAGESIZE) + kb * 1024;
            const struct rlimit limit = {bytes, bytes};
            setrlimit(RLIMIT_AS, &limit);
            const aosop_status s = work(path);
            _exit(failures ? 98 : s);
        }
        EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status));
        EXPECT(WEXITSTATUS(status) == AOSOP_OK || WEXITSTATUS(status) == AOSOP_OUT_OF_MEMORY);
        worked += WEXITSTATUS(status) == AOSOP_OK, refused += WEXITSTATUS(status) == AOSOP_OUT_OF_MEMORY;
    }
    EXPECT(worked > 10);
    printf("host: of 100 limits of address space, %d suffice and %d are too small\n", worked, refused);
}

static void *in_thread(void *user) {
    (void)user;
    EXPECT(work(path) == AOSOP_OK);
    EXPECT(work("/nowhere") == AOSOP_IO && strstr(aosop_last_error(), "cannot read /nowhere: "));
    return NULL;
}

static void in_small_stack(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    EXPECT(pthread_attr_setstacksize(&attributes, 32768) == 0);
    EXPECT(pthread_create(&thread, &attributes, in_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

static int worked;

static void *cancelled(void *user) {
    (void)user;
    pthread_cancel(pthread_self());
    worked = work(path) == AOSOP_OK; // free of cancellation points
    pthread_testcancel();
    worked = 0;
    return NULL;
}

static void in_cancelled_thread(void) {
    pthread_t thread;
    void *result = NULL;
    EXPECT(pthread_create(&thread, NULL, cancelled, NULL) == 0 && pthread_join(thread, &result) == 0);
    EXPECT(result == PTHREAD_CANCELED && worked);
}

static volatile sig_atomic_t handled;
static void handler(int signal) { (void)signal, handled++; }

// Writes the model to a pipe, some bytes at a time.
static void *feed(void *user) {
    const char *pipe = user;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    FILE *f = fopen(path, "rb");
    const int out = open(pipe, O_WRONLY);
    char bytes[700];
    for (size_t n; f && out >= 0 && (n = fread(bytes, 1, sizeof bytes, f)) > 0;) {
        EXPECT(write(out, bytes, n) == (ssize_t)n);
        usleep(2000);
    }
    if (f) fclose(f);
    close(out);
    return NULL;
}

static void in_storm(void) {
    char pipe[300];
    pthread_t thread;
    snprintf(pipe, sizeof pipe, "%s.pipe", path);
    remove(pipe);
    EXPECT(mkfifo(pipe, 0600) == 0);
    struct sigaction a = {.sa_handler = handler}; // without SA_RESTART
    sigaction(SIGALRM, &a, NULL);
    const struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    for (int i = 0; i < 3; i++) {
        setitimer(ITIMER_REAL, &often, NULL);
        EXPECT(pthread_create(&thread, NULL, feed, pipe) == 0);
        EXPECT(work(pipe) == AOSOP_OK);
        EXPECT(work(path) == AOSOP_OK);
        setitimer(ITIMER_REAL, &never, NULL);
        EXPECT(pthread_join(thread, NULL) == 0);
    }
    EXPECT(handled > 20 && remove(pipe) == 0);
}

static void with_blocked_signals(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    EXPECT(work(path) == AOSOP_OK);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void refuses(void) {
    aosop_model *m = NULL;
    EXPECT(aosop_load("/dev/zero", &m) == AOSOP_BAD_FORMAT && !m);
    EXPECT(aosop_load("/", &m) == AOSOP_IO && !m);
    EXPECT(aosop_load(path, &m) == AOSOP_OK);
    const int64_t features = aosop_num_features(m), strides[] = {INT64_MAX, INT64_MIN, INT64_MAX / 2, INT64_MIN / 3, INT64_MAX / 20};
    double out[1000];
    for (int i = 0; i < 5; i++)
        for (int side = 0; side < 2; side++) {
            aosop_rows x = aosop_row_major(row, AOSOP_FLOAT64, 2, features);
            *(side ? &x.row_stride : &x.col_stride) = strides[i];
            EXPECT(aosop_predict_raw(m, &x, 0, out, 2 * aosop_num_classes(m)) == AOSOP_INVALID_ARGUMENT && strstr(aosop_last_error(), "strides within memory"));
        }
    aosop_rows many = aosop_row_major(row, AOSOP_FLOAT64, INT64_MAX, features);
    many.row_stride = 0;
    EXPECT(aosop_predict_raw(m, &many, 0, out, -1) == AOSOP_INVALID_ARGUMENT);
    many.rows = -1;
    EXPECT(aosop_predict_raw(m, &many, 0, out, -1) == AOSOP_INVALID_ARGUMENT);
    many.rows = 2;
    EXPECT(aosop_predict_raw(m, &many, INT64_MIN, out, 2) == AOSOP_INVALID_ARGUMENT);
    EXPECT(aosop_predict_raw(m, &many, 0, NULL, 2 * aosop_num_classes(m)) == AOSOP_INVALID_ARGUMENT);
    aosop_free(m);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    path = argv[1];
    EXPECT(work(path) == AOSOP_OK);
    in_little_memory();
    in_small_stack();
    in_cancelled_thread();
    in_storm();
    with_blocked_signals();
    refuses();
    return finish("host");
}
