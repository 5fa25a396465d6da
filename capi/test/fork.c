// The library refuses all calls in a child created by fork(), whatever the parent
// did before. A child that calls exec can use it.
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void in_child(aoso_model *m, aoso_trainer *b) {
    const double start = now();
    aoso_matrix x = data();
    aoso_labels y = aoso_int32_labels(classes, ROWS);
    aoso_dataset *d;
    int32_t predicted[ROWS];
    const char text[] = "was created by fork()";
    FAILS(AOSO_FORKED, text, aoso_dataset_create(&x, &y, NULL, &d));
    FAILS(AOSO_FORKED, text, aoso_model_predict(m, &x, NULL, predicted, ROWS));
    FAILS(AOSO_FORKED, text, aoso_trainer_step(b, NULL));
    FAILS(AOSO_FORKED, text, aoso_trainer_free(b));
    FAILS(AOSO_FORKED, text, aoso_model_free(NULL));
    FAILS(AOSO_FORKED, text, aoso_params_check(NULL));
    FAILS(AOSO_FORKED, text, aoso_set_log(NULL, NULL));
    EXPECT(aoso_abi_version() == AOSO_ABI_VERSION && strlen(aoso_version_string()) >= 5);
    EXPECT(now() - start < 1);
}

// The number of failures in the child, or 99 if it hung.
static int forked(aoso_model *m, aoso_trainer *b) {
    pid_t child = fork();
    if (child == 0) {
        alarm(5);
        failures = 0;
        in_child(m, b);
        _exit(failures);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static aoso_model *some_model;

static int32_t fork_in_callback(const aoso_progress *p, void *user) {
    (void)user;
    if (p->iteration == 3) EXPECT(forked(some_model, NULL) == 0);
    return 0;
}

int main(int argc, char **argv) {
    make_data();
    if (argc > 1 && strcmp(argv[1], "exec") == 0) {
        OK(aoso_dataset_free(make_dataset()));
        return 0;
    }
    EXPECT(forked(NULL, NULL) == 0); // before any call

    aoso_dataset *d = make_dataset();
    aoso_model *m = some_model = train_on(d, "preset=paper n_estimators=5 nthread=2");
    aoso_trainer *b;
    OK(aoso_trainer_create(d, NULL, NULL, &b));
    OK(aoso_trainer_step(b, NULL));
    EXPECT(forked(m, b) == 0);
    aoso_train_options o = {.struct_size = sizeof o, .callback = fork_in_callback};
    aoso_model *other;
    aoso_params p = parse("preset=paper n_estimators=5");
    OK(aoso_train(d, &p, &o, &other, NULL));

    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        execl(argv[0], argv[0], "exec", (char *)NULL);
        _exit(98);
    }
    int status;
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);

    OK(aoso_trainer_step(b, NULL)); // the parent can continue
    EXPECT(same(fingerprint_of(m), fingerprint_of(other)));
    OK(aoso_trainer_free(b));
    OK(aoso_model_free(m));
    OK(aoso_model_free(other));
    OK(aoso_dataset_free(d));
    return finish("fork");
}
