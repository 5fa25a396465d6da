// Trains a model, predicts with it, saves it and loads it again.
#include <algorithm>
#include <aoso.hpp>
#include <cstdio>
#include <vector>

#include "example_data.h"

struct table {
    std::vector<double> values;
    std::vector<int32_t> classes;

    table(uint32_t seed, std::size_t rows) : values(rows * FEATURES), classes(rows) {
        example_data(seed, static_cast<int64_t>(rows), values.data(), classes.data());
    }
    aoso::matrix matrix() const { return aoso::row_major(values, FEATURES); }
};

static void train_and_predict() {
    const table train(1, 2000), test(3, 1000);
    std::printf("aoso %s\n", aoso::version().c_str());

    // Quantize the data.
    const aoso::dataset train_set(train.matrix(), train.classes);

    // Training first holds rows out, to choose its parameters.
    aoso::train_options options;
    options.eval_every = 200;
    options.callback = [](const aoso::progress &p) {
        const char *phase = p.phase == AOSO_PHASE_HOLDOUT ? "without the held-out rows" : "all rows";
        if (p.evaluated)
            std::printf("%s, iteration %d: mean loss %.3f\n", phase, static_cast<int>(p.iteration), p.train_loss);
        return aoso::then::go_on;
    };
    aoso::result result;
    const aoso::model model = aoso::train(train_set, {}, options, &result);
    std::printf("%d trees; %d of %d rows held out were wrong\n", static_cast<int>(result.iterations),
                static_cast<int>(result.held_out.errors), static_cast<int>(result.held_out_rows));

    const std::vector<int32_t> predicted = model.predict(test.matrix());
    int right = 0;
    for (std::size_t i = 0; i < predicted.size(); i++) right += predicted[i] == test.classes[i];
    std::printf("accuracy %.3f\n", right / static_cast<double>(predicted.size()));

    std::printf("probabilities of the first row:");
    const aoso::span<const double> first_row(test.values.data(), FEATURES);
    for (double p : model.predict_proba(aoso::row_major(first_row, FEATURES))) std::printf(" %.3f", p);
    std::printf("\n");

    const std::vector<double> gain = model.importance();
    const auto best = std::max_element(gain.begin(), gain.end()) - gain.begin();
    std::printf("most important feature: %s\n", model.feature_name(best).c_str());

    // The fingerprint shows that the loaded model is the one that was saved.
    model.save("train_predict.model");
    const aoso::model loaded = aoso::model::load("train_predict.model");
    std::printf("fingerprint %s\n", model.fingerprint().c_str());
    std::printf("saved and loaded: %s\n", model.fingerprint() == loaded.fingerprint() ? "the same" : "another model");
}

int main() {
    try {
        train_and_predict();
    } catch (const aoso::error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
