// Datasets, which are what a model is trained on. aoso.hpp includes this file.
#ifndef AOSO_DATASET_HPP
#define AOSO_DATASET_HPP

#include "collective.hpp"
#include "dataset.h"
#include "model.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace aoso {

// The fields of aoso_dataset_options.
struct dataset_options {
    int32_t max_bin = 0;                         // value bins of a feature, 2 to 255; 0: 255
    int64_t sample_rows = 0;                     // rows that bins are fitted to; 0: 200,000; negative: all
    uint64_t seed = 0;                           // of that sample
    int32_t nthread = 0;                         // 0: the cores that the process may use
    bool dense_only = false;                     // store no sparse feature row by row; slower, same model
    span<const double> weights = {};             // by row, not negative; empty: all 1
    std::vector<std::string> feature_names = {}; // empty: Arrow's names, else f0, f1, ...
    const model *init = nullptr;                 // a model that training continues; null: none
    std::vector<int64_t> categorical = {};       // columns of numbers that stand for categories
    span<const uint64_t> row_ids = {};           // by row, all different; empty: the positions of the rows
    std::string path = {};                       // a file to keep the dataset in rather than memory
    collective *ranks = nullptr;                 // the machines that each have some of the rows; null: these are all rows
    bool text_labels = false;                    // labels are texts, even if all look like numbers: class 10 then comes before 9
};

namespace detail {

struct c_dataset_options : aoso_dataset_options {
    std::vector<const char *> names;
    aoso_collective shared = {};

    explicit c_dataset_options(const dataset_options &o) : aoso_dataset_options(), names(pointers(o.feature_names)) {
        struct_size = sizeof(aoso_dataset_options);
        max_bin = o.max_bin;
        sample_rows = o.sample_rows;
        seed = o.seed;
        nthread = o.nthread;
        dense_only = o.dense_only;
        weights = given(o.weights);
        num_weights = count(o.weights);
        feature_names = names.empty() ? nullptr : names.data();
        num_feature_names = count(names);
        init = optional(o.init);
        categorical = o.categorical.empty() ? nullptr : o.categorical.data();
        num_categorical = count(o.categorical);
        row_ids = given(o.row_ids);
        num_row_ids = count(o.row_ids);
        path = o.path.empty() ? nullptr : o.path.c_str();
        if (o.ranks) {
            shared = o.ranks->get();
            collective = &shared;
        }
        text_labels = o.text_labels;
    }
};

} // namespace detail

// Quantized features with labels and weights.
class dataset : public detail::object<aoso_dataset, aoso_dataset_free> {
public:
    using object::object;

    dataset(const matrix &x, const labels &y, const dataset_options &o = {})
        : dataset(x, y.get(), detail::c_dataset_options(o)) {}

    // A validation set with the bins and classes of this one.
    dataset aligned(const matrix &x, const labels &y, span<const double> weights = {}) const {
        dataset_options o;
        o.weights = weights;
        const detail::c_dataset_options options(o);
        const aoso_labels classes = y.get();
        return detail::make<dataset>(aoso_dataset_create_aligned, get(), &x, &classes, &options);
    }

    static dataset load(const std::string &path) { return detail::make<dataset>(aoso_dataset_load, path.c_str()); }
    static dataset read(const std::string &path) { return detail::make<dataset>(aoso_dataset_read, path.c_str()); }
    void save(const std::string &path) const { detail::check(aoso_dataset_save(get(), path.c_str())); }

    aoso_dataset_info info() const { return detail::filled<aoso_dataset_info>(aoso_dataset_get_info, get()); }
    // Their numbers.
    int64_t rows() const { return info().rows; }
    int64_t features() const { return info().features; }
    int64_t classes() const { return info().classes; }

    std::string class_name(int64_t k) const { return detail::text(aoso_dataset_class_name, get(), k); }

