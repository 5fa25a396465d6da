/* Training, in one call or step by step. aoso.h includes this file. */
#ifndef AOSO_TRAIN_H
#define AOSO_TRAIN_H

#include "model.h"
#include "params.h"

#ifdef __cplusplus
extern "C" {
#endif

/* By default, training has two phases. The first trains without a part of the
 * rows, which it holds out. They choose the parameters, the number of trees, and
 * the temperature of the probabilities. Parameters are tried one choice after
 * another, each from its first tree. The second phase trains the model itself, on
 * all rows.
 *
 * There is only the second phase
 *  - with a validation set, which replaces the held-out rows, unless
 *    calibration is holdout or folds; and with early stopping in any case;
 *  - if there is nothing to choose: trees is set and calibration is none, or preset
 *    is paper and calibration is auto;
 *  - if training continues a model, which keeps its temperature, unless
 *    calibration is holdout or folds;
 *  - for data of fewer than 10 rows or of a single class. */
enum { /* phases */
    AOSO_PHASE_TRAIN = 0,  /* trains the model itself */
    AOSO_PHASE_HOLDOUT = 1 /* comes first, and trains without the held-out rows */
};

enum { /* stop reasons */
    AOSO_RUNNING = 0,                   /* training goes on */
    AOSO_STOPPED_BY_STOP_LOSS = 1,      /* the training loss is at most the parameter stop_loss */
    AOSO_STOPPED_BY_TREES = 2,          /* the model has all its trees */
    AOSO_STOPPED_BY_EARLY_STOPPING = 3, /* no better evaluation for early_stopping_rounds iterations */
    AOSO_STOPPED_BY_INTERRUPT = 4,      /* a callback or an interrupt ended it */
    AOSO_STOPPED_BY_NO_SPLIT = 5,       /* nothing can be split, and no leaf moves */
    AOSO_STOPPED_BY_TIME_LIMIT = 6      /* the parameter time_limit */
};

/* The state of training after an iteration. */
typedef struct aoso_progress {
    uint32_t struct_size;
    int32_t evaluated;  /* 1: train_loss (and valid) are set; of an ensemble 0 once its first members have chosen parameters */
    int64_t iteration;  /* from 1 in each phase */
    int64_t trees;      /* in the model */
    int64_t best;       /* with early stopping, the iteration of the best evaluation; 0: none */
    double seconds;     /* spent in iterations */
    double train_loss;  /* mean log loss of the training rows, weighted */
    int32_t has_valid;  /* 1: valid is set */
    int32_t stopped_by; /* AOSO_RUNNING, or the stop reason if this is the last iteration */
    aoso_evaluation valid; /* of the validation set, or in AOSO_PHASE_HOLDOUT of the held-out rows; without a temperature */
    int32_t phase;         /* AOSO_PHASE_TRAIN or AOSO_PHASE_HOLDOUT */
    int32_t reserved;
    int64_t max_trees;     /* the most that the model in training can have */
    const aoso_evaluation *others; /* if evaluated, of the other validation sets; valid until the next iteration */
    int64_t num_others;            /* 0 in AOSO_PHASE_HOLDOUT */
} aoso_progress;

/* Called after each iteration. Anything but 0 stops the training; the model
 * keeps the iterations so far. With a collective, the next step then ends the
 * training on all ranks, and has no effect. */
typedef int32_t (*aoso_progress_callback)(const aoso_progress *progress, void *user);

/* Computes the gradient and the diagonal of the Hessian of your own loss from the
 * raw scores of the training rows: all are rows x classes, row by row. The gradient of
 * the log loss is p - y; Hessians must not be negative. Apply the weights of rows
 * yourself. Called before the first iteration and after each, on the
 * thread of the call, for the rows of this rank if there are several. Anything but
 * 0 ends the training with an error.
 *
 * A leaf adds -G / (H + reg_lambda) to the score of a class, G and H being the sums of its rows,
 * less the mean over the classes. No rows are held out, and there is no temperature;
 * stop_loss has no effect, and trim leaves rows out of nodes only. The method must be
 * aoso. Training takes 4 S + 24 K bytes more for each row, with K classes and S being
 * K rounded up to 8 or a multiple of 16. */
typedef int32_t (*aoso_objective_callback)(const double *scores, int64_t rows, int64_t classes, double *gradient,
                                           double *hessian, void *user);

/* How to train, beside the parameters. */
typedef struct aoso_train_options {
    uint32_t struct_size;
    int32_t eval_every;        /* iterations between evaluations; 0: 1 */
    const aoso_dataset *valid; /* chooses the number of trees and the temperature, and early stopping watches it;
                                  from aoso_dataset_create_aligned; NULL: none */
    aoso_progress_callback callback; /* NULL: none */
    void *user;                      /* passed to the callback */
    const aoso_dataset *const *others; /* further validation sets, which are evaluated alike and decide nothing;
                                          the training set may be among them */
    int64_t num_others;           /* how many there are */
    aoso_objective_callback objective; /* NULL: the log loss */
    void *objective_user;              /* passed to the objective */
    const double *class_weights; /* multiply the weights of the training rows; one for each class, or NULL: all 1 */
    int64_t num_class_weights;   /* the number of classes */

    /* A file that keeps how far training has come; NULL: none. If it exists, training
     * takes the trees from it and goes on from there, and the model is that of a
     * training that was never interrupted. The data, the parameters and, with early
     * stopping, eval_every must be the same. The file is replaced whole, and is saved
     * as well when training ends. It stays. With a collective, rank 0 reads and writes
     * it, and the next time the same rows may be on another number of ranks. A save that
     * fails does not end training: the log function gets a warning, once until a save
     * works again, and aoso_trainer_checkpoint_error has the reason. */
    const char *checkpoint;
    double checkpoint_seconds; /* between two saves; 0: 60 */

    /* The group of each training row, such as the patient or the speaker, or NULL: each row is a group. A group is
     * held out as a whole, so that the rows held out tell how well the model does on new groups. Only groups of which
     * every class has rows in other groups, too, are held out; at least two are needed. There are no more folds, or
     * members of an ensemble, than such groups. */
    const uint64_t *groups;
    /* The time of each training row, in any unit, or NULL. The latest fifth of the rows is held out, so that later rows
     * judge what was learned from earlier ones. There are no folds, and the model is a single one. At most one of groups
     * and times may be set. Neither has an effect with a validation set, or where no rows are held out. */
    const double *times;
    int64_t num_rows; /* the length of groups or times: the number of training rows */
} aoso_train_options;

/* The outcome of training. If phase is AOSO_PHASE_HOLDOUT, training ended there,
 * and the model was not trained on the held-out rows. */
typedef struct aoso_result {
    uint32_t struct_size;
    int32_t stopped_by;     /* the stop reason */
    int64_t iterations;     /* in this phase */
    int64_t best_iteration; /* the iteration that the model ends with: the best after early stopping, else the last */
    int64_t threads;        /* that trained */
    double train_loss; /* mean log loss of the training rows after the last iteration, weighted */
    double seconds;    /* spent in iterations */
    int32_t has_valid; /* 1: valid is set */
    int32_t phase;     /* AOSO_PHASE_TRAIN or AOSO_PHASE_HOLDOUT; of a search, AOSO_PHASE_SEARCH too */
    aoso_evaluation valid;    /* of the model */
    int64_t held_out_rows;    /* 0: none were, and held_out is not set */
    aoso_evaluation held_out; /* of these rows, by models trained without them: what to expect of new data */
} aoso_result;

/* Trains a model in one call. params, options and result may be NULL. */
AOSO_API aoso_status aoso_train(const aoso_dataset *train, const aoso_params *params, const aoso_train_options *options,
                            aoso_model **out, aoso_result *result);

/* A training that advances step by step. It keeps its datasets: you may free
 * their handles. */
typedef struct aoso_trainer aoso_trainer;

/* params and options may be NULL. */
AOSO_API aoso_status aoso_trainer_create(const aoso_dataset *train, const aoso_params *params,
                                     const aoso_train_options *options, aoso_trainer **out);

/* Trains one iteration, then calls the callback of the options. progress may be
 * NULL. Its stopped_by says whether training has ended; further steps then do
 * nothing. An interrupted step has no effect, and training can be resumed:
 * progress has the numbers of the previous iteration. */
AOSO_API aoso_status aoso_trainer_step(aoso_trainer *trainer, aoso_progress *progress);

/* Steps until training ends or is interrupted. result may be NULL. */
AOSO_API aoso_status aoso_trainer_run(aoso_trainer *trainer, aoso_result *result);

/* Makes a step or run in progress return within an iteration, or the next one
 * at once. Can be called from any thread. Training can be resumed. */
AOSO_API aoso_status aoso_trainer_interrupt(aoso_trainer *trainer);

/* Copies the raw scores of the model so far on a validation set: rows x classes
 * numbers, row by row. Set 0 is the option valid, and the others follow; without
 * valid they begin at 0. In AOSO_PHASE_HOLDOUT there are no scores, and all are NaN. */
AOSO_API aoso_status aoso_trainer_scores(aoso_trainer *trainer, int64_t set, double *out, int64_t length);

/* One metric of the model so far on a validation set, by its name in aoso_metrics,
 * without a temperature. NaN: it is not defined, or there are no scores. With a
 * collective, all ranks ask for it at once. */
AOSO_API aoso_status aoso_trainer_measure(aoso_trainer *trainer, int64_t set, const char *metric, double *out);

/* Changes the parameter learning_rate from the next iteration on. Phases, and other
 * parameters that are tried, begin with their own again: progress.trees is then less
 * than before. */
AOSO_API aoso_status aoso_trainer_set_learning_rate(aoso_trainer *trainer, double rate);

/* Writes why the last save of the checkpoint failed; an empty string: it did not. Such a
 * failure does not end training. */
AOSO_API aoso_status aoso_trainer_checkpoint_error(aoso_trainer *trainer, char *buffer, size_t size, size_t *needed);

/* Tells the value of your own metric after the last step, for early stopping:
 * lower is better. The parameter metric must be AOSO_METRIC_CUSTOM, and
 * early_stopping_rounds above 0. progress may be NULL; its stopped_by says whether
 * training has ended. */
AOSO_API aoso_status aoso_trainer_judge(aoso_trainer *trainer, double value, aoso_progress *progress);

/* Returns the model so far. Later steps do not change it. With a collective, all
 * ranks make the call. */
AOSO_API aoso_status aoso_trainer_model(aoso_trainer *trainer, aoso_model **out, aoso_result *result);

/* The same without a look at the rows: a rank can make the call by itself. The
 * temperature is that of the last evaluation that training made for itself. */
AOSO_API aoso_status aoso_trainer_local_model(aoso_trainer *trainer, aoso_model **out);

/* A held-out row of the training set, as models that were trained without it see its label. */
typedef struct aoso_suspicious_row {
    int64_t row;       /* position in the training set, from 0; with a collective, among the rows of this rank */
    int32_t label;     /* the class of the row */
    int32_t other;     /* the most likely other class */
    double probability;       /* of the label */
    double other_probability; /* of the other class */
    int32_t suspected; /* 1: the label is probably wrong: the other class is likelier, and at least as likely as on
                          average for the rows that have it as label (confident learning) */
    int32_t reserved;
} aoso_suspicious_row;

/* Returns the held-out rows whose labels are least likely, the least likely first: at most
 * length. *count becomes their number. An ensemble or folds hold every row out once. It is an error
 * if no rows were held out. With a collective, all ranks make the call. */
AOSO_API aoso_status aoso_trainer_suspicious_rows(aoso_trainer *trainer, aoso_suspicious_row *out, int64_t length,
                                              int64_t *count);

/* The same with other trainers of the same rows, with other seeds, which together find more wrong labels. probability is
 * the geometric mean over the trainers that held the row out, other the class that is most likely to one of them, with its
 * probability there, and suspected is 1 if most of them suspect the row. */
AOSO_API aoso_status aoso_trainer_suspicious_rows_with(aoso_trainer *trainer, aoso_trainer *const *others,
                                                   int64_t num_others, aoso_suspicious_row *out, int64_t length,
                                                   int64_t *count);
AOSO_API aoso_status aoso_trainer_free(aoso_trainer *trainer);

#ifdef __cplusplus
}
#endif

#endif
