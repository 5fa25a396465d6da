/* The search for parameters. aoso.h includes this file. */
#ifndef AOSO_TUNE_H
#define AOSO_TUNE_H

#include "train.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The phase of a search that tries parameters. AOSO_PHASE_TRAIN follows it. */
enum { AOSO_PHASE_SEARCH = 2 };

/* The state of a search after an iteration. */
typedef struct aoso_tune_progress {
    uint32_t struct_size;
    int32_t phase;      /* AOSO_PHASE_SEARCH, then AOSO_PHASE_TRAIN, which trains the model itself on all rows */
    int64_t trial;      /* in training, from 1; 0 in AOSO_PHASE_TRAIN */
    int64_t rung;       /* step of successive halving that the trial is to reach, from 1 */
    int64_t iteration;  /* of the trial, or of the model */
    int64_t trials;     /* begun so far */
    double seconds;     /* spent in iterations */
    double log_loss;    /* refined loss of the best trial; NaN: none is complete */
    int64_t errors;     /* of the best trial */
    int32_t stopped_by; /* AOSO_RUNNING, or the stop reason if this is the last iteration */
    int32_t reserved;
} aoso_tune_progress;

/* Called after each iteration. Anything but 0 stops the search. */
typedef int32_t (*aoso_tune_callback)(const aoso_tune_progress *progress, void *user);

/* How to search, beside the parameters. */
typedef struct aoso_tune_options {
    uint32_t struct_size;
    int32_t reserved;
    const aoso_dataset *valid; /* judges the parameters, in place of held-out rows; NULL: none */
    int64_t trials;            /* the most parameters to try; 0: as many as time_limit allows, or 50 without one */
    const char *table;         /* a file for the trials table; if it has the trials of an earlier search, this one goes on from there; NULL: none */
    aoso_tune_callback callback; /* NULL: none */
    void *user;                  /* passed to the callback */
    const uint64_t *groups;      /* as in aoso_train_options */
    const double *times;         /* as in aoso_train_options */
    int64_t num_rows;            /* the length of groups or times: the number of training rows */
} aoso_tune_options;

/* A search for the parameters that suit the data, and the training of a model with
 * them. It tries parameters by successive halving, first those that aoso_train
 * tries, and judges them by the refined loss on held-out rows, or on the validation
 * set. Parameters that are not at their defaults stay as they are. The search ends
 * after options->trials trials, or when the parameter time_limit leaves just enough time
 * for the model itself, which is trained on all rows. It keeps its datasets: you may
 * free their handles. */
typedef struct aoso_tuner aoso_tuner;

/* params and options may be NULL. */
AOSO_API aoso_status aoso_tuner_create(const aoso_dataset *train, const aoso_params *params, const aoso_tune_options *options,
                                   aoso_tuner **out);

/* Does one iteration, then calls the callback of the options. progress may be NULL.
 * Its stopped_by says whether all is done; further steps then do nothing. An
 * interrupted step has no effect, and the search can be resumed. If the trials table
 * cannot be written, the step returns AOSO_IO once; the search can go on without it. */
AOSO_API aoso_status aoso_tuner_step(aoso_tuner *tuner, aoso_tune_progress *progress);

/* Steps until all is done, or until it is interrupted. result may be NULL. If the
 * trials table cannot be written, it returns AOSO_IO at the end. */
AOSO_API aoso_status aoso_tuner_run(aoso_tuner *tuner, aoso_result *result);

/* Makes a step or run in progress return within an iteration, or the next one
 * at once. Can be called from any thread. The search can be resumed. */
AOSO_API aoso_status aoso_tuner_interrupt(aoso_tuner *tuner);

/* Returns the best model so far. If phase of the result is AOSO_PHASE_SEARCH, the
 * model was not trained on the held-out rows. */
AOSO_API aoso_status aoso_tuner_model(aoso_tuner *tuner, aoso_model **out, aoso_result *result);

/* Writes the parameters of that model as text, which aoso_params_parse reads. */
AOSO_API aoso_status aoso_tuner_params(aoso_tuner *tuner, char *buffer, size_t size, size_t *needed);

/* Writes the trials table as CSV, with a line of names. */
AOSO_API aoso_status aoso_tuner_trials(aoso_tuner *tuner, char *buffer, size_t size, size_t *needed);
AOSO_API aoso_status aoso_tuner_free(aoso_tuner *tuner);

#ifdef __cplusplus
}
#endif

#endif
