// Models, prediction and explanation. aoso.hpp includes this file.
#ifndef AOSO_MODEL_HPP
#define AOSO_MODEL_HPP

#include "input.hpp"
#include "model.h"
#include "predict.h"
#include "probability.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace aoso {

// What a callback returns.
enum class then { go_on, stop };

// How to predict.
struct predict_options {
    int64_t trees = 0;       // use the first trees only; 0: all
    int32_t nthread = 0;     // 0: the cores that the process may use

    aoso_predict_options get() const { return {sizeof(aoso_predict_options), nthread, trees}; }
};

// How to compute leaf values from other data.
struct refit_options {
    double keep = 0; // share of its old values that a leaf keeps
    span<const double> weights = {}; // by row, not negative; empty: all 1
    int32_t nthread = 0;             // 0: the cores that the process may use
};

// How to choose the classes of prediction sets.
struct set_options {
    double alpha = 0.1;             // the probability that a set misses the class of its row
    int32_t method = AOSO_SET_LAC;  // or AOSO_SET_APS, AOSO_SET_RAPS
    bool class_conditional = false; // sets miss the rows of each class with probability alpha
    bool non_empty = false;         // sets that would be empty have the most likely class

    aoso_set_options get() const { return {sizeof(aoso_set_options), method, alpha, class_conditional, non_empty}; }
};

using reliability_report = aoso_reliability;
using pair_importance = aoso_pair_importance;
using evaluation = aoso_evaluation;
using confusion = aoso_confusion;
using calibration = aoso_calibration;

// The export formats, as JSON.
inline std::string export_formats() { return detail::text(aoso_export_formats); }

// The metrics, as JSON.
inline std::string metrics() { return detail::text(aoso_metrics); }

// Called with the parts of an export, one after the other.
using write_function = std::function<void(const char *bytes, std::size_t size)>;

// Called with a number of trees and their raw scores, rows × classes.
using staged_function = std::function<then(int64_t trees, span<const double> raw)>;

// For each row, the number of the decision of least expected cost, and that cost.
struct decisions {
    std::vector<int32_t> numbers;  // columns of the costs
    std::vector<double> expected;  // costs
};

// SHAP values as a sparse matrix in compressed rows.
struct contributions {
    int64_t per_row = 0;          // lines per row
    std::vector<int32_t> classes; // the class of each line
    std::vector<int64_t> indptr;  // where each line begins in columns and values, and their end
    std::vector<int32_t> columns; // features, and the bias last
    std::vector<double> values;   // SHAP values that are not 0
};

namespace detail {

// aoso_model_predict_set with the arguments of other predictions.
struct predict_set {
    aoso_set_options sets;

    aoso_status operator()(const aoso_model *m, const aoso_matrix *x, const aoso_predict_options *options, uint8_t *out,
                           int64_t length) const {
        return aoso_model_predict_set(m, x, &sets, options, out, length);
    }
};

} // namespace detail

// Trained trees with their classes and features. A model never changes.
class model : public detail::object<aoso_model, aoso_model_free> {
public:
    using object::object;

    static model load(const std::string &path) { return detail::make<model>(aoso_model_load, path.c_str()); }

    // From the bytes of encode.
    static model decode(const void *bytes, std::size_t size) {
        return detail::make<model>(aoso_model_decode, bytes, size);
    }

    template <class Bytes>
    static model decode(const Bytes &bytes) {
        static_assert(sizeof(detail::element<Bytes>) == 1, "a model is encoded in bytes");
        return decode(std::data(bytes), std::size(bytes));
    }

    void save(const std::string &path) const { detail::check(aoso_model_save(get(), path.c_str())); }

    std::vector<unsigned char> encode() const {
        return detail::bytes<std::vector<unsigned char>>(aoso_model_encode, get());
    }

    aoso_model_info info() const { return detail::filled<aoso_model_info>(aoso_model_get_info, get()); }

    // Their numbers.
    int64_t classes() const { return info().classes; }
    int64_t features() const { return info().features; }
    int64_t trees() const { return info().trees; }

    // What raw scores are divided by before they become probabilities; 1 unless calibrated.
    double temperature() const { return info().temperature; }

