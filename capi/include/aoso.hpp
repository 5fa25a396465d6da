// aoso.hpp: aoso.h for C++17 and later, header only.
//
// A first program:
//
//     aoso::dataset train(aoso::row_major(values, cols), classes);
//     aoso::model model = aoso::train(train, "trees=500 threads=4");
//     std::vector<int32_t> predicted = model.predict(aoso::row_major(others, cols));
//
// Build with  c++ -std=c++17 program.cpp $(pkg-config --cflags --libs aoso).
//
// The rules of aoso.h for threads, processes and values apply here too. In
// addition:
//
//   Objects     Objects own their handles. They can be moved, not copied. After
//               a move, the old object can be destroyed or assigned to; any
//               other use throws.
//   Errors      Errors are thrown as aoso::error.
//   Callbacks   Callbacks are std::functions. If one throws, the training, the
//               prediction or the export ends, and the exception comes out of
//               the call that invoked the callback.
//   Inputs      Inputs are anything with data() and size(): vectors, arrays,
//               std::span. They are read during the call only. A matrix or
//               labels object must not outlive the data that it describes.
#ifndef AOSO_HPP
#define AOSO_HPP

#include <aoso.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace aoso {

// ------------------------------------------------------------------ errors --

class error : public std::runtime_error {
public:
    error(aoso_status status, const std::string &message) : std::runtime_error(message), status_(status) {}

    // AOSO_INVALID_ARGUMENT etc.
    aoso_status status() const noexcept { return status_; }

private:
    aoso_status status_;
};

namespace detail {

// The exception of a callback, on its way through the C functions to the
// caller, on the same thread.
inline std::exception_ptr &thrown() {
    thread_local std::exception_ptr exception;
    return exception;
}

inline void check(aoso_status status) {
    if (thrown()) std::rethrow_exception(std::exchange(thrown(), nullptr));
    if (status != AOSO_OK) throw error(status, aoso_last_error());
}

// Runs a callback for C. Its exception waits for check, and C is told to stop.
template <class Function>
int32_t guarded(Function function) {
    try {
        return function();
    } catch (...) {
        thrown() = std::current_exception();
        return 1;
    }
}

template <auto Free>
struct freed_by {
    template <class T>
    void operator()(T *handle) const noexcept {
        Free(handle);
    }
};

// Owns a C handle.
template <class T, auto Free>
class object {
public:
    using pointer = T *;

    explicit object(T *handle) noexcept : handle_(handle) {} // takes ownership
    T *get() const noexcept { return handle_.get(); }

private:
    std::unique_ptr<T, freed_by<Free>> handle_;
};

// The handle of an object that may be absent, but not moved from.
template <class Object>
typename Object::pointer optional(const Object *object) {
    if (object && !object->get()) throw error(AOSO_INVALID_HANDLE, "an option names an object that was moved from");
    return object ? object->get() : nullptr;
}

// The object whose handle the function stores in its last argument. The handle
// is owned before anything is thrown.
template <class Object, class Function, class... Args>
Object make(Function function, const Args &...args) {
    typename Object::pointer handle = nullptr;
    const aoso_status status = function(args..., &handle);
    Object object(handle);
    check(status);
    return object;
}

// The struct that the function fills in, its last argument.
template <class Struct, class Function, class... Args>
Struct filled(Function function, const Args &...args) {
    Struct out{};
    out.struct_size = sizeof out;
    check(function(args..., &out));
    return out;
}

// Prepares a struct for a function's second result.
template <class Struct>
Struct *sized(Struct *how) {
    if (how) {
        *how = {};
        how->struct_size = sizeof *how;
    }
    return how;
}

// The bytes that a function returns through its last three arguments: buffer,
// size and needed.
template <class Bytes, class Function, class... Args>
Bytes bytes(Function function, const Args &...args) {
    std::size_t size = 0;
    check(function(args..., nullptr, 0, &size));
    Bytes out(size, 0);
    check(function(args..., out.data(), out.size(), &size));
    return out;
}

template <class Function, class... Args>
std::string text(Function function, const Args &...args) {
    std::string out = bytes<std::string>(function, args...);
    if (!out.empty()) out.pop_back(); // the final 0
    return out;
}

// The AOSO_ type of the elements of type T.
template <class T>
constexpr int32_t dtype() {
    constexpr bool integer = std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8;
    static_assert(integer || std::is_same_v<T, float> || std::is_same_v<T, double>,
                  "aoso takes float, double and integers");
    if (!integer) return sizeof(T) == sizeof(float) ? AOSO_FLOAT32 : AOSO_FLOAT64;
    const int32_t smallest = std::is_signed_v<T> ? AOSO_INT8 : AOSO_UINT8;
    return smallest + (sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3);
}

template <class Container>
using element = std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<const Container &>()))>>;