    // The number of each row's class, or -1, and each row's weight.
    std::vector<int32_t> class_numbers() const {
        std::vector<int32_t> out(static_cast<std::size_t>(info().rows));
        detail::check(aoso_dataset_labels(get(), out.data(), static_cast<int64_t>(out.size())));
        return out;
    }
    std::vector<double> row_weights() const {
        std::vector<double> out(static_cast<std::size_t>(info().rows));
        detail::check(aoso_dataset_weights(get(), out.data(), static_cast<int64_t>(out.size())));
        return out;
    }

    // A weight for each class, with which all classes weigh the same.
    std::vector<double> balanced_weights() const {
        std::vector<double> out(static_cast<std::size_t>(info().classes));
        detail::check(aoso_dataset_balanced_weights(get(), out.data(), static_cast<int64_t>(out.size())));
        return out;
    }
    std::string feature_name(int64_t j) const { return detail::text(aoso_dataset_feature_name, get(), j); }

    // In order; empty if the feature is numeric.
    std::vector<std::string> categories(int64_t j) const { return detail::texts(aoso_dataset_categories, get(), j); }

private:
    dataset(const matrix &x, const aoso_labels &y, const detail::c_dataset_options &o)
        : dataset(detail::make<dataset>(aoso_dataset_create, &x, &y, &o)) {}
};

// A column of numbers that may be a code without an order.
using code_suggestion = aoso_code_suggestion;

// The columns of 3 to 100 different whole numbers, at most 20 of them, with what it gains to list them in o.categorical. Those that
// are suggested come first.
inline std::vector<code_suggestion> suggest_codes(const matrix &x, const labels &y, const dataset_options &o = {}) {
    constexpr int64_t most = 20;
    std::vector<code_suggestion> out(most);
    int64_t count = 0;
    const detail::c_dataset_options options(o);
    const aoso_labels classes = y.get();
    detail::check(aoso_suggest_codes(&x, &classes, &options, out.data(), most, &count, nullptr, nullptr));
    out.resize(static_cast<std::size_t>(count));
    return out;
}

// Builds a dataset from chunks of rows. Rows that take more memory than there is
// come twice: all chunks to sample, then the same rows to append.
class dataset_builder : public detail::object<aoso_builder, aoso_builder_free> {
public:
    // The options' weights and row ids must be empty: pass them with the chunks.
    explicit dataset_builder(int64_t cols, const dataset_options &o = {})
        : dataset_builder(cols, detail::c_dataset_options(o)) {}

    // weights: one per row, for every chunk or for none.
    void append(const matrix &x, const labels &y, span<const double> weights = {}) {
        const aoso_labels classes = y.get();
        detail::check(aoso_builder_append(get(), &x, &classes, detail::given(weights), detail::count(weights)));
    }

    // The same with the ids of the rows, for every chunk.
    void append(const matrix &x, const labels &y, span<const double> weights, span<const uint64_t> row_ids) {
        const aoso_labels classes = y.get();
        detail::check(aoso_builder_append_with_ids(get(), &x, &classes, detail::given(weights), detail::count(weights),
                                                   detail::given(row_ids), detail::count(row_ids)));
    }

    // Takes rows that come twice, before the first append.
    void sample(const matrix &x, const labels &y, span<const double> weights = {}, span<const uint64_t> row_ids = {}) {
        const aoso_labels classes = y.get();
        detail::check(aoso_builder_sample(get(), &x, &classes, detail::given(weights), detail::count(weights),
                                          detail::given(row_ids), detail::count(row_ids)));
    }

    // Creates the dataset and empties the builder.
    dataset finish() { return detail::make<dataset>(aoso_builder_finish, get()); }

    // The same for a validation set.
    dataset finish_aligned(const dataset &train) {
        return detail::make<dataset>(aoso_builder_finish_aligned, get(), train.get());
    }

private:
    dataset_builder(int64_t cols, const detail::c_dataset_options &o)
        : object(detail::make<object>(aoso_builder_create, cols, &o)) {}
};

} // namespace aoso

#endif