    std::string class_name(int64_t k) const { return detail::text(aoso_model_class_name, get(), k); }
    // All of them, in order.
    std::vector<std::string> class_names() const {
        std::vector<std::string> out;
        for (int64_t k = 0, n = classes(); k < n; k++) out.push_back(class_name(k));
        return out;
    }
    std::string feature_name(int64_t j) const { return detail::text(aoso_model_feature_name, get(), j); }

    // In order; empty if the feature is numeric.
    std::vector<std::string> categories(int64_t j) const { return detail::texts(aoso_model_categories, get(), j); }

    // The position of a category, which stands for it in the rows of a predictor; for one
    // that the model does not know, the position after the last; -1: the feature is numeric.
    int64_t find_category(int64_t j, const std::string &name) const {
        int64_t out = 0;
        detail::check(aoso_model_find_category(get(), j, name.c_str(), &out));
        return out;
    }

    // JSON.
    std::string describe() const { return detail::text(aoso_model_describe, get()); }
    std::string fingerprint() const { return detail::text(aoso_model_fingerprint, get()); }
    // A note of the type that the labels had; empty if there is none.
    std::string label_type() const { return detail::text(aoso_model_label_type, get()); }
    model with_label_type(const std::string &type) const { return detail::make<model>(aoso_model_with_label_type, get(), type.c_str()); }
    // The first trees as text; 0: all of them.
    std::string dump(int64_t trees = 0) const { return detail::text(aoso_model_dump, get(), trees); }

    // A tree as JSON.
    std::string tree(int64_t number) const { return detail::text(aoso_model_tree, get(), number); }

    // In the format of that name, one of export_formats.
    void write(const std::string &format, const write_function &function, int64_t tree = 0) const {
        detail::check(aoso_model_export(get(), format.c_str(), tree, receive, const_cast<write_function *>(&function)));
    }
    std::string exported(const std::string &format, int64_t tree = 0) const {
        std::string out;
        write(format, [&](const char *bytes, std::size_t size) { out.append(bytes, size); }, tree);
        return out;
    }
    void export_file(const std::string &format, const std::string &path, int64_t tree = 0) const {
        detail::check(aoso_model_export_file(get(), format.c_str(), tree, path.c_str()));
    }

    // With options, whose struct_size is set here. function is not used if they have a path.
    void export_with(const std::string &format, aoso_export_options options, const write_function &function = nullptr) const {
        options.struct_size = sizeof options;
        detail::check(aoso_model_export_with(get(), format.c_str(), &options, function ? receive : nullptr,
                                             const_cast<write_function *>(&function)));
    }

    // By class, the number of the first tree that gives the class scores; -1: none does.
    std::vector<int32_t> first_trees() const {
        std::vector<int32_t> out(static_cast<std::size_t>(classes()));
        detail::check(aoso_model_first_trees(get(), out.data(), detail::count(out)));
        return out;
    }

    // How much each feature contributes: AOSO_IMPORTANCE_GAIN, _SPLIT or _COVER.
    std::vector<double> importance(int32_t kind = AOSO_IMPORTANCE_GAIN) const {
        std::vector<double> out(static_cast<std::size_t>(features()));
        detail::check(aoso_model_importance(get(), kind, out.data(), detail::count(out)));
        return out;
    }

    // The same by class pair, the largest gain first.
    std::vector<pair_importance> pair_importances() const {
        int64_t size = 0;
        detail::check(aoso_model_pair_importance(get(), nullptr, 0, &size));
        std::vector<pair_importance> out(static_cast<std::size_t>(size));
        detail::check(aoso_model_pair_importance(get(), out.data(), size, &size));
        return out;
    }

    // The model of the first trees.
    model truncated(int64_t trees) const { return detail::make<model>(aoso_model_truncate, get(), trees); }

    // Combines the trees of several models; their raw scores add up.
    static model merge(const std::vector<const model *> &models) {
        std::vector<const aoso_model *> handles;
        for (const model *m : models) handles.push_back(m ? m->get() : nullptr);
        return detail::make<model>(aoso_model_merge, handles.data(), detail::count(handles));
    }

