// The parameters of training, and the memory that it needs. aoso.hpp includes this file.
#ifndef AOSO_PARAMS_HPP
#define AOSO_PARAMS_HPP

#include "base.hpp"
#include "params.h"

#include <cstdint>
#include <string>

namespace aoso {

// The parameters of training: the fields of aoso_params, set to their defaults.
// A text such as "max_leaves=20 learning_rate=0.1" converts to params.
struct params : aoso_params {
    params() : aoso_params() { detail::check(aoso_params_init(this, sizeof(aoso_params))); }
    // The defaults, changed as the text says.
    params(const char *text) : params() { set(text); }
    params(const std::string &text) : params(text.c_str()) {}

    // Changes the parameters named in the text; on an error, none of them.
    params &set(const char *text) {
        detail::check(aoso_params_parse(this, text));
        return *this;
    }
    params &set(const std::string &text) { return set(text.c_str()); }

    void check() const { detail::check(aoso_params_check(this)); }
};

// Says which values training on data of this size tries first for the parameters
// that have no value by default: a text for params.
inline std::string suggest_params(int64_t rows, int64_t features, int64_t classes) {
    return detail::text(aoso_suggest_params, rows, features, classes);
}

using memory = aoso_memory;

// Computes an upper bound on the memory of a training, without any data.
inline memory estimate_memory(int64_t rows, int64_t features, int64_t classes, int64_t valid_rows = 0,
                              int32_t max_bin = 0, const params &p = {}) {
    return detail::filled<memory>(aoso_estimate_memory, rows, features, classes, valid_rows, max_bin, &p);
}

} // namespace aoso

#endif
