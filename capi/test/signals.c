// The library works while the host receives many signals, whose handlers lack
// SA_ONSTACK and need 60 kB of stack. Timers send them to any thread that does not
// block them.
//
//     signals                  test every signal in every mode, each in a process
//     signals SIGNAL MODE      test one signal in one mode
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int handled, on_go; // signals handled in all, and on threads of the library

// Set on threads of the host.
static __thread int of_host;

enum { FRAME = 60000 };

static int sum;

static void handler(int signal) {
    volatile char frame[FRAME];
    for (int i = 0; i < FRAME; i++) frame[i] = (char)(signal + i);
    for (int i = 0; i < FRAME; i += 999) sum += frame[i];
    COUNT(handled);
    if (!of_host) COUNT(on_go);
}

static void start_timer(int signal) {
    struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaction(signal, &a, NULL);
    struct itimerval often = {{0, 300}, {0, 300}};
    if (signal == SIGPROF) {
        setitimer(ITIMER_PROF, &often, NULL);
    } else if (signal == SIGALRM) {
        setitimer(ITIMER_REAL, &often, NULL);
    } else {
        timer_t timer;
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal};
        struct itimerspec spec = {{0, 300000}, {0, 300000}};
        if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &spec, NULL)) exit(1);
    }
}

static aoso_model *model;
static fingerprint want;

static int32_t done_soon(const aoso_progress *p, void *user) {
    (void)user;
    return p->iteration >= 60;
}

static void train_with(int threads) {
    aoso_dataset *d = make_dataset();
    aoso_params p = parse("preset=paper n_estimators=60 max_leaves=6 trim=0 stop_loss=0");
    p.nthread = threads;
    aoso_train_options o = {.struct_size = sizeof o, .callback = done_soon};
    aoso_model *m;
    OK(aoso_train(d, &p, &o, &m, NULL));
    EXPECT(same(fingerprint_of(m), want));
    OK(aoso_model_free(m));
    OK(aoso_dataset_free(d));
}

static void predict(int threads) {
    static double p[ROWS * CLASSES];
    aoso_matrix x = data();
    aoso_predict_options o = {.struct_size = sizeof o, .nthread = threads};
    for (int i = 0; i < 20; i++) OK(aoso_model_predict_proba(model, &x, &o, p, ROWS * CLASSES));
}

static void predict_rows(void) {
    aoso_predictor *p;
    double probabilities[CLASSES];
    OK(aoso_predictor_create(model, NULL, &p));
    for (int i = 0; i < 20000; i++) OK(aoso_predictor_proba(p, values + i % ROWS * COLS, COLS, probabilities, CLASSES));
    OK(aoso_predictor_free(p));
}

static void work(const char *mode) {
    if (strcmp(mode, "train1") == 0) train_with(1);
    if (strcmp(mode, "train2") == 0) train_with(2);
    if (strcmp(mode, "predict") == 0) predict(2);
    if (strcmp(mode, "rows") == 0) predict_rows();
}

// New threads start with all signals blocked, until they have set of_host.
static void block(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static void unblock(void) {
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
}

static void *in_thread(void *mode) {
    of_host = 1;
    unblock();
    for (int i = 0; i < 3; i++) work(mode);
    return NULL;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Works for the given time and until 30 signals have been handled, on this thread
// and on others that start and end.
static int one(int signal, char *mode, double seconds) {
    of_host = 1;
    make_data();
    aoso_dataset *d = make_dataset();
    model = train_on(d, "preset=paper n_estimators=60 max_leaves=6 trim=0 stop_loss=0");
    want = fingerprint_of(model);
    OK(aoso_dataset_free(d));
    start_timer(signal);
    for (double end = now() + seconds; now() < end || READ(handled) < 30;) {
        pthread_t thread;
        block();
        pthread_create(&thread, NULL, in_thread, mode);
        unblock();
        for (int i = 0; i < 3; i++) work(mode);
        pthread_join(thread, NULL);
    }
    if (signal == SIGALRM || signal == SIGUSR1) EXPECT(READ(on_go) == 0); // the library's threads block these
    return failures != 0;
}

static char *modes[] = {"train1", "train2", "predict", "rows"};
enum { MODES = sizeof modes / sizeof *modes };

static pid_t spawn(char *program, int signal, char *mode) {
    pid_t child = fork();
    if (child == 0) {
        char number[12];
        snprintf(number, sizeof number, "%d", signal);
        alarm(30);
        execl("/proc/self/exe", program, number, mode, (char *)NULL);
        _exit(98);
    }
    return child;
}

int main(int argc, char **argv) {
    if (argc == 3) return one(atoi(argv[1]), argv[2], 0.4);
    const int signals[] = {SIGPROF, SIGALRM, SIGUSR1, SIGCHLD, SIGRTMIN};
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) {
        pid_t children[MODES];
        for (int j = 0; j < MODES; j++) children[j] = spawn(argv[0], signals[i], modes[j]);
        for (int j = 0; j < MODES; j++) {
            int status;
            waitpid(children[j], &status, 0);
            if (status == 0) continue;
            fprintf(stderr, "signals: signal %d, %s: status %#x\n", signals[i], modes[j], (unsigned)status);
            failures++;
        }
    }
    return finish("signals");
}
