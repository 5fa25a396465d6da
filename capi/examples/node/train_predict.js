// Trains a model, predicts with it, saves it and loads it again, from Node. koffi calls libaoso:
//
//     npm install && LD_LIBRARY_PATH=/usr/local/lib node train_predict.js
import koffi from "koffi";

const FLOAT64 = 2; // of aoso_dtype in aoso.h
const FEATURES = 6, CLASSES = 5, TRAIN = 2000, TEST = 1000;

const library = koffi.load("libaoso.so");
const f = (declaration) => library.func(declaration);
const lastError = f("const char *aoso_last_error()");
const version = f("const char *aoso_version_string()");
const newRowMajor = f("void *aoso_new_row_major(const double *data, int32_t dtype, int64_t rows, int64_t cols)");
const newLabels = f("void *aoso_new_int32_labels(const int32_t *data, int64_t count)");
const free = f("void aoso_free(void *allocated)");
const createDataset = f("int32_t aoso_dataset_create(void *x, void *y, void *options, _Out_ void **dataset)");
const freeDataset = f("int32_t aoso_dataset_free(void *dataset)");
const trainModel = f("int32_t aoso_train(void *train, void *params, void *options, _Out_ void **model, void *result)");
const predict = f("int32_t aoso_model_predict(void *model, void *x, void *options, _Out_ int32_t *out, int64_t length)");
const save = f("int32_t aoso_model_save(void *model, const char *path)");
const load = f("int32_t aoso_model_load(const char *path, _Out_ void **model)");
const freeModel = f("int32_t aoso_model_free(void *model)");

function check(status) {
  if (status !== 0) throw new Error(lastError());
}

// exampleData returns clouds of points, one for each class; one value in a hundred is missing.
function exampleData(seed, rows) {
  const values = new Float64Array(rows * FEATURES), classes = new Int32Array(rows);
  let state = seed;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 8;
  };
  for (let i = 0; i < rows; i++) {
    classes[i] = random() % CLASSES;
    for (let j = 0; j < FEATURES; j++) {
      let value = (classes[i] * (j + 2) * 5 + j) % 19;
      for (let roll = 0; roll < 3; roll++) value += random() % 7;
      values[i * FEATURES + j] = random() % 100 === 0 ? NaN : value;
    }
  }
  return { values, classes };
}

function predictions(model, values) {
  const x = newRowMajor(values, FLOAT64, TEST, FEATURES), out = new Int32Array(TEST);
  check(predict(model, x, null, out, TEST));
  free(x);
  return out;
}

console.log(`aoso ${version()}`);
const { values, classes } = exampleData(1, TRAIN);
const x = newRowMajor(values, FLOAT64, TRAIN, FEATURES), y = newLabels(classes, TRAIN);
const dataset = [null], model = [null], loaded = [null];
check(createDataset(x, y, null, dataset));
check(trainModel(dataset[0], null, null, model, null));
free(x);
free(y);
check(freeDataset(dataset[0]));

const test = exampleData(3, TEST);
const predicted = predictions(model[0], test.values);
const right = predicted.filter((class_, i) => class_ === test.classes[i]).length;
console.log(`accuracy ${(right / TEST).toFixed(3)}`);

check(save(model[0], "train_predict.model"));
check(load("train_predict.model", loaded));
const same = predictions(loaded[0], test.values).every((class_, i) => class_ === predicted[i]);
console.log(`saved and loaded: ${same ? "the same" : "different"}`);
check(freeModel(model[0]));
check(freeModel(loaded[0]));