    // The same splits, with leaf values from other data.
    model refitted(const matrix &x, const labels &y, const refit_options &o = {}) const {
        const aoso_labels classes = y.get();
        const aoso_refit_options options{sizeof options, o.nthread, detail::given(o.weights),
                                         detail::count(o.weights), o.keep};
        return detail::make<model>(aoso_model_refit, get(), &x, &classes, &options);
    }

    // The model with the temperature that minimizes the log loss of these rows.
    // Use rows that it was not trained on. how, if given, receives the details.
    model calibrated(const matrix &x, const labels &y, span<const double> weights = {}, const predict_options &o = {},
                     calibration *how = nullptr) const {
        const aoso_labels classes = y.get();
        const aoso_predict_options options = o.get();
        return detail::make<model>([&](aoso_model **out) {
            return aoso_model_calibrate(get(), &x, &classes, detail::given(weights), detail::count(weights), &options,
                                        out, detail::sized(how));
        });
    }

    // The model with the scores of these rows for prediction sets. Use rows that it
    // was not trained on.
    model conformalized(const matrix &x, const labels &y, span<const double> weights = {},
                        const predict_options &o = {}) const {
        const aoso_labels classes = y.get();
        const aoso_predict_options options = o.get();
        return detail::make<model>(aoso_model_conformalize, get(), &x, &classes, detail::given(weights),
                                   detail::count(weights), &options);
    }

    // The Brier score, the expected calibration error and a reliability diagram.
    reliability_report reliability(const matrix &x, const labels &y, span<const double> weights = {},
                                   const predict_options &o = {}) const {
        const aoso_labels classes = y.get();
        const aoso_predict_options options = o.get();
        return detail::filled<aoso_reliability>(aoso_model_reliability, get(), &x, &classes, detail::given(weights),
                                                detail::count(weights), &options);
    }

    // The pairs of classes that the model confuses most often, at most n.
    std::vector<confusion> confusions(const matrix &x, const labels &y, int64_t n = 10,
                                      const predict_options &o = {}) const {
        const aoso_labels classes = y.get();
        const aoso_predict_options options = o.get();
        std::vector<confusion> out(static_cast<std::size_t>(n > 0 ? n : 0));
        int64_t count = 0;
        detail::check(aoso_model_confusions(get(), &x, &classes, &options, out.data(), n, &count));
        out.resize(static_cast<std::size_t>(count));
        return out;
    }

    // Compares predictions with labels.
    evaluation evaluate(const matrix &x, const labels &y, span<const double> weights = {},
                        const predict_options &o = {}) const {
        const aoso_labels classes = y.get();
        const aoso_predict_options options = o.get();
        evaluation out{};
        detail::check(aoso_model_evaluate(get(), &x, &classes, detail::given(weights), detail::count(weights), &options,
                                          &out));
        return out;
    }

    // The same for rows whose raw scores, rows × classes, are known.
    evaluation evaluate_raw(span<const double> raw, const labels &y, span<const double> weights = {}) const {
        const aoso_labels classes = y.get();
        evaluation out{};
        detail::check(aoso_model_evaluate_raw(get(), raw.data(), detail::count(raw), &classes, detail::given(weights),
                                              detail::count(weights), &out));
        return out;
    }

    // One metric of such rows, by name.
    double measure_raw(const std::string &metric, span<const double> raw, const labels &y,
                       span<const double> weights = {}) const {
        const aoso_labels classes = y.get();
        double out = 0;
        detail::check(aoso_model_measure_raw(get(), raw.data(), detail::count(raw), &classes, detail::given(weights),
                                             detail::count(weights), metric.c_str(), &out));
        return out;
    }

    // The number of the most likely class of each row. Here and below, the _into
    // form fills the caller's memory, which must have the right size.
    std::vector<int32_t> predict(const matrix &x, const predict_options &o = {}) const {
        return filled<int32_t>(aoso_model_predict, x, 1, o);
    }
    void predict_into(const matrix &x, span<int32_t> out, const predict_options &o = {}) const {
        fill(aoso_model_predict, x, out, o);
    }

    // Class probabilities, rows × classes.
    std::vector<double> predict_proba(const matrix &x, const predict_options &o = {}) const {
        return filled<double>(aoso_model_predict_proba, x, classes(), o);
    }
    void predict_proba_into(const matrix &x, span<double> out, const predict_options &o = {}) const {
        fill(aoso_model_predict_proba, x, out, o);
    }

