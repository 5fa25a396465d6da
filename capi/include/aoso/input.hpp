// Input data: matrices and labels. aoso.hpp includes this file.
#ifndef AOSO_INPUT_HPP
#define AOSO_INPUT_HPP

#include "base.hpp"
#include "input.h"

#include <cstdint>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace aoso {

namespace detail {

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

} // namespace detail

// Describes a table and does not own it.
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

// A column of a table. It refers to the values and owns the categories.
class column {
public:
    // Numbers.
    template <class Container>
    explicit column(const Container &values)
        : rows_(detail::count(values)), column_(aoso_numbers(std::data(values), detail::dtype<detail::element<Container>>())) {}

    // Categories: that of row i is categories[codes[i]]; a negative code is missing.
    template <class Container>
    column(const Container &codes, std::vector<std::string> categories)
        : rows_(detail::count(codes)), column_(aoso_categories(nullptr, nullptr, detail::count(categories))),
          categories_(std::move(categories)) {
        static_assert(std::is_integral_v<detail::element<Container>>, "codes are integers");
        column_.data = std::data(codes);
        column_.dtype = detail::dtype<detail::element<Container>>();
    }

    // Categories: each different text is one. The empty text is missing.
    explicit column(const std::vector<std::string> &texts)
        : rows_(detail::count(texts)), column_(aoso_categories(nullptr, nullptr, 0)) {
        std::unordered_map<std::string, int32_t> known;
        for (const std::string &text : texts) {
            const auto [at, fresh] = known.try_emplace(text, static_cast<int32_t>(categories_.size()));
            if (fresh) categories_.push_back(text);
            codes_.push_back(at->second);
        }
        column_.num_categories = detail::count(categories_);
    }

    // The number of rows.
    int64_t rows() const { return rows_; }

private:
    friend class table;

    int64_t rows_;
    aoso_column column_;
    std::vector<std::string> categories_;
    std::vector<int32_t> codes_; // of texts
};

// Columns of equal length. It can be passed wherever a matrix can.
class table {
public:
    explicit table(std::vector<column> columns) : own_(std::move(columns)) {
        for (const column &c : own_) {
            if (c.rows() != own_[0].rows()) {
                throw error(AOSO_INVALID_ARGUMENT, "columns is of " + std::to_string(c.rows()) + " values; allowed: " +
                                                       std::to_string(own_[0].rows()) + ", as in column 0");
            }
        }
        for (const column &c : own_) names_.push_back(detail::pointers(c.categories_));
        for (std::size_t j = 0; j < own_.size(); j++) {
            columns_.push_back(own_[j].column_);
            if (columns_[j].kind == AOSO_CATEGORICAL) columns_[j].names = names_[j].data();
            if (!own_[j].codes_.empty()) columns_[j].data = own_[j].codes_.data();
        }
    }
    table(const table &) = delete; // the columns point to each other
    table(table &&) = default;

    // Valid until this object ends.
    operator matrix() const {
        return aoso_table(columns_.data(), own_.empty() ? 0 : own_[0].rows(), detail::count(columns_));
    }

private:
    std::vector<column> own_;
    std::vector<std::vector<const char *>> names_;
    std::vector<aoso_column> columns_;
};

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
// const char *; or class numbers with the names of the classes; or the share of each class in each row, for datasets and
// evaluations.
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

    // Soft labels: the shares of the named classes in each row, rows × classes.
    labels(const matrix &shares, const std::vector<std::string> &class_names)
        : labels_(aoso_labels_of(nullptr, 0, shares.rows)), strings_(detail::pointers(class_names)), shares_(shares) {}

    // Valid until this object changes.
    aoso_labels get() const {
        aoso_labels y = labels_;
        if (y.dtype == 0) y.shares = &shares_;
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
    matrix shares_ = {};
};

namespace detail {

// Optional weights or ids: null if there are none.
template <class T>
const T *given(span<const T> values) {
    return values.size() ? values.data() : nullptr;
}

} // namespace detail

} // namespace aoso

#endif