template <class Container>
int64_t count(const Container &c) {
    return static_cast<int64_t>(std::size(c));
}

template <class Strings>
std::vector<const char *> pointers(const Strings &strings) {
    std::vector<const char *> out;
    for (const std::string &s : strings) out.push_back(s.c_str());
    return out;
}

} // namespace detail

// -------------------------------------------------------------------- span --

// A view of contiguous elements. It converts from anything with data() and
// size(), including std::span.
template <class T>
class span {
public:
    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}

    template <class Container,
              class = std::enable_if_t<std::is_convertible_v<
                  std::remove_pointer_t<decltype(std::data(std::declval<Container &>()))> (*)[], T (*)[]>>>
    constexpr span(Container &&c) noexcept : data_(std::data(c)), size_(std::size(c)) {}

    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

// ----------------------------------------------------------------- library --

inline std::string version() { return aoso_version_string(); }
inline int32_t abi_version() { return aoso_abi_version(); }

// JSON.
inline std::string build_info() { return detail::text(aoso_build_info); }

using log_function = std::function<void(int32_t level, const char *message)>;

// Sets the function that receives the library's messages, for the whole
// process. An empty function means no messages. The function may be called on
// several threads at once.
inline void set_log(log_function function) {
    // Never destroyed: a thread may send a message while the process ends.
    struct state {
        std::mutex mutex;
        std::shared_ptr<const log_function> function;
    };
    static state &current = *new state;
    const aoso_log_callback call = [](int32_t level, const char *message, void *) {
        detail::guarded([&] {
            std::unique_lock<std::mutex> lock(current.mutex);
            const std::shared_ptr<const log_function> log = current.function;
            lock.unlock();
            if (log) (*log)(level, message);
            return 0;
        });
    };
    const bool silent = !function;
    auto shared = silent ? nullptr : std::make_shared<const log_function>(std::move(function));
    {
        std::lock_guard<std::mutex> lock(current.mutex);
        current.function.swap(shared);
    }
    detail::check(aoso_set_log(silent ? nullptr : call, nullptr));
}

// -------------------------------------------------------------- parameters --