    // Sets of classes that miss the class of their row with probability alpha:
    // rows × classes, 1 for the classes in the set.
    std::vector<uint8_t> predict_set(const matrix &x, const set_options &s = {}, const predict_options &o = {}) const {
        return filled<uint8_t>(detail::predict_set{s.get()}, x, classes(), o);
    }
    void predict_set_into(const matrix &x, span<uint8_t> out, const set_options &s = {},
                          const predict_options &o = {}) const {
        fill(detail::predict_set{s.get()}, x, out, o);
    }

    // costs: classes × decisions.
    decisions decide(const matrix &x, span<const double> costs, const predict_options &o = {}) const {
        decisions out;
        out.expected.resize(cells(x, 1));
        double *expected = out.expected.data();
        out.numbers = filled<int32_t>(
            [&](auto handle, auto features, auto options, int32_t *numbers, int64_t length) {
                return aoso_model_decide(handle, features, costs.data(), detail::count(costs), options, numbers,
                                         expected, length);
            },
            x, 1, o);
        return out;
    }

    // Raw scores, rows × classes.
    std::vector<double> predict_raw(const matrix &x, const predict_options &o = {}) const {
        return filled<double>(aoso_model_predict_raw, x, classes(), o);
    }
    void predict_raw_into(const matrix &x, span<double> out, const predict_options &o = {}) const {
        fill(aoso_model_predict_raw, x, out, o);
    }

    // The numbers of the `top` most likely classes of each row, the most likely first, rows × top.
    // proba: if given, becomes their probabilities, likewise.
    std::vector<int32_t> predict_top(const matrix &x, int64_t top, std::vector<double> *proba = nullptr,
                                     const predict_options &o = {}) const {
        const aoso_predict_options options = o.get();
        std::vector<int32_t> classes(cells(x, std::max<int64_t>(top, 0)));
        std::vector<double> of(proba ? classes.size() : 0);
        detail::check(aoso_model_predict_top(get(), &x, &options, top, classes.data(), proba ? of.data() : nullptr,
                                             static_cast<int64_t>(classes.size())));
        if (proba) *proba = std::move(of);
        return classes;
    }

    // The leaf that each row reaches in each tree, rows × trees.
    std::vector<int32_t> predict_leaf(const matrix &x, const predict_options &o = {}) const {
        return filled<int32_t>(aoso_model_predict_leaf, x, o.trees > 0 ? std::min(o.trees, trees()) : trees(), o);
    }
    void predict_leaf_into(const matrix &x, span<int32_t> out, const predict_options &o = {}) const {
        fill(aoso_model_predict_leaf, x, out, o);
    }

    // Raw scores after every `every` iterations, and at the end.
    void predict_staged(const matrix &x, int64_t every, const staged_function &function,
                        const predict_options &o = {}) const {
        const aoso_predict_options options = o.get();
        const aoso_staged_callback call = [](int64_t trees, const double *raw, int64_t length, void *user) -> int32_t {
            return detail::guarded([&] {
                const span<const double> scores(raw, static_cast<std::size_t>(length));
                return (*static_cast<const staged_function *>(user))(trees, scores) == then::stop;
            });
        };
        detail::check(
            aoso_model_predict_staged(get(), &x, &options, every, call, const_cast<staged_function *>(&function)));
    }

    // Replaces raw scores, rows × classes, by class probabilities.
    void raw_to_proba(span<double> raw) const {
        detail::check(aoso_model_raw_to_proba(get(), raw.data(), detail::count(raw)));
    }

    // SHAP values, rows × classes × (features + 1); the bias of a class is last.
    std::vector<double> shap(const matrix &x, const predict_options &o = {}) const {
        return filled<double>(aoso_model_shap, x, classes() * (features() + 1), o);
    }
    void shap_into(const matrix &x, span<double> out, const predict_options &o = {}) const {
        fill(aoso_model_shap, x, out, o);
    }

