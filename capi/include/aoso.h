/* aoso.h: multi-class gradient boosting with AOSO-LogitBoost.
 *
 * A first program:
 *
 *     aoso_matrix x = aoso_row_major(values, AOSO_FLOAT64, rows, cols);
 *     aoso_labels y = aoso_int32_labels(classes, rows);
 *     aoso_dataset *train = NULL;
 *     aoso_model *model = NULL;
 *     int failed = aoso_dataset_create(&x, &y, NULL, &train) ||
 *                  aoso_train(train, NULL, NULL, &model, NULL) ||
 *                  aoso_model_predict(model, &x, NULL, predicted, rows);
 *     if (failed) fprintf(stderr, "%s\n", aoso_last_error());
 *     aoso_model_free(model);
 *     aoso_dataset_free(train);
 *     return failed;
 *
 * Build with  cc program.c $(pkg-config --cflags --libs aoso).
 *
 * Conventions
 *
 *   Status      Every function returns AOSO_OK (0) or an error code. After an
 *               error, aoso_last_error() says why: the argument, its value and
 *               what is allowed. Out-parameters are set on success only.
 *   Ownership   Free what a create, load or train function returns with the
 *               free function of its type. Freeing NULL does nothing. A
 *               function keeps no argument after the call unless it says so:
 *               you can free or reuse them at once. Objects can be freed in
 *               any order.
 *   Handles     Handles are not addresses. A handle that is null, freed or of
 *               the wrong type is an error (AOSO_INVALID_HANDLE), not a crash.
 *   Outputs     The caller provides the memory and its length in elements.
 *               Functions that return text or bytes take a `buffer` of `size`
 *               bytes and store the length needed in *needed, if that is not
 *               NULL; for text it includes the final 0. Pass NULL and 0 to ask
 *               for the length alone. If the buffer is too small, it stays
 *               unchanged, *needed is set, and the call returns
 *               AOSO_BUFFER_TOO_SMALL.
 *   Threads     Datasets, models and contributions never change. Any number of
 *               threads may use them at the same time. A thread may even free
 *               one meanwhile: calls in progress finish normally. A builder, a
 *               trainer, a tuner and a predictor belong to one thread at a
 *               time. Another thread that uses or frees one meanwhile gets
 *               AOSO_BUSY. The library calls callbacks on the calling thread,
 *               during the call. They may use the library. They must return: no
 *               longjmp, no exception, no pthread_exit. If the thread can be
 *               cancelled, they may have no cancellation point.
 *   Signals     During a call, the host's signal handlers run on a signal stack
 *               of 256 kB, on any thread. A thread that had a signal stack
 *               before its first call keeps its own. To this end, calls that
 *               create an object, train, read or write a file, or take more
 *               than 64 rows add SA_ONSTACK to handlers without it. A handler
 *               that is installed during a call, or just before a call for a
 *               single row, must set SA_ONSTACK itself. The library's threads
 *               block all signals except SIGPROF, SIGCHLD, SIGURG, SIGRTMIN and
 *               those of faults. Go installs handlers for SIGSEGV, SIGBUS,
 *               SIGFPE, SIGPIPE and SIGURG, which call the handlers that were
 *               there before: leave them in place. No handler may use the
 *               library.
 *   Memory      A call that needs more memory than the machine, the container,
 *               RLIMIT_AS or RLIMIT_DATA allows returns AOSO_OUT_OF_MEMORY
 *               before it allocates anything. When the library is loaded,
 *               RLIMIT_AS must leave 1800 MB (most of it reserved and never
 *               used) and RLIMIT_DATA 100 MB; otherwise all calls return
 *               AOSO_OUT_OF_MEMORY. If memory does run out, Go ends the
 *               process.
 *   Bugs        If a call reveals a bug in the library, it returns
 *               AOSO_INTERNAL. The builder, trainer, tuner or predictor of that
 *               call can then only be freed; everything else still works. Only
 *               after a bug in the registry of handles, which all calls share,
 *               do all calls return AOSO_INTERNAL.
 *   Processes   A child created by fork() cannot use the library (AOSO_FORKED):
 *               use exec, spawn or a fork server. The library cannot be
 *               unloaded, and a process can hold only one Go library.
 *   Structs     Structs begin with struct_size, the size of the struct when the
 *               program was compiled, so that later versions can add fields.
 *               Set it to sizeof and the rest to zero, which is the default of
 *               every option:
 *                   aoso_train_options o = {.struct_size = sizeof o};
 *               aoso_params has other defaults: use aoso_params_init.
 *   Versions    A declaration without a note is in every version, since 0.1.
 *               "Since 0.2" marks what that version added. On Windows, define
 *               AOSO_STATIC to link the static library.
 *   Missing     Missing values are NaN, null in Arrow data, and negative codes
 *               of categories. Infinite values lie beyond every threshold, in
 *               training and in prediction.
 *   Categories  Datasets and models identify categories by their names. A name that
 *               training did not see is treated as missing, or as a rare
 *               category of a feature with many.
 */
#ifndef AOSO_H
#define AOSO_H

#include "aoso/base.h"    /* versions, status codes, messages */
#include "aoso/input.h"   /* matrices and labels */
#include "aoso/collective.h" /* training on several machines */
#include "aoso/tcp.h"     /* ranks connected by TCP, without an engine */
#include "aoso/dataset.h" /* datasets, at once or in chunks of rows */
#include "aoso/params.h"  /* the parameters of training, and the memory that it needs */
#include "aoso/train.h"   /* training, in one call or step by step */
#include "aoso/tune.h"    /* the search for parameters */
#include "aoso/model.h"   /* files, exports, importance, models made from models */
#include "aoso/predict.h" /* prediction, evaluation, calibration, SHAP values, single rows */
#include "aoso/probability.h" /* prediction sets, decisions under costs, reliability */

#endif
