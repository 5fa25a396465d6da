// Prints the layout of the structs and the values of the constants in the header.
#include <aoso.h>

#include "params.h"

#include <stdio.h>

#define STRUCT(T) printf("%s: %zu\n", #T, sizeof(T));
#define FIELD(T, f) printf("%s.%s: %zu+%zu\n", #T, #f, offsetof(T, f), sizeof(((T *)0)->f));
#define CONSTANT(c) printf("%s = %d\n", #c, (int)c);

#define MATRIX(F, T)                                                                                          \
    F(T, struct_size) F(T, layout) F(T, dtype) F(T, index_dtype) F(T, rows) F(T, cols) F(T, data)             \
    F(T, row_stride) F(T, col_stride) F(T, columns) F(T, indptr) F(T, indices) F(T, nnz) F(T, arrow_array)    \
    F(T, arrow_schema) F(T, arrow_stream) F(T, table)
#define COLUMN(F, T)                                                                                          \
    F(T, struct_size) F(T, kind) F(T, dtype) F(T, data) F(T, stride) F(T, num_categories) F(T, names)         \
    F(T, text) F(T, text_offsets)
#define LABELS(F, T) F(T, struct_size) F(T, dtype) F(T, count) F(T, data) F(T, class_names) F(T, num_class_names) F(T, shares)
#define DATASET_OPTIONS(F, T)                                                                                 \
    F(T, struct_size) F(T, max_bin) F(T, sample_rows) F(T, seed) F(T, nthread) F(T, dense_only)          \
    F(T, weights) F(T, num_weights) F(T, feature_names) F(T, num_feature_names) F(T, init) \
    F(T, categorical) F(T, num_categorical) F(T, row_ids) F(T, num_row_ids) F(T, path) F(T, collective) \
    F(T, text_labels)
#define COLLECTIVE(F, T)                                                                                      \
    F(T, struct_size) F(T, rank) F(T, size) F(T, context) F(T, all_reduce) F(T, gather_sizes) F(T, gather)    \
    F(T, abort) F(T, reduce_scatter)
#define DATASET_INFO(F, T) F(T, struct_size) F(T, named) F(T, rows) F(T, features) F(T, classes) F(T, unknown) F(T, bytes)
#define MEMORY(F, T)                                                                                          \
    F(T, struct_size) F(T, matrix) F(T, sparse) F(T, residuals) F(T, rows) F(T, histograms) F(T, quantizing)  \
    F(T, total) F(T, trees) F(T, runtime)
#define EVALUATION(F, T) F(T, errors) F(T, error_rate) F(T, log_loss)
#define PROGRESS(F, T)                                                                                        \
    F(T, struct_size) F(T, evaluated) F(T, iteration) F(T, trees) F(T, best) F(T, seconds) F(T, train_loss)   \
    F(T, has_valid) F(T, stopped_by) F(T, valid) F(T, phase) F(T, max_trees) F(T, others) F(T, num_others)
#define TRAIN_OPTIONS(F, T)                                                                                   \
    F(T, struct_size) F(T, eval_every) F(T, valid) F(T, callback) F(T, user) F(T, others) F(T, num_others) \
    F(T, objective) F(T, objective_user) F(T, class_weights) F(T, num_class_weights) \
    F(T, checkpoint) F(T, checkpoint_seconds) F(T, groups) F(T, times) F(T, num_rows)
#define RESULT(F, T)                                                                                          \
    F(T, struct_size) F(T, stopped_by) F(T, iterations) F(T, best_iteration) F(T, threads) F(T, train_loss)   \
    F(T, seconds) F(T, has_valid) F(T, phase) F(T, valid) F(T, held_out_rows) F(T, held_out)
#define TUNE_PROGRESS(F, T)                                                                                   \
    F(T, struct_size) F(T, phase) F(T, trial) F(T, rung) F(T, iteration) F(T, trials) F(T, seconds)           \
    F(T, log_loss) F(T, errors) F(T, stopped_by)
#define TUNE_OPTIONS(F, T) F(T, struct_size) F(T, valid) F(T, trials) F(T, table) F(T, callback) F(T, user) \
    F(T, groups) F(T, times) F(T, num_rows)
#define TCP_OPTIONS(F, T) \
    F(T, struct_size) F(T, rank) F(T, size) F(T, port) F(T, host) F(T, secret) F(T, num_secret) F(T, timeout)
#define MODEL_INFO(F, T) F(T, struct_size) F(T, named) F(T, classes) F(T, features) F(T, trees) F(T, trees_per_iteration) \
    F(T, temperature) F(T, conformal_rows)
#define PAIR_IMPORTANCE(F, T) F(T, feature) F(T, classes) F(T, gain) F(T, splits)
#define REFIT_OPTIONS(F, T) F(T, struct_size) F(T, nthread) F(T, weights) F(T, num_weights) F(T, keep)
#define EXPORT_OPTIONS(F, T) F(T, struct_size) F(T, force) F(T, tree) F(T, path)
#define CALIBRATION(F, T) F(T, struct_size) F(T, temperature) F(T, before) F(T, after)
#define CONTRIBUTIONS_INFO(F, T) F(T, struct_size) F(T, lines) F(T, per_row) F(T, values)
#define SET_OPTIONS(F, T) F(T, struct_size) F(T, method) F(T, alpha) F(T, class_conditional) F(T, non_empty)
#define CONFUSION(F, T) F(T, classes) F(T, mistaken) F(T, rows)
#define SUSPICIOUS_ROW(F, T) F(T, row) F(T, label) F(T, other) F(T, probability) F(T, other_probability) F(T, suspected)
#define CODE_SUGGESTION(F, T) F(T, feature) F(T, values) F(T, gain) F(T, error) F(T, suggested)
#define RELIABILITY_BIN(F, T) F(T, rows) F(T, share) F(T, confidence) F(T, accuracy)
#define RELIABILITY(F, T) F(T, struct_size) F(T, num_bins) F(T, brier) F(T, ece) F(T, bins)
#define PREDICT_OPTIONS(F, T) F(T, struct_size) F(T, nthread) F(T, trees)

