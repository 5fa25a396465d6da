// The search for parameters. aoso.hpp includes this file.
#ifndef AOSO_TUNE_HPP
#define AOSO_TUNE_HPP

#include "train.hpp"
#include "tune.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace aoso {

using tune_progress = aoso_tune_progress;

// Called after each iteration.
using tune_function = std::function<then(const tune_progress &)>;

// How to search, beside the parameters.
struct tune_options {
    const dataset *valid = nullptr; // from dataset::aligned
    int64_t trials = 0;             // 0: as many as time_limit allows, or 50 without one
    std::string table = {};         // file; empty: none
    tune_function callback = {};    // empty: none
    span<const uint64_t> groups = {}; // as in train_options
    span<const double> times = {};    // as in train_options
};

// A search for parameters that advances step by step. It keeps its datasets.
class tuner {
public:
    // Parameters that are not at their defaults stay as they are.
    explicit tuner(const dataset &data, const params &p = {}, const tune_options &o = {})
        : callback_(std::make_unique<tune_function>(o.callback)), handle_(create(data, p, o, *callback_)) {}

    // Does one iteration; stopped_by says whether all is done.
    tune_progress step() { return detail::filled<tune_progress>(aoso_tuner_step, get()); }

    // Steps until all is done or the search is interrupted.
    result run() { return detail::filled<result>(aoso_tuner_run, get()); }

    // Makes a step or run in progress return soon. Can be called from any thread.
    void interrupt() { detail::check(aoso_tuner_interrupt(get())); }

    // The best model so far.
    model snapshot(result *how = nullptr) {
        return detail::make<model>([&](aoso_model **out) { return aoso_tuner_model(get(), out, detail::sized(how)); });
    }

    // The parameters of that model, as params::parse reads them.
    std::string found() const { return detail::text(aoso_tuner_params, get()); }

    // The trials table as CSV.
    std::string trials() const { return detail::text(aoso_tuner_trials, get()); }

    // The handle, for the functions of aoso.h.
    aoso_tuner *get() const noexcept { return handle_.get(); }

private:
    using handle = detail::object<aoso_tuner, aoso_tuner_free>;

    static handle create(const dataset &data, const params &p, const tune_options &o, const tune_function &callback) {
        aoso_tune_options options{};
        options.struct_size = sizeof options;
        options.valid = detail::optional(o.valid);
        options.trials = o.trials;
        options.table = o.table.empty() ? nullptr : o.table.c_str();
        options.groups = detail::given(o.groups);
        options.times = detail::given(o.times);
        options.num_rows = std::max(detail::count(o.groups), detail::count(o.times));
        if (callback) {
            options.user = const_cast<tune_function *>(&callback);
            options.callback = [](const aoso_tune_progress *now, void *user) -> int32_t {
                return detail::guarded([&] { return (*static_cast<const tune_function *>(user))(*now) == then::stop; });
            };
        }
        return detail::make<handle>(aoso_tuner_create, data.get(), &p, &options);
    }

    std::unique_ptr<tune_function> callback_; // does not move with the tuner, so C's pointer stays valid
    handle handle_;
};

} // namespace aoso

#endif