    // SHAP values that are not 0. top: how many of the most likely classes of each
    // row to explain; 0: all.
    contributions shap_sparse(const matrix &x, int64_t top = 0, const predict_options &o = {}) const {
        using handle = detail::object<aoso_contributions, aoso_contributions_free>;
        const aoso_predict_options options = o.get();
        const handle made = detail::make<handle>(aoso_model_shap_sparse, get(), &x, &options, top);
        const auto info = detail::filled<aoso_contributions_info>(aoso_contributions_get_info, made.get());
        const auto lines = static_cast<std::size_t>(info.lines), values = static_cast<std::size_t>(info.values);
        contributions out;
        out.per_row = info.per_row;
        out.classes.resize(lines);
        out.indptr.resize(lines + 1);
        out.columns.resize(values);
        out.values.resize(values);
        detail::check(aoso_contributions_read(made.get(), out.classes.data(), out.indptr.data(), info.lines,
                                              out.columns.data(), out.values.data(), info.values));
        return out;
    }

private:
    // Passes bytes to a write_function.
    static int32_t receive(const void *bytes, std::size_t size, void *user) {
        return detail::guarded([&] {
            (*static_cast<const write_function *>(user))(static_cast<const char *>(bytes), size);
            return 0;
        });
    }

    template <class T, class Function>
    void fill(Function function, const matrix &x, span<T> out, const predict_options &o) const {
        const aoso_predict_options options = o.get();
        detail::check(function(get(), &x, &options, out.data(), detail::count(out)));
    }

    template <class T, class Function>
    std::vector<T> filled(Function function, const matrix &x, int64_t width, const predict_options &o) const {
        std::vector<T> out(cells(x, width));
        fill<T>(function, x, out, o);
        return out;
    }

    static std::size_t cells(const matrix &x, int64_t width) {
        int64_t rows = x.rows;
        if (x.layout == AOSO_ARROW && x.arrow_array) {
            std::memcpy(&rows, x.arrow_array, sizeof rows); // length is the first field of an ArrowArray
        } else if (x.layout == AOSO_ARROW_STREAM) {
            throw error(AOSO_INVALID_ARGUMENT, "x is an Arrow stream, whose number of rows is unknown: predict into a span");
        }
        if (rows < 0) throw error(AOSO_INVALID_ARGUMENT, "rows is " + std::to_string(rows) + "; allowed: at least 0");
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width);
    }
};

// Predicts rows one by one, without allocating memory. Create one predictor per
// thread. It keeps its model.
class predictor : public detail::object<aoso_predictor, aoso_predictor_free> {
public:
    // Of the model, which it keeps.
    explicit predictor(const model &m, const predict_options &o = {}) : predictor(m, o.get()) {}

    // row: one value per feature, NaN if missing; of a categorical feature, the
    // position of the category: see model::find_category.
    int32_t predict(span<const double> row) {
        int32_t out = 0;
        detail::check(aoso_predictor_class(get(), row.data(), detail::count(row), &out));
        return out;
    }

    // out: one value per class.
    void predict_proba(span<const double> row, span<double> out) {
        detail::check(aoso_predictor_proba(get(), row.data(), detail::count(row), out.data(), detail::count(out)));
    }
    void predict_raw(span<const double> row, span<double> out) {
        detail::check(aoso_predictor_raw(get(), row.data(), detail::count(row), out.data(), detail::count(out)));
    }

    // The raw scores of some classes only. out: one value per class in classes.
    void predict_raw_of(span<const double> row, span<const int32_t> classes, span<double> out) {
        if (out.size() != classes.size()) {
            throw error(AOSO_INVALID_ARGUMENT, "out has " + std::to_string(out.size()) + " values; allowed: " +
                                                   std::to_string(classes.size()) + ", one for each of classes");
        }
        detail::check(aoso_predictor_raw_of(get(), row.data(), detail::count(row), classes.data(),
                                            detail::count(classes), out.data()));
    }

    // The share of the trees that predict needed.
    double walked() {
        double out = 0;
        detail::check(aoso_predictor_walked(get(), &out));
        return out;
    }

private:
    predictor(const model &m, const aoso_predict_options &o)
        : object(detail::make<object>(aoso_predictor_create, m.get(), &o)) {}
};

} // namespace aoso

#endif
