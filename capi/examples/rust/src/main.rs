//! Trains a model, predicts with it, saves it and loads it again, from Rust:
//!
//!     PKG_CONFIG_PATH=/usr/local/lib/pkgconfig cargo run
use std::ffi::{c_char, c_void, CStr};
use std::ptr::{null, null_mut};

const FLOAT64: i32 = 2; // of aoso_dtype in aoso.h
const FEATURES: usize = 6;
const CLASSES: u32 = 5;
const TRAIN: usize = 2000;
const TEST: usize = 1000;

type Pointer = *mut c_void;

extern "C" {
    fn aoso_last_error() -> *const c_char;
    fn aoso_version_string() -> *const c_char;
    fn aoso_new_row_major(data: *const f64, dtype: i32, rows: i64, cols: i64) -> Pointer;
    fn aoso_new_int32_labels(data: *const i32, count: i64) -> Pointer;
    fn aoso_free(allocated: Pointer);
    fn aoso_dataset_create(x: Pointer, y: Pointer, options: *const c_void, dataset: *mut Pointer) -> i32;
    fn aoso_dataset_free(dataset: Pointer) -> i32;
    fn aoso_train(train: Pointer, params: *const c_void, options: *const c_void, model: *mut Pointer, result: Pointer) -> i32;
    fn aoso_model_predict(model: Pointer, x: Pointer, options: *const c_void, out: *mut i32, length: i64) -> i32;
    fn aoso_model_save(model: Pointer, path: *const c_char) -> i32;
    fn aoso_model_load(path: *const c_char, model: *mut Pointer) -> i32;
    fn aoso_model_free(model: Pointer) -> i32;
}

fn text(from: *const c_char) -> String {
    unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned()
}

fn check(status: i32) -> Result<(), String> {
    if status == 0 { Ok(()) } else { Err(text(unsafe { aoso_last_error() })) }
}

/// A model of the library, which is freed with its owner.
struct Model(Pointer);

impl Model {
    fn train(values: &[f64], classes: &[i32]) -> Result<Model, String> {
        assert_eq!(values.len(), classes.len() * FEATURES);
        let rows = classes.len() as i64;
        let (mut dataset, mut model) = (null_mut(), null_mut());
        unsafe {
            let x = aoso_new_row_major(values.as_ptr(), FLOAT64, rows, FEATURES as i64);
            let y = aoso_new_int32_labels(classes.as_ptr(), rows);
            let created = check(aoso_dataset_create(x, y, null(), &mut dataset));
            aoso_free(x);
            aoso_free(y);
            created?;
            let trained = check(aoso_train(dataset, null(), null(), &mut model, null_mut()));
            check(aoso_dataset_free(dataset))?;
            trained?;
        }
        Ok(Model(model))
    }

    fn load(path: &CStr) -> Result<Model, String> {
        let mut model = null_mut();
        check(unsafe { aoso_model_load(path.as_ptr(), &mut model) })?;
        Ok(Model(model))
    }

    fn save(&self, path: &CStr) -> Result<(), String> {
        check(unsafe { aoso_model_save(self.0, path.as_ptr()) })
    }

    fn predict(&self, values: &[f64]) -> Result<Vec<i32>, String> {
        let mut classes = vec![0; values.len() / FEATURES];
        let rows = classes.len() as i64;
        unsafe {
            let x = aoso_new_row_major(values.as_ptr(), FLOAT64, rows, FEATURES as i64);
            let status = aoso_model_predict(self.0, x, null(), classes.as_mut_ptr(), rows);
            aoso_free(x);
            check(status)?;
        }
        Ok(classes)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        unsafe { aoso_model_free(self.0) };
    }
}

/// Clouds of points, one for each class; one value in a hundred is missing.
fn example_data(seed: u32, rows: usize) -> (Vec<f64>, Vec<i32>) {
    let mut state = seed;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state >> 8
    };
    let (mut values, mut classes) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let class = random() % CLASSES;
        classes.push(class as i32);
        for j in 0..FEATURES as u32 {
            let mut value = (class * (j + 2) * 5 + j) % 19;
            for _ in 0..3 {
                value += random() % 7;
            }
            values.push(if random() % 100 == 0 { f64::NAN } else { f64::from(value) });
        }
    }
    (values, classes)
}

fn main() -> Result<(), String> {
    println!("aoso {}", text(unsafe { aoso_version_string() }));
    let (values, classes) = example_data(1, TRAIN);
    let model = Model::train(&values, &classes)?;

    let (values, classes) = example_data(3, TEST);
    let predicted = model.predict(&values)?;
    let right = predicted.iter().zip(&classes).filter(|(a, b)| a == b).count();
    println!("accuracy {:.3}", right as f64 / TEST as f64);

    model.save(c"train_predict.model")?;
    let same = Model::load(c"train_predict.model")?.predict(&values)? == predicted;
    println!("saved and loaded: {}", if same { "the same" } else { "different" });
    Ok(())
}