// The parameters of training: the fields of aoso_params, set to their defaults.
// A text such as "leaves=20 shrinkage=0.1" converts to params.
struct params : aoso_params {
    params() : aoso_params() { detail::check(aoso_params_init(this, sizeof(aoso_params))); }
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

// Suggests parameters that suit data of this size better than the defaults: a
// text for params, "" if the defaults are best.
inline std::string suggest_params(int64_t rows, int64_t features, int64_t classes) {
    return detail::text(aoso_suggest_params, rows, features, classes);
}

using memory = aoso_memory;

// Computes an upper bound on the memory of a training, without any data.
inline memory estimate_memory(int64_t rows, int64_t features, int64_t classes, int64_t valid_rows = 0,
                              int32_t max_bins = 0, const params &p = {}) {
    return detail::filled<memory>(aoso_estimate_memory, rows, features, classes, valid_rows, max_bins, &p);
}

// ------------------------------------------------------------------ inputs --

// Describes a table of numbers and does not own it.
using matrix = aoso_matrix;

// The values row by row, in the given number of columns.
template <class Container>
matrix row_major(const Container &values, int64_t cols) {
    const int64_t size = detail::count(values);
    if (cols < 1 || size % cols != 0) {
        throw error(AOSO_INVALID_ARGUMENT,
                    "cols is " + std::to_string(cols) + "; allowed: a divisor of " + std::to_string(size) + ", the number of values");
    }
    return aoso_row_major(std::data(values), detail::dtype<detail::element<Container>>(), size / cols, cols);
}

// The values column by column, in the given number of columns.
template <class Container>
matrix col_major(const Container &values, int64_t cols) {
    matrix m = row_major(values, cols);
    m.row_stride = 1;
    m.col_stride = m.rows;
    return m;
}

// Element (i, j) lies i*row_stride + j*col_stride elements from data.
template <class T>
matrix dense(const T *data, int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride) {
    return aoso_dense(data, detail::dtype<T>(), rows, cols, row_stride, col_stride);
}

// One pointer per column; all columns have the same type.
template <class Container>
matrix columns(const Container &pointers, int64_t rows) {
    using T = std::remove_cv_t<std::remove_pointer_t<detail::element<Container>>>;
    const void *addresses = std::data(pointers);
    return aoso_columns(static_cast<const void *const *>(addresses), detail::dtype<T>(), rows, detail::count(pointers));
}

namespace detail {

template <class Indptr, class Indices, class Values>
matrix sparse(int32_t layout, const Indptr &indptr, const Indices &indices, const Values &values, int64_t rows,
              int64_t cols) {
    using index = element<Indices>;
    static_assert(std::is_same_v<element<Indptr>, index>, "aoso takes offsets and indices of one type");
    const int64_t lines = layout == AOSO_CSR ? rows : cols;
    if (lines < 0 || count(indptr) - 1 != lines) {
        throw error(AOSO_INVALID_ARGUMENT,
                    "indptr has " + std::to_string(count(indptr)) + " offsets for " + std::to_string(lines) +
                        (layout == AOSO_CSR ? " rows" : " columns") + "; allowed: one more offset than that, at least one");
    }
    if (count(indices) != count(values)) {
        throw error(AOSO_INVALID_ARGUMENT,
                    "indices has " + std::to_string(count(indices)) + " elements; allowed: " +
                        std::to_string(count(values)) + ", one for each of values");
    }
    const auto make = layout == AOSO_CSR ? aoso_csr : aoso_csc;
    return make(std::data(indptr), std::data(indices), dtype<index>(), std::data(values), dtype<element<Values>>(),
                count(values), rows, cols);
}

} // namespace detail

// Compressed sparse rows: indptr has rows + 1 offsets.
template <class Indptr, class Indices, class Values>
matrix csr(const Indptr &indptr, const Indices &indices, const Values &values, int64_t rows, int64_t cols) {
    return detail::sparse(AOSO_CSR, indptr, indices, values, rows, cols);
}

// Compressed sparse columns: indptr has cols + 1 offsets.
template <class Indptr, class Indices, class Values>
matrix csc(const Indptr &indptr, const Indices &indices, const Values &values, int64_t rows, int64_t cols) {
    return detail::sparse(AOSO_CSC, indptr, indices, values, rows, cols);
}

// A record batch of the Arrow C data interface.
inline matrix arrow(const ArrowArray &array, const ArrowSchema &schema) { return aoso_arrow(&array, &schema); }

// A stream of record batches. The call that receives it reads it to its end.
inline matrix arrow(ArrowArrayStream &stream) { return aoso_arrow_stream(&stream); }

// The labels of the rows: int32_t, int64_t, float, double, std::string or
// const char *; or class numbers with the names of the classes.
class labels {
public:
    template <class Container, class T = detail::element<Container>>
    labels(const Container &values) {
        if constexpr (std::is_same_v<T, std::string>) {
            strings_ = detail::pointers(values);
            labels_ = aoso_string_labels(nullptr, detail::count(values));
        } else if constexpr (std::is_convertible_v<T, const char *>) {
            strings_.assign(std::data(values), std::data(values) + std::size(values));
            labels_ = aoso_string_labels(nullptr, detail::count(values));
        } else {
            static_assert(std::is_floating_point_v<T> || (std::is_signed_v<T> && sizeof(T) >= sizeof(int32_t)),
                          "labels are int32_t, int64_t, float, double or strings");
            labels_ = aoso_labels_of(std::data(values), detail::dtype<T>(), detail::count(values));
        }
    }

