// Training, in one call or step by step. aoso.hpp includes this file.
#ifndef AOSO_TRAIN_HPP
#define AOSO_TRAIN_HPP

#include "dataset.hpp"
#include "params.hpp"
#include "train.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace aoso {

using progress = aoso_progress;
using result = aoso_result;

// Called after each iteration.
using progress_function = std::function<then(const progress &)>;

struct train_options {
    const dataset *valid = nullptr; // from dataset::aligned
    int32_t eval_every = 0;         // iterations between evaluations; 0: 1
    progress_function callback = {};
    std::string checkpoint = {};    // a file that keeps how far training has come, from which it goes on; empty: none
    double checkpoint_seconds = 0;  // between two saves; 0: 60
};

namespace detail {

// The options for C. callback must outlive the training, and o the call.
inline aoso_train_options c_options(const train_options &o, const progress_function &callback) {
    aoso_train_options options{};
    options.struct_size = sizeof options;
    options.eval_every = o.eval_every;
    options.valid = optional(o.valid);
    options.checkpoint = o.checkpoint.empty() ? nullptr : o.checkpoint.c_str();
    options.checkpoint_seconds = o.checkpoint_seconds;
    if (callback) {
        options.user = const_cast<progress_function *>(&callback);
        options.callback = [](const aoso_progress *p, void *user) -> int32_t {
            return guarded([&] { return (*static_cast<const progress_function *>(user))(*p) == then::stop; });
        };
    }
    return options;
}

} // namespace detail

// Trains a model. how, if given, receives the outcome.
inline model train(const dataset &data, const params &p = {}, const train_options &o = {}, result *how = nullptr) {
    const aoso_train_options options = detail::c_options(o, o.callback);
    return detail::make<model>(
        [&](aoso_model **out) { return aoso_train(data.get(), &p, &options, out, detail::sized(how)); });
}

// A training that advances step by step. It keeps its datasets.
class trainer {
public:
    explicit trainer(const dataset &data, const params &p = {}, const train_options &o = {})
        : callback_(std::make_unique<progress_function>(o.callback)),
          handle_(create(data, p, detail::c_options(o, *callback_))) {}

    // Trains one iteration; stopped_by says whether training has ended.
    progress step() { return detail::filled<progress>(aoso_trainer_step, get()); }

    // Steps until training ends or is interrupted.
    result run() { return detail::filled<result>(aoso_trainer_run, get()); }

    // Makes a step or run in progress return soon. Can be called from any thread.
    void interrupt() { detail::check(aoso_trainer_interrupt(get())); }

    // The model so far. Later steps do not change it. With a collective, all ranks make the call.
    model snapshot(result *how = nullptr) {
        return detail::make<model>(
            [&](aoso_model **out) { return aoso_trainer_model(get(), out, detail::sized(how)); });
    }

    // The same without a look at the rows: a rank can make the call by itself.
    model local_model() {
        return detail::make<model>([&](aoso_model **out) { return aoso_trainer_local_model(get(), out); });
    }

    aoso_trainer *get() const noexcept { return handle_.get(); }

private:
    using handle = detail::object<aoso_trainer, aoso_trainer_free>;

    static handle create(const dataset &data, const params &p, const aoso_train_options &o) {
        return detail::make<handle>(aoso_trainer_create, data.get(), &p, &o);
    }

    std::unique_ptr<progress_function> callback_; // does not move with the trainer, so C's pointer stays valid
    handle handle_;
};

} // namespace aoso

#endif
