// Tests aoso.hpp: each wrapper, its exceptions, and that handles can be moved.
#include <aoso.hpp>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>
#if __cplusplus >= 202002L
#include <span>
#endif

#include "../arrow.h"
#include "example_data.h"

#define EXPECT(condition)                                                        \
    do {                                                                         \
        if (!(condition)) {                                                      \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                        \
        }                                                                        \
    } while (0)

template <class Function>
static aoso_status status_of(Function function) {
    try {
        function();
    } catch (const aoso::error &e) {
        EXPECT(e.what()[0] != 0);
        return e.status();
    }
    return AOSO_OK;
}

template <class T>
constexpr bool moves_only = !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> &&
                            std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;
static_assert(moves_only<aoso::dataset> && moves_only<aoso::dataset_builder> && moves_only<aoso::model> &&
              moves_only<aoso::trainer> && moves_only<aoso::tuner> && moves_only<aoso::predictor>);

// The exception that callbacks throw.
struct my_exception {};

constexpr std::size_t rows = 600;
// Created before main starts. The library must work there too.
static const aoso::params few_trees("preset=paper n_estimators=12 max_leaves=6 nthread=2");

struct table {
    std::vector<double> values;
    std::vector<int32_t> classes;

    explicit table(uint32_t seed) : values(rows * FEATURES), classes(rows) {
        example_data(seed, rows, values.data(), classes.data());
    }
    aoso::matrix x() const { return aoso::row_major(values, FEATURES); }
    aoso::dataset dataset() const { return {x(), classes}; }
};

static const table data(1), others(2);

static void library() {
    EXPECT(aoso::abi_version() == AOSO_ABI_VERSION);
    EXPECT(!aoso::version().empty());
    EXPECT(aoso::build_info().front() == '{' && aoso::build_info().back() == '}');

    int messages = 0;
    aoso::set_log([&](int32_t level, const char *message) {
        EXPECT(level == AOSO_LOG_INFO || level == AOSO_LOG_WARNING);
        EXPECT(message[0] != 0);
        messages++;
    });
    aoso::train(data.dataset(), few_trees);
    const int heard = messages;
    aoso::set_log([](int32_t, const char *) { throw my_exception(); });
    bool thrown = false;
    try {
        aoso::train(data.dataset(), few_trees);
    } catch (const my_exception &) {
        thrown = true;
    }
    EXPECT(thrown == (heard > 0));
    aoso::set_log(nullptr);
    aoso::train(data.dataset(), few_trees);
    EXPECT(messages == heard);
}

static void parameters() {
    aoso::params p;
    EXPECT(p.n_estimators == 0 && p.max_leaves == 0 && p.reg_lambda == -1 && p.preset == AOSO_PRESET_AUTO && p.struct_size == sizeof(aoso_params));
    EXPECT(p.set("n_estimators=7 method=logitboost").n_estimators == 7 && p.method == AOSO_METHOD_LOGITBOOST);
    EXPECT(aoso::params(std::string("learning_rate=0.5")).learning_rate == 0.5);
    EXPECT(status_of([&] { p.set(std::string("n_estimators=8 no_such=1")); }) == AOSO_INVALID_ARGUMENT && p.n_estimators == 7);
    EXPECT(status_of([&] { p.set(static_cast<const char *>(nullptr)); }) == AOSO_INVALID_ARGUMENT);
    p.check();
    EXPECT(p.set("monotone_constraints=(1, 0) n_estimators=9").monotone_constraints == std::string("[1,0]") && p.n_estimators == 9);
    p.interaction_constraints = "[[0],1]";
    EXPECT(status_of([&] { p.check(); }) == AOSO_INVALID_ARGUMENT);
    p.set("monotone_constraints=auto interaction_constraints=auto n_estimators=7");
    EXPECT(!p.monotone_constraints && !p.interaction_constraints);
    p.learning_rate = -1;
    EXPECT(status_of([&] { p.check(); }) == AOSO_INVALID_ARGUMENT);
    aoso::params(aoso::suggest_params(1000000, 50, 10)).set("reg_lambda=auto").check();
    EXPECT(status_of([] { aoso::suggest_params(100, 50, 0); }) == AOSO_INVALID_ARGUMENT);
    const aoso::memory m = aoso::estimate_memory(1000000, 50, 10, 1000, 255, few_trees);
    EXPECT(m.total > 50 * 1000000);
    EXPECT(aoso::estimate_memory(1000000, 50, 10).total > 50 * 1000000);
    EXPECT(status_of([] { aoso::estimate_memory(-1, 50, 10); }) == AOSO_INVALID_ARGUMENT);
}

static void spans() {
    std::vector<double> vector{1, 2, 3};
    const std::array<double, 2> array{4, 5};
    double plain[] = {6, 7, 8, 9};
    const aoso::span<const double> a(vector), b(array), c(plain), none;
    aoso::span<double> writable(vector);
    writable[0] = 10;
    EXPECT(a.size() == 3 && b.size() == 2 && c.size() == 4 && none.size() == 0 && none.data() == nullptr);
    EXPECT(a[0] == 10 && b[1] == 5 && *(c.end() - 1) == 9 && c.begin() == plain);
    static_assert(!std::is_constructible_v<aoso::span<double>, const std::vector<double> &>);
    static_assert(!std::is_constructible_v<aoso::span<double>, std::vector<float> &>);
#if __cplusplus >= 202002L
    const aoso::span<const double> d(std::span<double>(vector).subspan(1)), e = std::span<const double, 2>(array);
    EXPECT(d.size() == 2 && d[0] == 2 && e.size() == 2);
#endif
}

// The same numbers give the same model in every layout and type.
static std::string fingerprint(const aoso::matrix &x) {
    return aoso::train(aoso::dataset(x, data.classes), few_trees).fingerprint();
}

template <class T>
static std::vector<T> whole() {
    std::vector<T> out;
    for (double v : data.values) out.push_back(std::isnan(v) ? T(99) : static_cast<T>(v));
    return out;
}

template <class T>
static void expect_type(int32_t dtype, const std::string &wanted) {
    const std::vector<T> values = whole<T>();
    const aoso::matrix x = aoso::row_major(values, FEATURES);
    EXPECT(x.dtype == dtype && x.rows == rows && x.cols == FEATURES);
    EXPECT(fingerprint(x) == wanted);
}