    template <class Container, class T = detail::element<Container>>
    labels(const Container &numbers, const std::vector<std::string> &class_names) : labels(numbers) {
        static_assert(std::is_integral_v<T>, "named classes have integer numbers");
        if (class_names.empty()) throw error(AOSO_INVALID_ARGUMENT, "class_names is empty; allowed: at least one name");
        strings_ = detail::pointers(class_names);
    }

    // Valid until this object changes.
    aoso_labels get() const {
        aoso_labels y = labels_;
        if (y.dtype == AOSO_STRING) {
            y.data = strings_.data();
        } else if (!strings_.empty()) {
            y.class_names = strings_.data();
            y.num_class_names = detail::count(strings_);
        }
        return y;
    }

private:
    aoso_labels labels_;
    std::vector<const char *> strings_; // the labels, or the names of the classes
};

namespace detail {

// Optional weights.
inline const double *given(span<const double> weights) { return weights.size() ? weights.data() : nullptr; }

} // namespace detail

// ------------------------------------------------------------------ models --

// What a callback returns.
enum class then { go_on, stop };

struct predict_options {
    int64_t trees = 0;       // use the first trees only; 0: all
    int32_t num_threads = 0; // 0: the cores that the process may use

    aoso_predict_options get() const { return {sizeof(aoso_predict_options), num_threads, trees}; }
};

struct refit_options {
    double keep = 0; // share of its old values that a leaf keeps
    span<const double> weights = {};
    int32_t num_threads = 0;
};

using pair_importance = aoso_pair_importance;
using evaluation = aoso_evaluation;
using calibration = aoso_calibration;

// The export formats, as JSON.
inline std::string export_formats() { return detail::text(aoso_export_formats); }

// Called with the parts of an export, one after the other.
using write_function = std::function<void(const char *bytes, std::size_t size)>;

// Called with a number of trees and their raw scores, rows × classes.
using staged_function = std::function<then(int64_t trees, span<const double> raw)>;

// SHAP values as a sparse matrix in compressed rows.
struct contributions {
    int64_t per_row = 0;          // lines per row
    std::vector<int32_t> classes; // the class of each line
    std::vector<int64_t> indptr;
    std::vector<int32_t> columns; // features, and the bias last
    std::vector<double> values;
};

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
    int64_t classes() const { return info().classes; }
    int64_t features() const { return info().features; }
    int64_t trees() const { return info().trees; }
    double temperature() const { return info().temperature; }

    std::string class_name(int64_t k) const { return detail::text(aoso_model_class_name, get(), k); }
    std::vector<std::string> class_names() const {
        std::vector<std::string> out;
        for (int64_t k = 0, n = classes(); k < n; k++) out.push_back(class_name(k));
        return out;
    }
    std::string feature_name(int64_t j) const { return detail::text(aoso_model_feature_name, get(), j); }

    // JSON.
    std::string describe() const { return detail::text(aoso_model_describe, get()); }
    std::string fingerprint() const { return detail::text(aoso_model_fingerprint, get()); }
    // The first trees as text; 0: all of them.
    std::string dump(int64_t trees = 0) const { return detail::text(aoso_model_dump, get(), trees); }

    // A tree as JSON.
    std::string tree(int64_t number) const { return detail::text(aoso_model_tree, get(), number); }