#define PRINT(FIELDS, T) STRUCT(T) FIELDS(FIELD, T)

int main(void) {
    PRINT(MATRIX, aoso_matrix)
    PRINT(COLUMN, aoso_column)
    PRINT(LABELS, aoso_labels)
    PRINT(DATASET_OPTIONS, aoso_dataset_options)
    PRINT(COLLECTIVE, aoso_collective)
    PRINT(DATASET_INFO, aoso_dataset_info)
    PRINT(PARAMS, aoso_params)
    PRINT(MEMORY, aoso_memory)
    PRINT(EVALUATION, aoso_evaluation)
    PRINT(PROGRESS, aoso_progress)
    PRINT(TRAIN_OPTIONS, aoso_train_options)
    PRINT(RESULT, aoso_result)
    PRINT(TUNE_PROGRESS, aoso_tune_progress)
    PRINT(TUNE_OPTIONS, aoso_tune_options)
    PRINT(TCP_OPTIONS, aoso_tcp_options)
    PRINT(MODEL_INFO, aoso_model_info)
    PRINT(PREDICT_OPTIONS, aoso_predict_options)
    PRINT(PAIR_IMPORTANCE, aoso_pair_importance)
    PRINT(REFIT_OPTIONS, aoso_refit_options)
    PRINT(EXPORT_OPTIONS, aoso_export_options)
    PRINT(CALIBRATION, aoso_calibration)
    PRINT(CONTRIBUTIONS_INFO, aoso_contributions_info)
    PRINT(SET_OPTIONS, aoso_set_options)
    PRINT(CONFUSION, aoso_confusion)
    PRINT(SUSPICIOUS_ROW, aoso_suspicious_row)
    PRINT(CODE_SUGGESTION, aoso_code_suggestion)
    PRINT(RELIABILITY_BIN, aoso_reliability_bin)
    PRINT(RELIABILITY, aoso_reliability)

    CONSTANT(AOSO_ABI_VERSION)
    CONSTANT(AOSO_OK)
    CONSTANT(AOSO_INVALID_ARGUMENT)
    CONSTANT(AOSO_INVALID_HANDLE)
    CONSTANT(AOSO_BUFFER_TOO_SMALL)
    CONSTANT(AOSO_IO)
    CONSTANT(AOSO_BAD_FORMAT)
    CONSTANT(AOSO_OUT_OF_MEMORY)
    CONSTANT(AOSO_BUSY)
    CONSTANT(AOSO_FORKED)
    CONSTANT(AOSO_INTERNAL)
    CONSTANT(AOSO_COLLECTIVE)
    CONSTANT(AOSO_SUM)
    CONSTANT(AOSO_MAX)
    CONSTANT(AOSO_SET_LAC)
    CONSTANT(AOSO_SET_APS)
    CONSTANT(AOSO_SET_RAPS)
    CONSTANT(AOSO_RELIABILITY_BINS)
    CONSTANT(AOSO_LOG_WARNING)
    CONSTANT(AOSO_LOG_INFO)
    CONSTANT(AOSO_FLOAT32)
    CONSTANT(AOSO_FLOAT64)
    CONSTANT(AOSO_INT8)
    CONSTANT(AOSO_INT16)
    CONSTANT(AOSO_INT32)
    CONSTANT(AOSO_INT64)
    CONSTANT(AOSO_UINT8)
    CONSTANT(AOSO_UINT16)
    CONSTANT(AOSO_UINT32)
    CONSTANT(AOSO_UINT64)
    CONSTANT(AOSO_STRING)
    CONSTANT(AOSO_DENSE)
    CONSTANT(AOSO_COLUMNS)
    CONSTANT(AOSO_CSR)
    CONSTANT(AOSO_CSC)
    CONSTANT(AOSO_ARROW)
    CONSTANT(AOSO_ARROW_STREAM)
    CONSTANT(AOSO_TABLE)
    CONSTANT(AOSO_NUMERIC)
    CONSTANT(AOSO_CATEGORICAL)
    PARAM_CONSTANTS(CONSTANT)
    CONSTANT(AOSO_PHASE_TRAIN)
    CONSTANT(AOSO_PHASE_HOLDOUT)
    CONSTANT(AOSO_PHASE_SEARCH)
    CONSTANT(AOSO_RUNNING)
    CONSTANT(AOSO_STOPPED_BY_STOP_LOSS)
    CONSTANT(AOSO_STOPPED_BY_TREES)
    CONSTANT(AOSO_STOPPED_BY_EARLY_STOPPING)
    CONSTANT(AOSO_STOPPED_BY_INTERRUPT)
    CONSTANT(AOSO_STOPPED_BY_NO_SPLIT)
    CONSTANT(AOSO_STOPPED_BY_TIME_LIMIT)
    CONSTANT(AOSO_IMPORTANCE_GAIN)
    CONSTANT(AOSO_IMPORTANCE_SPLIT)
    CONSTANT(AOSO_IMPORTANCE_COVER)
    return 0;
}
