// Training, in one call or step by step. aoso.hpp includes this file.
#ifndef AOSO_TRAIN_HPP
#define AOSO_TRAIN_HPP

#include "dataset.hpp"
#include "params.hpp"
#include "train.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace aoso {

using progress = aoso_progress;
using result = aoso_result;
using suspicious_row = aoso_suspicious_row;

// Called after each iteration.
using progress_function = std::function<then(const progress &)>;

// Computes the gradient and the diagonal of the Hessian of your own loss from raw scores:
// all are rows × classes, row by row.
using objective_function =
    std::function<void(span<const double> scores, int64_t rows, int64_t classes, double *gradient, double *hessian)>;

// How to train, beside the parameters.
struct train_options {
    const dataset *valid = nullptr; // decides when to stop; from dataset::aligned
    int32_t eval_every = 0;         // iterations between evaluations; 0: 1
    progress_function callback = {}; // empty: none
    std::vector<const dataset *> others = {}; // further validation sets, which are only evaluated
    objective_function objective = {};        // the loss; empty: the log loss
    span<const double> class_weights = {};    // multiply the weights of the training rows; empty: all 1
    std::string checkpoint = {};    // a file that keeps how far training has come, from which it goes on; empty: none
    double checkpoint_seconds = 0;  // between two saves; 0: 60
    span<const uint64_t> groups = {}; // of the training rows; the rows of a group are held out together; empty: each row is a group
    span<const double> times = {};    // of the training rows; the latest are held out; empty: any; not with groups
};

namespace detail {

// The options for C. o must outlive the training, and others, which receives the
// handles of the sets, the call.
inline aoso_train_options c_options(const train_options &o, std::vector<const aoso_dataset *> &others) {
    aoso_train_options options{};
    for (const dataset *other : o.others) others.push_back(optional(other));
    options.class_weights = given(o.class_weights);
    options.num_class_weights = count(o.class_weights);
    options.groups = given(o.groups);
    options.times = given(o.times);
    options.num_rows = std::max(count(o.groups), count(o.times));
    options.others = others.data();
    options.num_others = static_cast<int64_t>(others.size());
    options.struct_size = sizeof options;
    options.eval_every = o.eval_every;
    options.valid = optional(o.valid);
    options.checkpoint = o.checkpoint.empty() ? nullptr : o.checkpoint.c_str();
    options.checkpoint_seconds = o.checkpoint_seconds;
    if (o.callback) {
        options.user = const_cast<progress_function *>(&o.callback);
        options.callback = [](const aoso_progress *p, void *user) -> int32_t {
            return guarded([&] { return (*static_cast<const progress_function *>(user))(*p) == then::stop; });
        };
    }
    if (o.objective) {
        options.objective_user = const_cast<objective_function *>(&o.objective);
        options.objective = [](const double *scores, int64_t rows, int64_t classes, double *gradient, double *hessian,
                               void *user) -> int32_t {
            return guarded([&] {
                const span<const double> all(scores, static_cast<size_t>(rows * classes));
                (*static_cast<const objective_function *>(user))(all, rows, classes, gradient, hessian);
                return false;
            });
        };
    }
    return options;
}

} // namespace detail

// Trains a model. how, if given, receives the outcome.
inline model train(const dataset &data, const params &p = {}, const train_options &o = {}, result *how = nullptr) {
    std::vector<const aoso_dataset *> others;
    const aoso_train_options options = detail::c_options(o, others);
    return detail::make<model>(
        [&](aoso_model **out) { return aoso_train(data.get(), &p, &options, out, detail::sized(how)); });
}

// A training that advances step by step. It keeps its datasets.
class trainer {
public:
    // Copies the options.
    explicit trainer(const dataset &data, const params &p = {}, const train_options &o = {})
        : options_(std::make_unique<train_options>(o)), handle_(create(data, p, *options_)) {}

    // Trains one iteration; stopped_by says whether training has ended.
    progress step() { return detail::filled<progress>(aoso_trainer_step, get()); }

    // Steps until training ends or is interrupted.
    result run() { return detail::filled<result>(aoso_trainer_run, get()); }

    // Makes a step or run in progress return soon. Can be called from any thread.
    void interrupt() { detail::check(aoso_trainer_interrupt(get())); }

    // The raw scores of the model so far on a validation set with this many rows: rows × classes.
    std::vector<double> scores(int64_t set, int64_t rows, int64_t classes) {
        std::vector<double> out(static_cast<size_t>(rows * classes));
        detail::check(aoso_trainer_scores(get(), set, out.data(), rows * classes));
        return out;
    }

    // One metric of the model so far on a validation set, by name.
    double measure(int64_t set, const std::string &metric) {
        double out = 0;
        detail::check(aoso_trainer_measure(get(), set, metric.c_str(), &out));
        return out;
    }

    // Changes the parameter learning_rate from the next iteration on.
    void set_learning_rate(double rate) { detail::check(aoso_trainer_set_learning_rate(get(), rate)); }

    // Why the last save of the checkpoint failed; empty: it did not.
    std::string checkpoint_error() { return detail::text(aoso_trainer_checkpoint_error, get()); }

    // Tells the value of your own metric after the last step: lower is better.
    progress judge(double value) { return detail::filled<progress>(aoso_trainer_judge, get(), value); }

    // The model so far. Later steps do not change it. With a collective, all ranks make the call.
    model snapshot(result *how = nullptr) {
        return detail::make<model>(
            [&](aoso_model **out) { return aoso_trainer_model(get(), out, detail::sized(how)); });
    }

    // The same without a look at the rows: a rank can make the call by itself.
    model local_model() {
        return detail::make<model>([&](aoso_model **out) { return aoso_trainer_local_model(get(), out); });
    }

    // The n held-out rows whose labels are least likely, the least likely first. With a collective, all ranks make the call.
    std::vector<suspicious_row> suspicious_rows(int64_t n) {
        return suspicious(n, [&](suspicious_row *out, int64_t *count) { return aoso_trainer_suspicious_rows(get(), out, n, count); });
    }

    // The same with other trainers of the same rows, with other seeds, which together find more wrong labels.
    std::vector<suspicious_row> suspicious_rows(int64_t n, const std::vector<const trainer *> &others) {
        std::vector<aoso_trainer *> handles;
        for (const trainer *other : others) handles.push_back(other ? other->get() : nullptr);
        return suspicious(n, [&](suspicious_row *out, int64_t *count) {
            return aoso_trainer_suspicious_rows_with(get(), handles.data(), static_cast<int64_t>(handles.size()), out, n, count);
        });
    }

    // The handle, for the functions of aoso.h.
    aoso_trainer *get() const noexcept { return handle_.get(); }

private:
    using handle = detail::object<aoso_trainer, aoso_trainer_free>;

    template <class Find> static std::vector<suspicious_row> suspicious(int64_t n, Find find) {
        int64_t count = 0;
        std::vector<suspicious_row> out(static_cast<std::size_t>(n > 0 ? n : 0));
        detail::check(find(out.data(), &count));
        out.resize(static_cast<std::size_t>(count));
        return out;
    }

    static handle create(const dataset &data, const params &p, const train_options &o) {
        std::vector<const aoso_dataset *> others;
        const aoso_train_options options = detail::c_options(o, others);
        return detail::make<handle>(aoso_trainer_create, data.get(), &p, &options);
    }

    std::unique_ptr<train_options> options_; // do not move with the trainer, so C's pointers to functions stay valid
    handle handle_;
};

} // namespace aoso

#endif