    // In the format of that name, one of export_formats.
    void write(const std::string &format, const write_function &function, int64_t tree = 0) const {
        const aoso_write_callback call = [](const void *bytes, std::size_t size, void *user) -> int32_t {
            return detail::guarded([&] {
                (*static_cast<const write_function *>(user))(static_cast<const char *>(bytes), size);
                return 0;
            });
        };
        detail::check(aoso_model_export(get(), format.c_str(), tree, call, const_cast<write_function *>(&function)));
    }
    std::string exported(const std::string &format, int64_t tree = 0) const {
        std::string out;
        write(format, [&](const char *bytes, std::size_t size) { out.append(bytes, size); }, tree);
        return out;
    }
    void export_file(const std::string &format, const std::string &path, int64_t tree = 0) const {
        detail::check(aoso_model_export_file(get(), format.c_str(), tree, path.c_str()));
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
        const aoso_refit_options options{sizeof options, o.num_threads, detail::given(o.weights),
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

    // The number of the likeliest class of each row. Here and below, the _into
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

    // Raw scores, rows × classes.
    std::vector<double> predict_raw(const matrix &x, const predict_options &o = {}) const {
        return filled<double>(aoso_model_predict_raw, x, classes(), o);
    }
    void predict_raw_into(const matrix &x, span<double> out, const predict_options &o = {}) const {
        fill(aoso_model_predict_raw, x, out, o);
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

    // SHAP values that are not 0. top: how many of the likeliest classes of each
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
    explicit predictor(const model &m, const predict_options &o = {}) : predictor(m, o.get()) {}

    // row: one value per feature, NaN if missing.
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

// ---------------------------------------------------------------- datasets --

// The fields of aoso_dataset_options.
struct dataset_options {
    int32_t max_bins = 0;
    int64_t sample_rows = 0;
    uint64_t seed = 0;
    int32_t num_threads = 0;
    bool dense_only = false;
    span<const double> weights = {};
    std::vector<std::string> feature_names = {};
    const model *init = nullptr;
};

namespace detail {

struct c_dataset_options : aoso_dataset_options {
    std::vector<const char *> names;

    explicit c_dataset_options(const dataset_options &o) : aoso_dataset_options(), names(pointers(o.feature_names)) {
        struct_size = sizeof(aoso_dataset_options);
        max_bins = o.max_bins;
        sample_rows = o.sample_rows;
        seed = o.seed;
        num_threads = o.num_threads;
        dense_only = o.dense_only;
        weights = given(o.weights);
        num_weights = count(o.weights);
        feature_names = names.empty() ? nullptr : names.data();
        num_feature_names = count(names);
        init = optional(o.init);
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
    int64_t rows() const { return info().rows; }
    int64_t features() const { return info().features; }
    int64_t classes() const { return info().classes; }

    std::string class_name(int64_t k) const { return detail::text(aoso_dataset_class_name, get(), k); }
    std::string feature_name(int64_t j) const { return detail::text(aoso_dataset_feature_name, get(), j); }

private:
    dataset(const matrix &x, const aoso_labels &y, const detail::c_dataset_options &o)
        : dataset(detail::make<dataset>(aoso_dataset_create, &x, &y, &o)) {}
};

// Collects a dataset in chunks of rows.
class dataset_builder : public detail::object<aoso_builder, aoso_builder_free> {
public:
    // The options' weights must be empty: pass weights with the chunks.
    explicit dataset_builder(int64_t cols, const dataset_options &o = {})
        : dataset_builder(cols, detail::c_dataset_options(o)) {}

    // weights: one per row, for every chunk or for none.
    void append(const matrix &x, const labels &y, span<const double> weights = {}) {
        const aoso_labels classes = y.get();
        detail::check(aoso_builder_append(get(), &x, &classes, detail::given(weights), detail::count(weights)));
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

// ---------------------------------------------------------------- training --

using progress = aoso_progress;
using result = aoso_result;

// Called after each iteration.
using progress_function = std::function<then(const progress &)>;

struct train_options {
    const dataset *valid = nullptr; // from dataset::aligned
    int32_t eval_every = 0;         // iterations between evaluations; 0: 1
    progress_function callback = {};
};

namespace detail {

// The options for C; callback must outlive the training.
inline aoso_train_options c_options(const train_options &o, const progress_function &callback) {
    aoso_train_options options{};
    options.struct_size = sizeof options;
    options.eval_every = o.eval_every;
    options.valid = optional(o.valid);
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

    // The model so far. Later steps do not change it.
    model snapshot(result *how = nullptr) {
        return detail::make<model>(
            [&](aoso_model **out) { return aoso_trainer_model(get(), out, detail::sized(how)); });
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