static void matrices() {
    const std::vector<double> values = whole<double>();
    const std::string wanted = fingerprint(aoso::row_major(values, FEATURES));
    expect_type<float>(AOSO_FLOAT32, wanted);
    expect_type<int8_t>(AOSO_INT8, wanted);
    expect_type<int16_t>(AOSO_INT16, wanted);
    expect_type<int32_t>(AOSO_INT32, wanted);
    expect_type<int64_t>(AOSO_INT64, wanted);
    expect_type<uint8_t>(AOSO_UINT8, wanted);
    expect_type<uint16_t>(AOSO_UINT16, wanted);
    expect_type<uint32_t>(AOSO_UINT32, wanted);
    expect_type<uint64_t>(AOSO_UINT64, wanted);

    std::vector<double> by_column;
    std::vector<int32_t> row_offsets{0}, columns;
    std::vector<int64_t> column_offsets{0}, rows_of;
    std::vector<float> row_values;
    std::vector<double> column_values;
    for (std::size_t j = 0; j < FEATURES; j++) {
        for (std::size_t i = 0; i < rows; i++) {
            const double v = values[i * FEATURES + j];
            by_column.push_back(v);
            if (v == 0) continue;
            rows_of.push_back(static_cast<int64_t>(i));
            column_values.push_back(v);
        }
        column_offsets.push_back(static_cast<int64_t>(rows_of.size()));
    }
    for (std::size_t i = 0; i < rows; i++) {
        for (std::size_t j = 0; j < FEATURES; j++) {
            if (values[i * FEATURES + j] == 0) continue;
            columns.push_back(static_cast<int32_t>(j));
            row_values.push_back(static_cast<float>(values[i * FEATURES + j]));
        }
        row_offsets.push_back(static_cast<int32_t>(columns.size()));
    }
    EXPECT(fingerprint(aoso::col_major(by_column, FEATURES)) == wanted);
    EXPECT(fingerprint(aoso::dense(by_column.data(), rows, FEATURES, 1, rows)) == wanted);
    std::vector<const double *> pointers;
    for (std::size_t j = 0; j < FEATURES; j++) pointers.push_back(&by_column[j * rows]);
    EXPECT(fingerprint(aoso::columns(pointers, rows)) == wanted);
    EXPECT(fingerprint(aoso::csr(row_offsets, columns, row_values, rows, FEATURES)) == wanted);
    EXPECT(fingerprint(aoso::csc(column_offsets, rows_of, column_values, rows, FEATURES)) == wanted);
#if __cplusplus >= 202002L
    EXPECT(fingerprint(aoso::row_major(std::span(values), FEATURES)) == wanted);
    EXPECT(fingerprint(aoso::row_major(std::span<const double>(values), FEATURES)) == wanted);
#endif

    const std::vector<double> five(5);
    EXPECT(status_of([&] { aoso::row_major(five, 2); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { aoso::row_major(five, 0); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { aoso::col_major(five, -1); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { aoso::csr(row_offsets, columns, row_values, rows + 1, FEATURES); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { aoso::csc(column_offsets, rows_of, five, rows, FEATURES); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { aoso::csr(row_offsets, columns, row_values, -1, FEATURES); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { fingerprint(aoso::dense(by_column.data(), -1, FEATURES, 1, 1)); }) == AOSO_INVALID_ARGUMENT);
}

// A record batch with the columns of data, with nulls for NaNs; and a stream of it.
struct record_batch {
    std::vector<std::vector<double>> values;
    std::vector<std::vector<unsigned char>> valid;
    std::vector<std::array<const void *, 2>> buffers;
    std::vector<std::string> names;
    std::vector<ArrowArray> arrays;
    std::vector<ArrowSchema> schemas;
    std::vector<ArrowArray *> array_pointers;
    std::vector<ArrowSchema *> schema_pointers;
    const void *no_buffer = nullptr;
    ArrowArray array{};
    ArrowSchema schema{};
    ArrowArrayStream stream{};
    int batches = 0;

    record_batch()
        : values(FEATURES, std::vector<double>(rows)), valid(FEATURES, std::vector<unsigned char>(rows / 8 + 1)),
          buffers(FEATURES), names{"f0", "f1", "f2", "f3", "f4", "f5"}, arrays(FEATURES), schemas(FEATURES) {
        for (std::size_t j = 0; j < FEATURES; j++) {
            for (std::size_t i = 0; i < rows; i++) {
                const double v = data.values[i * FEATURES + j];
                values[j][i] = std::isnan(v) ? 1e300 : v;
                if (!std::isnan(v)) valid[j][i / 8] = static_cast<unsigned char>(valid[j][i / 8] | 1 << i % 8);
            }
            buffers[j] = {valid[j].data(), values[j].data()};
            arrays[j] = {rows, -1, 0, 2, 0, buffers[j].data(), nullptr, nullptr, release<ArrowArray>, nullptr};
            schemas[j] = {"g", names[j].c_str(), nullptr, 2, 0, nullptr, nullptr, release<ArrowSchema>, nullptr};
            array_pointers.push_back(&arrays[j]);
            schema_pointers.push_back(&schemas[j]);
        }
        array = {rows, 0, 0, 1, FEATURES, &no_buffer, array_pointers.data(), nullptr, release<ArrowArray>, nullptr};
        schema = {"+s", "", nullptr, 0, FEATURES, schema_pointers.data(), nullptr, release<ArrowSchema>, nullptr};
        stream.get_schema = [](ArrowArrayStream *s, ArrowSchema *out) {
            *out = static_cast<record_batch *>(s->private_data)->schema;
            return 0;
        };
        stream.get_next = [](ArrowArrayStream *s, ArrowArray *out) {
            record_batch &batch = *static_cast<record_batch *>(s->private_data);
            *out = batch.batches++ == 0 ? batch.array : ArrowArray{};
            return 0;
        };
        stream.get_last_error = [](ArrowArrayStream *) -> const char * { return nullptr; };
        stream.release = release<ArrowArrayStream>;
        stream.private_data = this;
    }

    template <class T>
    static void release(T *released) {
        released->release = nullptr;
    }
};

static void arrow() {
    record_batch batch;
    const aoso::matrix x = aoso::arrow(batch.array, batch.schema);
    EXPECT(fingerprint(x) == fingerprint(data.x()));
    const aoso::model model = aoso::train(data.dataset(), few_trees);
    EXPECT(model.predict(x) == model.predict(data.x()));
    EXPECT(batch.array.release != nullptr);

    const aoso::matrix stream = aoso::arrow(batch.stream);
    EXPECT(status_of([&] { model.predict(stream); }) == AOSO_INVALID_ARGUMENT);
    std::vector<int32_t> out(rows);
    model.predict_into(stream, out);
    EXPECT(out == model.predict(data.x()));
    EXPECT(batch.stream.release == nullptr);
}

// Columns of numbers and categories.
static void tables() {
    std::vector<double> sizes;
    std::vector<int8_t> codes;
    std::vector<std::string> texts;
    const std::vector<std::string> colours{"red", "green", "blue", "a colour with a long name", "white", ""};
    for (std::size_t i = 0; i < rows; i++) {
        sizes.push_back(data.values[i * FEATURES]);
        codes.push_back(static_cast<int8_t>(i % 7 == 0 ? -1 : data.classes[i]));
        texts.push_back(codes[i] < 0 ? "" : colours[static_cast<std::size_t>(codes[i])]);
    }
    const aoso::table by_code({aoso::column(sizes), aoso::column(codes, colours)});
    const aoso::table by_text({aoso::column(sizes), aoso::column(texts)});
    const aoso::dataset train(by_code, data.classes);
    const std::vector<std::string> sorted{"a colour with a long name", "blue", "green", "red", "white"};
    EXPECT(train.categories(1) == sorted && train.categories(0).empty());
    const aoso::model model = aoso::train(train, few_trees);
    EXPECT(model.categories(1) == sorted && model.categories(0).empty());
    EXPECT(fingerprint(by_text) == fingerprint(by_code));
    EXPECT(model.predict_proba(by_text) == model.predict_proba(by_code));
    EXPECT(status_of([&] { aoso::table({aoso::column(sizes), aoso::column(std::vector<int>{1})}); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { model.predict(aoso::table({aoso::column(texts), aoso::column(texts)})); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { model.categories(2); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(model.find_category(1, "green") == 2 && model.find_category(1, "black") == 5 && model.find_category(0, "green") == -1);
    EXPECT(status_of([&] { model.find_category(2, "green"); }) == AOSO_INVALID_ARGUMENT);

    // Numbers that stand for categories.
    std::vector<std::string> digits;
    for (const int8_t code : codes) digits.push_back(std::to_string(code));
    aoso::dataset_options options;
    options.categorical = {1};
    const aoso::table numbers({aoso::column(sizes), aoso::column(codes)});
    const aoso::table named({aoso::column(sizes), aoso::column(digits)});
    EXPECT(aoso::dataset(numbers, data.classes, options).categories(1) == aoso::dataset(named, data.classes).categories(1));
}

static void named_classes() {
    const std::vector<std::string> names{"ash", "birch", "cedar", "date", "elm"};
    std::vector<std::string> strings;
    std::vector<const char *> pointers;
    std::vector<int32_t> numbers;
    std::vector<int64_t> integers;
    std::vector<float> floats;
    std::vector<double> doubles;
    for (int32_t k : data.classes) {
        const auto i = static_cast<std::size_t>(k);
        strings.push_back(names[i]);
        pointers.push_back(names[i].c_str());
        numbers.push_back(k);
        integers.push_back(k - 2);
        floats.push_back(static_cast<float>(k));
        doubles.push_back(k);
    }
    const auto second_name = [](const aoso::labels &y) { return aoso::dataset(data.x(), y).class_name(1); };
    EXPECT(second_name(strings) == "birch");
    EXPECT(second_name(pointers) == "birch");
    EXPECT(second_name({numbers, names}) == "birch");
    EXPECT(second_name(integers) == "-1");
    EXPECT(second_name(floats) == "1");
    EXPECT(second_name(doubles) == "1");
    EXPECT(status_of([&] { second_name({numbers, {}}); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { second_name({numbers, {"too", "few"}}); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { second_name(std::vector<int32_t>{1, 2}); }) == AOSO_INVALID_ARGUMENT);

    const aoso::model model = aoso::train({data.x(), strings}, few_trees);
    EXPECT(model.class_names() == names && model.class_name(4) == "elm");
    EXPECT(status_of([&] { model.class_name(5); }) == AOSO_INVALID_ARGUMENT);
}

static void datasets() {
    aoso::dataset_options o;
    const std::vector<double> weights(rows, 0.5);
    o.max_bin = 16;
    o.sample_rows = -1;
    o.seed = 3;
    o.nthread = 1;
    o.dense_only = true;
    o.weights = weights;
    o.feature_names = {"a", "b", "c", "d", "e", "f"};
    aoso::dataset train(data.x(), data.classes, o);
    EXPECT(train.rows() == rows && train.features() == FEATURES && train.classes() == CLASSES);
    EXPECT(train.info().bytes > 0 && train.info().unknown == 0);
    EXPECT(train.feature_name(5) == "f" && train.class_name(0) == "0");
    EXPECT(status_of([&] { train.feature_name(6); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { train.feature_name(-1); }) == AOSO_INVALID_ARGUMENT);

    std::vector<int32_t> some_unknown = others.classes;
    some_unknown[0] = 77;
    EXPECT(train.aligned(others.x(), some_unknown, weights).info().unknown == 1);
    EXPECT(train.aligned(others.x(), others.classes).info().unknown == 0);
    EXPECT(status_of([&] { train.aligned(others.x(), others.classes, std::vector<double>(3)); }) ==
           AOSO_INVALID_ARGUMENT);

    const std::string wanted = aoso::train(train, few_trees).fingerprint();
    train.save("test_hpp.data");
    EXPECT(aoso::train(aoso::dataset::load("test_hpp.data"), few_trees).fingerprint() == wanted);
    std::remove("test_hpp.data");
    EXPECT(status_of([] { aoso::dataset::load("test_hpp.data"); }) == AOSO_IO);
    EXPECT(status_of([&] { train.save("no/such/folder/data"); }) == AOSO_IO);

    aoso::dataset moved(std::move(train));
    EXPECT(train.get() == nullptr && moved.rows() == rows);
    EXPECT(status_of([&] { train.rows(); }) == AOSO_INVALID_HANDLE);
    EXPECT(status_of([&] { aoso::train(train); }) == AOSO_INVALID_HANDLE);
    aoso::train_options with_moved;
    with_moved.valid = &train;
    EXPECT(status_of([&] { aoso::train(moved, few_trees, with_moved); }) == AOSO_INVALID_HANDLE);
    train = std::move(moved);
    EXPECT(train.rows() == rows);
    train = others.dataset();
    EXPECT(train.feature_name(0) == "f0");

    o.weights = {};
    aoso::dataset_builder builder(FEATURES, o);
    const auto append = [&](std::size_t first, std::size_t n) {
        builder.append(aoso::row_major(aoso::span<const double>(&data.values[first * FEATURES], n * FEATURES), FEATURES),
                     aoso::span<const int32_t>(&data.classes[first], n), aoso::span<const double>(&weights[first], n));
    };
    append(0, 1);
    append(1, 399);
    EXPECT(status_of([&] { builder.append(data.x(), std::vector<int32_t>(2), weights); }) == AOSO_INVALID_ARGUMENT);
    append(400, 200);
    EXPECT(aoso::train(builder.finish(), few_trees).fingerprint() == wanted);
    std::vector<uint64_t> ids(600);
    for (std::size_t i = 0; i < ids.size(); i++) ids[i] = i;
    o.row_ids = ids;
    EXPECT(status_of([&] { aoso::dataset_builder(FEATURES, o); }) == AOSO_INVALID_ARGUMENT);
    o.weights = weights;
    EXPECT(aoso::train(aoso::dataset(data.x(), data.classes, o), few_trees).fingerprint() == wanted);
    ids[9] = 4;
    EXPECT(status_of([&] { aoso::dataset(data.x(), data.classes, o); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { builder.append(data.x(), data.classes, weights, ids); }) == AOSO_INVALID_ARGUMENT);
    append(0, 400);
    EXPECT(builder.finish_aligned(train).rows() == 400);
    EXPECT(status_of([&] { builder.finish_aligned(moved); }) == AOSO_INVALID_HANDLE);
    EXPECT(status_of([&] { builder.append(aoso::row_major(weights, 3), data.classes); }) == AOSO_INVALID_ARGUMENT);
    aoso::dataset_builder other(std::move(builder));
    EXPECT(status_of([&] { builder.finish(); }) == AOSO_INVALID_HANDLE);
    EXPECT(status_of([] { aoso::dataset_builder(-1); }) == AOSO_INVALID_ARGUMENT);
}

static void training() {
    const aoso::dataset train = data.dataset();
    const aoso::dataset valid = train.aligned(others.x(), others.classes);

    int calls = 0;
    aoso::train_options o;
    o.valid = &valid;
    o.eval_every = 2;
    o.callback = [&](const aoso::progress &p) {
        calls++;
        EXPECT(p.iteration == calls && p.evaluated == (p.iteration % 2 == 0) && p.has_valid == p.evaluated);
        EXPECT(p.phase == AOSO_PHASE_TRAIN && p.stopped_by == (p.iteration == 12 ? AOSO_STOPPED_BY_TREES : AOSO_RUNNING));
        return aoso::then::go_on;
    };
    aoso::result how;
    const aoso::model model = aoso::train(train, few_trees, o, &how);
    EXPECT(calls == 12 && how.iterations == 12 && how.stopped_by == AOSO_STOPPED_BY_TREES);
    EXPECT(how.held_out_rows == 0 && how.has_valid == 1 && how.valid.errors > 0 && how.valid.errors < 200);

    o.callback = [](const aoso::progress &p) { return p.iteration == 5 ? aoso::then::stop : aoso::then::go_on; };
    aoso::model five = aoso::train(train, few_trees, o, &how);
    EXPECT(five.trees() == 5 && how.stopped_by == AOSO_STOPPED_BY_INTERRUPT);

    calls = 0;
    o.callback = [&](const aoso::progress &) -> aoso::then {
        if (++calls == 3) throw my_exception();
        return aoso::then::go_on;
    };
    bool thrown = false;
    try {
        aoso::train(train, few_trees, o);
    } catch (const my_exception &) {
        thrown = true;
    }
    EXPECT(thrown && calls == 3);

    // A callback may use the library. Exceptions that this throws are passed on too.
    o.callback = [&](const aoso::progress &) -> aoso::then {
        EXPECT(model.predict(data.x()).size() == rows);
        aoso::model::load("no such file");
        return aoso::then::go_on;
    };
    EXPECT(status_of([&] { aoso::train(train, few_trees, o); }) == AOSO_IO);
    EXPECT(status_of([&] { aoso::train(train, "learning_rate=7"); }) == AOSO_INVALID_ARGUMENT);

    aoso::dataset_options next;
    next.init = &five;
    EXPECT(aoso::train(aoso::dataset(data.x(), data.classes, next), few_trees).trees() == 5 + 12);
    const aoso::model moved_five = std::move(five);
    EXPECT(status_of([&] { aoso::dataset(data.x(), data.classes, next); }) == AOSO_INVALID_HANDLE);

    EXPECT(model.first_trees() == std::vector<int32_t>(CLASSES, 0));

    std::vector<double> shares(rows * CLASSES);
    for (std::size_t i = 0; i < rows; i++) shares[i * CLASSES + static_cast<std::size_t>(data.classes[i])] = 1;
    const std::vector<std::string> names = {"0", "1", "2", "3", "4"};
    const aoso::labels soft(aoso::row_major(shares, CLASSES), names);
    EXPECT(aoso::train(aoso::dataset(data.x(), soft), few_trees).fingerprint() == aoso::train(train, few_trees).fingerprint());
    EXPECT(model.evaluate(data.x(), soft).log_loss == model.evaluate(data.x(), data.classes).log_loss);
    EXPECT(status_of([&] { aoso::dataset(data.x(), aoso::labels(aoso::row_major(shares, CLASSES), {"0", "1"})); }) == AOSO_INVALID_ARGUMENT);
    shares[0] = shares[1] = shares[2] = 1;
    EXPECT(status_of([&] { aoso::dataset(data.x(), soft); }) == AOSO_INVALID_ARGUMENT);

    std::vector<int32_t> fives(rows);
    for (std::size_t i = 0; i < rows; i++) fives[i] = static_cast<int32_t>(i % 5);
    const std::vector<aoso::code_suggestion> codes = aoso::suggest_codes(aoso::row_major(fives, 1), data.classes);
    EXPECT(codes.size() == 1 && codes[0].feature == 0 && codes[0].values == 5);

    o.callback = nullptr;
    aoso::trainer trainer(train, few_trees, o);
    EXPECT(trainer.step().iteration == 1);
    EXPECT(trainer.step().evaluated == 1);
    EXPECT(trainer.snapshot().trees() == 2 && trainer.local_model().trees() == 2);
    trainer.interrupt();
    EXPECT(trainer.run().stopped_by == AOSO_STOPPED_BY_INTERRUPT);
    aoso::trainer moved(std::move(trainer));
    EXPECT(status_of([&] { trainer.step(); }) == AOSO_INVALID_HANDLE);
    EXPECT(status_of([&] { trainer.interrupt(); }) == AOSO_INVALID_HANDLE);
    EXPECT(moved.run().stopped_by == AOSO_STOPPED_BY_TREES);
    EXPECT(moved.snapshot(&how).fingerprint() == model.fingerprint() && how.iterations == 12);
    EXPECT(status_of([&] { moved.suspicious_rows(4); }) == AOSO_INVALID_ARGUMENT); // none is held out
    aoso::trainer holding(train, aoso::params("n_estimators=5"));
    holding.run();
    const std::vector<aoso::suspicious_row> doubtful = holding.suspicious_rows(4);
    EXPECT(doubtful.size() == 4 && doubtful[0].probability <= doubtful[3].probability);
    aoso::trainer again(train, aoso::params("n_estimators=5 seed=1"));
    again.run();
    EXPECT(holding.suspicious_rows(4, {&again}).size() == 4);
    EXPECT(status_of([&] { holding.suspicious_rows(4, {&moved}); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { holding.suspicious_rows(4, {nullptr}); }) == AOSO_INVALID_HANDLE);

    o.callback = [](const aoso::progress &p) { return p.iteration == 5 ? aoso::then::stop : aoso::then::go_on; };
    aoso::trainer paused(train, few_trees, o);
    EXPECT(paused.run().stopped_by == AOSO_STOPPED_BY_INTERRUPT && paused.snapshot().trees() == 5);
    EXPECT(paused.run().stopped_by == AOSO_STOPPED_BY_TREES);

    EXPECT(train.class_numbers().size() == rows && train.row_weights()[0] == 1);
    aoso::train_options balanced;
    const std::vector<double> weights = train.balanced_weights();
    balanced.class_weights = weights;
    EXPECT(weights.size() == CLASSES && aoso::train(train, few_trees, balanced).trees() == 12);
    EXPECT(model.measure_raw("error@1", model.predict_raw(data.x()), data.classes) < 0.5);

    // A metric of one's own, and the others.
    const aoso::dataset noisy = train.aligned(others.x(), others.classes);
    aoso::train_options judged;
    judged.valid = &noisy;
    judged.others = {&train};
    const aoso::params stopping("preset=paper n_estimators=100 max_leaves=6 metric=custom early_stopping_rounds=2");
    aoso::trainer own(train, stopping, judged);
    aoso::progress now = own.step();
    while (now.stopped_by == AOSO_RUNNING) {
        EXPECT(now.num_others == 1 && now.others[0].errors <= now.valid.errors);
        EXPECT(own.measure(0, "error") == now.valid.error_rate && own.scores(0, rows, CLASSES).size() == rows * CLASSES);
        own.judge(own.measure(0, "error"));
        now = own.step();
    }
    EXPECT(now.stopped_by == AOSO_STOPPED_BY_EARLY_STOPPING && aoso::metrics().find("kappa") != std::string::npos);

    // A loss of one's own, which also moves with its trainer.
    aoso::train_options loss;
    loss.objective = [&](aoso::span<const double> scores, int64_t n, int64_t k, double *gradient, double *hessian) {
        EXPECT(n == int64_t(rows));
        for (std::size_t i = 0; i < scores.size(); i++) {
            gradient[i] = scores[i] - (data.classes[i / std::size_t(k)] == int32_t(i % std::size_t(k)));
            hessian[i] = 1;
        }
        if (++calls > 100) throw my_exception();
    };
    calls = 0;
    aoso::trainer squares = aoso::trainer(train, few_trees, loss);
    squares.set_learning_rate(0.5);
    EXPECT(squares.run().stopped_by == AOSO_STOPPED_BY_TREES && calls == 13);
    thrown = false;
    try {
        calls = 100;
        aoso::train(train, few_trees, loss);
    } catch (const my_exception &) {
        thrown = true;
    }
    EXPECT(thrown);

    // The callback moves with its trainer.
    calls = 0;
    o.callback = [&](const aoso::progress &) -> aoso::then {
        if (++calls == 2) throw my_exception();
        return aoso::then::go_on;
    };
    moved = aoso::trainer(train, few_trees, o);
    trainer = std::move(moved);
    trainer.step();
    thrown = false;
    try {
        trainer.step();
    } catch (const my_exception &) {
        thrown = true;
    }
    EXPECT(thrown && calls == 2);
    EXPECT(trainer.run().stopped_by == AOSO_STOPPED_BY_TREES);
    EXPECT(trainer.snapshot().fingerprint() == model.fingerprint());

    // Without a validation set, rows are held out.
    int64_t held_out = 0, trained = 0;
    o = {};
    o.callback = [&](const aoso::progress &p) {
        EXPECT(p.iteration == (p.phase == AOSO_PHASE_HOLDOUT ? ++held_out : ++trained));
        return aoso::then::go_on;
    };
    const double temperature = aoso::train(train, "n_estimators=12", o, &how).temperature();
    EXPECT(held_out >= 12 && trained == 12 && how.iterations == 12 && temperature != 1);
    EXPECT(how.phase == AOSO_PHASE_TRAIN && how.held_out_rows == rows && how.held_out.errors > 0 && how.held_out.errors < 200);

    // Another thread interrupts training that would take minutes.
    aoso::trainer endless(train, "n_estimators=1000000 stop_loss=0");
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        endless.interrupt();
    });
    EXPECT(endless.run().stopped_by == AOSO_STOPPED_BY_INTERRUPT);
    other.join();
}

static void tuning() {
    const aoso::dataset train = data.dataset(), valid = train.aligned(others.x(), others.classes);
    const aoso::params few("n_estimators=10 max_leaves=6 nthread=1");
    aoso::tune_options o;
    int calls = 0;
    o.trials = 2;
    o.valid = &valid;
    o.callback = [&](const aoso::tune_progress &p) {
        EXPECT(p.trials >= 1);
        return ++calls == 5 ? aoso::then::stop : aoso::then::go_on;
    };
    aoso::tuner tuner(train, few, o);
    EXPECT(tuner.step().iteration == 1);
    EXPECT(tuner.run().stopped_by == AOSO_STOPPED_BY_INTERRUPT && calls == 5);
    tuner.interrupt();
    EXPECT(tuner.run().stopped_by == AOSO_STOPPED_BY_INTERRUPT && calls == 5);
    EXPECT(tuner.run().has_valid == 1);
    aoso::result how;
    EXPECT(tuner.snapshot(&how).trees() == 10 && how.phase == AOSO_PHASE_TRAIN);
    EXPECT(aoso::params(tuner.found()).max_leaves == 6);
    EXPECT(tuner.trials().find("trial,rung,") == 0);
}

static void models() {
    aoso::model model = aoso::train(data.dataset(), few_trees);
    EXPECT(model.classes() == CLASSES && model.features() == FEATURES && model.trees() == 12);
    EXPECT(model.info().trees_per_iteration == 1);
    EXPECT(model.feature_name(2) == "f2");
    EXPECT(model.describe().front() == '{' && model.describe().back() == '}');
    EXPECT(model.fingerprint().size() == 32);
    EXPECT(!model.dump(1).empty() && model.dump(1).size() < model.dump().size());
    EXPECT(model.importance().size() == FEATURES);
    EXPECT(model.importance(AOSO_IMPORTANCE_SPLIT)[0] == std::floor(model.importance(AOSO_IMPORTANCE_SPLIT)[0]));
    EXPECT(status_of([&] { model.importance(9); }) == AOSO_INVALID_ARGUMENT);

    const std::vector<unsigned char> bytes = model.encode();
    EXPECT(aoso::model::decode(bytes).fingerprint() == model.fingerprint());
    EXPECT(aoso::model::decode(std::string(bytes.begin(), bytes.end())).trees() == 12);
    EXPECT(status_of([&] { aoso::model::decode(bytes.data(), bytes.size() / 2); }) == AOSO_BAD_FORMAT);
    EXPECT(status_of([] { aoso::model::decode(std::string("not a model")); }) == AOSO_BAD_FORMAT);
    model.save("test_hpp.model");
    EXPECT(aoso::model::load("test_hpp.model").fingerprint() == model.fingerprint());
    std::remove("test_hpp.model");
    EXPECT(status_of([] { aoso::model::load("test_hpp.model"); }) == AOSO_IO);
    EXPECT(status_of([&] { model.save("no/such/folder/model"); }) == AOSO_IO);

    aoso::model moved(std::move(model));
    EXPECT(model.get() == nullptr && moved.trees() == 12);
    EXPECT(status_of([&] { model.trees(); }) == AOSO_INVALID_HANDLE);
    EXPECT(status_of([&] { model.predict(data.x()); }) == AOSO_INVALID_HANDLE);
    EXPECT(status_of([&] { model.encode(); }) == AOSO_INVALID_HANDLE);
    EXPECT(status_of([&] { aoso::predictor p(model); }) == AOSO_INVALID_HANDLE);
}

static void exports() {
    const aoso::model model = aoso::train(data.dataset(), few_trees);
    EXPECT(aoso::export_formats().find("{\"name\":\"json\",") != std::string::npos);
    const std::string json = model.exported("json");
    EXPECT(json.find(model.tree(0)) < json.find(model.tree(11)) && json.find(model.tree(11)) != std::string::npos);
    EXPECT(model.exported("dot", 3).find("digraph tree3 {") == 0);
    EXPECT(!model.exported("onnx").empty() && !model.exported("lightgbm").empty());
    std::string forced;
    aoso_export_options options{};
    options.force = 1;
    model.export_with("json", options, [&](const char *bytes, std::size_t size) { forced.append(bytes, size); });
    EXPECT(forced == json);
    EXPECT(status_of([&] { model.export_with("json", options); }) == AOSO_INVALID_ARGUMENT);
    options.path = "test_hpp.json";
    model.export_with("json", options);
    std::FILE *file = std::fopen("test_hpp.json", "rb");
    std::string text(json.size() + 1, 0);
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    EXPECT(text == json);
    std::remove("test_hpp.json");
    EXPECT(status_of([&] { model.tree(12); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { model.exported("pdf"); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { model.export_file("json", "no/such/folder/file"); }) == AOSO_IO);
    bool thrown = false;
    try {
        model.write("json", [](const char *, std::size_t) { throw my_exception(); });
    } catch (const my_exception &) {
        thrown = true;
    }
    EXPECT(thrown);

    const auto pairs = model.pair_importances();
    EXPECT(!pairs.empty() && pairs.front().gain >= pairs.back().gain && pairs[0].classes[0] < pairs[0].classes[1]);
    EXPECT(model.importance(AOSO_IMPORTANCE_COVER)[0] >= 0);
}

static void derived() {
    const aoso::model model = aoso::train(data.dataset(), few_trees);
    const std::vector<double> raw = model.predict_raw(others.x());
    aoso::predict_options five;
    five.trees = 5;
    EXPECT(model.truncated(5).predict_raw(others.x()) == model.predict_raw(others.x(), five));
    EXPECT(status_of([&] { model.truncated(13); }) == AOSO_INVALID_ARGUMENT);

    const aoso::model both = aoso::model::merge({&model, &model});
    EXPECT(both.trees() == 24 && std::abs(both.predict_raw(others.x())[0] - 2 * raw[0]) < 1e-9);
    EXPECT(status_of([&] { aoso::model::merge({&model, nullptr}); }) == AOSO_INVALID_HANDLE);
    EXPECT(status_of([&] { aoso::model::merge({}); }) == AOSO_INVALID_ARGUMENT);

    aoso::refit_options o;
    o.keep = 1;
    EXPECT(model.refitted(others.x(), others.classes, o).predict_raw(others.x()) == raw);
    const std::vector<double> weights(rows, 0.5);
    o.keep = 0;
    o.weights = weights;
    o.nthread = 2;
    EXPECT(model.refitted(others.x(), others.classes, o).predict_raw(others.x()) != raw);
    o.keep = 2;
    EXPECT(status_of([&] { model.refitted(others.x(), others.classes, o); }) == AOSO_INVALID_ARGUMENT);

    aoso::calibration how;
    const aoso::model calibrated = both.calibrated(others.x(), others.classes, {}, {}, &how);
    EXPECT(calibrated.temperature() == how.temperature && both.temperature() == 1 && how.after < how.before);
    EXPECT(std::abs(calibrated.evaluate(others.x(), others.classes).log_loss - how.after) < 1e-12);
    std::vector<double> proba = calibrated.predict_raw(others.x());
    EXPECT(calibrated.evaluate_raw(proba, others.classes).log_loss == calibrated.evaluate(others.x(), others.classes).log_loss);
    calibrated.raw_to_proba(proba);
    EXPECT(proba == calibrated.predict_proba(others.x()));
    EXPECT(both.calibrated(others.x(), others.classes, weights).temperature() == how.temperature);
    const std::vector<int32_t> predicted = model.predict(others.x());
    int64_t errors = 0;
    for (std::size_t i = 0; i < rows; i++) errors += predicted[i] != others.classes[i];
    EXPECT(errors > 0 && model.evaluate(others.x(), others.classes).errors == errors);
    EXPECT(status_of([&] { model.evaluate(others.x(), std::vector<int32_t>{1}); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { model.evaluate_raw(raw, others.classes, std::vector<double>{1}); }) == AOSO_INVALID_ARGUMENT);
    proba.pop_back();
    EXPECT(status_of([&] { model.raw_to_proba(proba); }) == AOSO_INVALID_ARGUMENT);
}

static void probabilities() {
    const aoso::model model = aoso::train(data.dataset(), few_trees);
    aoso::set_options s;
    EXPECT(status_of([&] { model.predict_set(others.x()); }) == AOSO_INVALID_ARGUMENT);
    const aoso::model conformal = model.conformalized(others.x(), others.classes);
    EXPECT(conformal.info().conformal_rows == static_cast<int64_t>(rows) && model.info().conformal_rows == 0);
    for (s.method = AOSO_SET_LAC; s.method <= AOSO_SET_RAPS; s.method++) {
        const std::vector<uint8_t> sets = conformal.predict_set(others.x(), s);
        std::size_t hits = 0;
        for (std::size_t i = 0; i < rows; i++) hits += sets[i * CLASSES + static_cast<std::size_t>(others.classes[i])];
        EXPECT(sets.size() == rows * CLASSES && hits >= rows * 8 / 10);
        std::vector<uint8_t> out(sets.size());
        conformal.predict_set_into(others.x(), out, s);
        EXPECT(out == sets);
    }
    s.alpha = 0;
    EXPECT(status_of([&] { conformal.predict_set(others.x(), s); }) == AOSO_INVALID_ARGUMENT);

    std::vector<double> costs(CLASSES * CLASSES, 1);
    for (std::size_t k = 0; k < CLASSES; k++) costs[k * CLASSES + k] = 0;
    const aoso::decisions d = model.decide(others.x(), costs);
    const std::vector<double> proba = model.predict_proba(others.x());
    EXPECT(d.numbers == model.predict(others.x()) && d.expected.size() == rows);
    EXPECT(std::abs(d.expected[0] + proba[static_cast<std::size_t>(d.numbers[0])] - 1) < 1e-12);
    costs.pop_back();
    EXPECT(status_of([&] { model.decide(others.x(), costs); }) == AOSO_INVALID_ARGUMENT);

    const aoso::reliability_report r = model.reliability(others.x(), others.classes);
    EXPECT(r.num_bins > 1 && r.num_bins <= AOSO_RELIABILITY_BINS && r.brier > 0 && r.brier < 2 && r.ece >= 0);
    EXPECT(model.reliability(others.x(), others.classes, std::vector<double>(rows, 0.5)).ece == r.ece);
}

static void explanations() {
    const aoso::model model = aoso::train(data.dataset(), few_trees);
    const std::vector<double> raw = model.predict_raw(others.x()), shap = model.shap(others.x());
    constexpr std::size_t columns = FEATURES + 1;
    EXPECT(shap.size() == rows * CLASSES * columns);
    double sum = 0;
    for (std::size_t j = 0; j < columns; j++) sum += shap[j];
    EXPECT(std::abs(sum - raw[0]) < 1e-9);
    std::vector<double> out(shap.size());
    model.shap_into(others.x(), out);
    EXPECT(out == shap);
    for (const int64_t top : {0, 2}) {
        const int64_t per = top ? top : int64_t(CLASSES);
        const aoso::contributions c = model.shap_sparse(others.x(), top);
        EXPECT(c.per_row == per && c.classes.size() == rows * static_cast<std::size_t>(per));
        EXPECT(c.indptr.size() == c.classes.size() + 1 && c.indptr.back() == static_cast<int64_t>(c.values.size()));
        EXPECT(c.columns.size() == c.values.size() && c.columns.back() == FEATURES);
        EXPECT(c.values[0] == shap[static_cast<std::size_t>(c.classes[0]) * columns + static_cast<std::size_t>(c.columns[0])]);
    }
    EXPECT(status_of([&] { model.shap_sparse(others.x(), -1); }) == AOSO_INVALID_ARGUMENT);

    std::vector<int64_t> stages;
    std::vector<double> last;
    model.predict_staged(others.x(), 5, [&](int64_t trees, aoso::span<const double> scores) {
        stages.push_back(trees);
        last.assign(scores.begin(), scores.end());
        return aoso::then::go_on;
    });
    EXPECT((stages == std::vector<int64_t>{5, 10, 12}) && last == raw);
    const auto stop = [&](int64_t trees, aoso::span<const double>) {
        stages.push_back(trees);
        return aoso::then::stop;
    };
    model.predict_staged(others.x(), 1, stop);
    EXPECT(stages.size() == 4);
    const auto fail = [](int64_t, aoso::span<const double>) -> aoso::then { throw my_exception(); };
    bool thrown = false;
    try {
        model.predict_staged(others.x(), 1, fail);
    } catch (const my_exception &) {
        thrown = true;
    }
    EXPECT(thrown);
    EXPECT(status_of([&] { model.predict_staged(others.x(), 0, fail); }) == AOSO_INVALID_ARGUMENT);
}

static void prediction() {
    const aoso::model model = aoso::train(data.dataset(), few_trees);
    const std::vector<int32_t> predicted = model.predict(others.x());
    const std::vector<double> proba = model.predict_proba(others.x());
    const std::vector<double> raw = model.predict_raw(others.x());
    const std::vector<int32_t> leaves = model.predict_leaf(others.x());
    EXPECT(predicted.size() == rows && proba.size() == rows * CLASSES);
    EXPECT(raw.size() == rows * CLASSES && leaves.size() == rows * 12);
    std::size_t right = 0;
    for (std::size_t i = 0; i < rows; i++) right += predicted[i] == others.classes[i];
    EXPECT(right > rows * 8 / 10);

    aoso::predict_options first_three;
    first_three.trees = 3;
    first_three.nthread = 1;
    EXPECT(model.predict_leaf(others.x(), first_three).size() == rows * 3);
    EXPECT(model.predict_raw(others.x(), first_three) != raw);
    first_three.trees = -1;
    EXPECT(status_of([&] { model.predict(others.x(), first_three); }) == AOSO_INVALID_ARGUMENT);
    first_three.trees = 13;
    EXPECT(status_of([&] { model.predict_leaf(others.x(), first_three); }) == AOSO_INVALID_ARGUMENT);

    std::vector<int32_t> classes(rows), places(rows * 12);
    std::vector<double> scores(rows * CLASSES);
    model.predict_into(others.x(), classes);
    EXPECT(classes == predicted);
    model.predict_proba_into(others.x(), scores);
    EXPECT(scores == proba);
    model.predict_raw_into(others.x(), scores);
    EXPECT(scores == raw);
    model.predict_leaf_into(others.x(), places);
    EXPECT(places == leaves);
    classes.pop_back();
    EXPECT(status_of([&] { model.predict_into(others.x(), classes); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { model.predict(aoso::row_major(others.values, FEATURES / 2)); }) == AOSO_INVALID_ARGUMENT);
    EXPECT(status_of([&] { model.predict(aoso::dense(others.values.data(), -5, FEATURES, 1, 1)); }) ==
           AOSO_INVALID_ARGUMENT);
    EXPECT(model.predict(aoso::row_major(std::vector<float>(), FEATURES)).empty());

    // The threads share one model, and each has its own predictor.
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++) {
        threads.emplace_back([&] {
            aoso::predictor made(model);
            aoso::predictor predictor(std::move(made));
            EXPECT(status_of([&] { made.predict(std::array<double, FEATURES>()); }) == AOSO_INVALID_HANDLE);
            std::array<double, CLASSES> out{};
            for (std::size_t i = 0; i < rows; i++) {
                const aoso::span<const double> row(&others.values[i * FEATURES], FEATURES);
                const auto begin = static_cast<std::ptrdiff_t>(i * CLASSES);
                const std::vector<double> p(proba.begin() + begin, proba.begin() + begin + CLASSES);
                EXPECT(predictor.predict(row) == predicted[i]);
                predictor.predict_proba(row, out);
                EXPECT(std::vector<double>(out.begin(), out.end()) == p);
                predictor.predict_raw(row, out);
                EXPECT(out[0] == raw[i * CLASSES]);
                predictor.predict_raw_of(row, std::array<int32_t, 2>{3, 0}, aoso::span<double>(out.data(), 2));
                EXPECT(out[0] == raw[i * CLASSES + 3] && out[1] == raw[i * CLASSES]);
            }
            EXPECT(predictor.walked() > 0 && predictor.walked() <= 1);
            EXPECT(status_of([&] {
                predictor.predict_raw_of(std::array<double, FEATURES>(), std::array<int32_t, 1>{0}, out);
            }) == AOSO_INVALID_ARGUMENT);
            EXPECT(status_of([&] { predictor.predict(others.values); }) == AOSO_INVALID_ARGUMENT);
            std::array<double, CLASSES + 1> wrong{};
            EXPECT(status_of([&] { predictor.predict_proba(std::array<double, FEATURES>(), wrong); }) ==
                   AOSO_INVALID_ARGUMENT);
        });
    }
    for (std::thread &t : threads) t.join();
}

#if __cplusplus >= 202002L
static void designated() {
    const aoso::dataset train(data.x(), data.classes, {.max_bin = 32});
    const aoso::model model = aoso::train(train, few_trees, {.eval_every = 5});
    EXPECT(model.predict_leaf(data.x(), {.trees = 2}).size() == rows * 2);
    std::vector<int32_t> out(rows);
    model.predict_into(data.x(), std::span(out), {.nthread = 1});
    EXPECT(out == model.predict(data.x()));
}
#endif

// A rank that is a thread of this process.
class local_rank : public aoso::collective {
public:
    struct meeting {
        std::mutex mutex;
        std::condition_variable changed;
        std::array<std::string, 2> given;
        int arrived = 0, turn = 0;
        bool aborted = false;
    };

    local_rank(meeting &m, int32_t rank) : meeting_(m), rank_(rank) {}
    int32_t rank() const override { return rank_; }
    int32_t size() const override { return 2; }

    std::vector<std::string> all_gather(const std::string &bytes) override {
        meeting_.given[static_cast<std::size_t>(rank_)] = bytes;
        wait();
        std::vector<std::string> all(meeting_.given.begin(), meeting_.given.end());
        wait();
        return all;
    }

    void all_reduce(int32_t op, aoso::span<int64_t> v) override {
        const std::size_t size = v.size() * sizeof(int64_t);
        std::string mine(size, 0);
        std::memcpy(&mine[0], v.data(), size);
        const std::vector<std::string> all = all_gather(mine);
        std::vector<int64_t> other(v.size());
        std::memcpy(other.data(), all[static_cast<std::size_t>(1 - rank_)].data(), size);
        for (std::size_t i = 0; i < v.size(); i++) v[i] = op == AOSO_SUM ? v[i] + other[i] : std::max(v[i], other[i]);
    }

    bool scatters() const override { return true; }

    void reduce_scatter(aoso::span<int64_t> v, aoso::span<const int64_t> counts, aoso::span<int64_t> out) override {
        all_reduce(AOSO_SUM, v);
        std::copy_n(v.data() + (rank_ == 0 ? 0 : counts.data()[0]), out.size(), out.data());
    }

    void abort(const std::string &) override {
        const std::lock_guard<std::mutex> lock(meeting_.mutex);
        meeting_.aborted = true;
        meeting_.changed.notify_all();
    }

private:
    void wait() {
        std::unique_lock<std::mutex> lock(meeting_.mutex);
        const int turn = meeting_.turn;
        if (++meeting_.arrived == 2) {
            meeting_.arrived = 0;
            meeting_.turn++;
            meeting_.changed.notify_all();
        }
        meeting_.changed.wait(lock, [&] { return meeting_.turn != turn || meeting_.aborted; });
        if (meeting_.turn == turn) throw my_exception();
    }

    meeting &meeting_;
    int32_t rank_;
};

static void ranks() {
    const std::string want = aoso::train(data.dataset(), few_trees).fingerprint();
    local_rank::meeting meeting;
    std::array<std::string, 2> got;
    std::array<bool, 2> thrown{};
    auto work = [&](std::size_t r) {
        local_rank rank(meeting, static_cast<int32_t>(r));
        const std::size_t first = r == 0 ? 0 : 200, last = r == 0 ? 200 : rows;
        aoso::dataset_options o;
        o.ranks = &rank;
        const aoso::span<const double> values(data.values.data() + first * FEATURES, (last - first) * FEATURES);
        const std::vector<int32_t> classes(data.classes.begin() + static_cast<std::ptrdiff_t>(first),
                                           data.classes.begin() + static_cast<std::ptrdiff_t>(last));
        const aoso::dataset train(aoso::row_major(values, FEATURES), classes, o);
        got[r] = aoso::train(train, few_trees).fingerprint();
        if (r == 0) rank.abort("");
        try {
            aoso::train(train, few_trees);
        } catch (const my_exception &) {
            thrown[r] = true;
        }
    };
    std::thread other(work, 1);
    work(0);
    other.join();
    EXPECT(got[0] == want && got[1] == want && thrown[0] && thrown[1]);
}

static void tcp_ranks() {
    const std::string want = aoso::train(data.dataset(), few_trees).fingerprint();
    aoso::tcp_options o;
    o.size = 2;
    o.host = "127.0.0.1";
    o.timeout = 20;
    aoso::tcp_collective zero(o);
    o.rank = 1;
    aoso::tcp_collective one(o);
    EXPECT(zero.port() > 0 && one.port() == 0);
    std::array<std::string, 2> got, said;
    auto work = [&](aoso::tcp_collective &rank) {
        const auto r = static_cast<std::size_t>(rank.rank());
        rank.connect("127.0.0.1", zero.port());
        std::array<int64_t, 2> v{1, 2}, counts{1, 1};
        std::array<int64_t, 1> sum{};
        rank.all_reduce(AOSO_SUM, aoso::span<int64_t>(v.data(), 2));
        rank.reduce_scatter(aoso::span<int64_t>(v.data(), 2), aoso::span<const int64_t>(counts.data(), 2), aoso::span<int64_t>(sum.data(), 1));
        EXPECT(sum[0] == (r == 0 ? 4 : 8));
        EXPECT(rank.all_gather(std::string(r, 'x')) == (std::vector<std::string>{"", "x"}));
        aoso::dataset_options with;
        with.ranks = &rank;
        const std::size_t first = r == 0 ? 0 : 200, last = r == 0 ? 200 : rows;
        const aoso::span<const double> values(data.values.data() + first * FEATURES, (last - first) * FEATURES);
        const std::vector<int32_t> classes(data.classes.begin() + static_cast<std::ptrdiff_t>(first),
                                           data.classes.begin() + static_cast<std::ptrdiff_t>(last));
        got[r] = aoso::train(aoso::dataset(aoso::row_major(values, FEATURES), classes, with), few_trees).fingerprint();
        if (r == 0) rank.abort("enough");
        try {
            rank.all_reduce(AOSO_MAX, aoso::span<int64_t>(v.data(), 2));
        } catch (const aoso::error &e) {
            said[r] = e.what();
        }
    };
    std::thread other([&] { work(one); });
    work(zero);
    other.join();
    EXPECT(got[0] == want && got[1] == want);
    EXPECT(said[0].find("enough") != std::string::npos && said[1].find("rank 0 gave up: enough") != std::string::npos);
    o.rank = 1;
    aoso::tcp_collective late(o);
    late.interrupt();
    try {
        late.connect("127.0.0.1", 1);
        EXPECT(false);
    } catch (const aoso::error &e) {
        EXPECT(e.status() == AOSO_COLLECTIVE);
    }
}

int main() {
    try {
        library();
        ranks();
        tcp_ranks();
        parameters();
        spans();
        matrices();
        arrow();
        tables();
        named_classes();
        datasets();
        training();
        tuning();
        models();
        exports();
        derived();
        probabilities();
    explanations();
        prediction();
#if __cplusplus >= 202002L
        designated();
#endif
    } catch (const std::exception &e) {
        std::fprintf(stderr, "unexpected: %s\n", e.what());
        return 1;
    }
    std::puts("aoso.hpp: all passed");
}
