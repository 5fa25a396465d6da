/* The native methods of io.github.libaoso.Library, over libaoso_predict. The Java side checks all
 * arguments. Arrays are copied, because pinned ones could hold up the garbage collector. */
#include <jni.h>
#include <stdlib.h>
#include <string.h>

#include "aoso_predict.h"

#define METHOD(type, name) JNIEXPORT type JNICALL Java_io_github_libaoso_Library_##name

/* Throws the last error as ASCII, which the encoding of JNI contains. */
static void throw_last_error(JNIEnv *env, aosop_status status) {
    char text[512];
    size_t n = 0;
    for (const char *c = aosop_last_error(); *c && n < sizeof text - 1; c++) text[n++] = (*c & 0x80) ? '?' : *c;
    text[n] = 0;
    const char *name = status == AOSOP_BAD_FORMAT      ? "io/github/libaoso/ModelFormatException"
                       : status == AOSOP_OUT_OF_MEMORY ? "java/lang/OutOfMemoryError"
                                                       : "java/lang/IllegalArgumentException";
    const jclass class = (*env)->FindClass(env, name);
    if (class) (*env)->ThrowNew(env, class, text);
}

static void throw_no_memory(JNIEnv *env) {
    const jclass class = (*env)->FindClass(env, "java/lang/OutOfMemoryError");
    if (class) (*env)->ThrowNew(env, class, "there is no memory for a block of rows");
}

static const aosop_model *model_at(jlong address) { return (const aosop_model *)(intptr_t)address; }

/* --------------------------------------------------------------- models -- */

METHOD(jlong, decode)(JNIEnv *env, jclass class, jbyteArray file) {
    (void)class;
    aosop_model *model = NULL;
    const jsize size = (*env)->GetArrayLength(env, file);
    jbyte *bytes = (*env)->GetByteArrayElements(env, file, NULL);
    if (!bytes) return 0;
    const aosop_status status = aosop_decode(bytes, (size_t)size, &model);
    (*env)->ReleaseByteArrayElements(env, file, bytes, JNI_ABORT);
    if (status) throw_last_error(env, status);
    return (jlong)(intptr_t)model;
}

METHOD(void, free)(JNIEnv *env, jclass class, jlong model) {
    (void)env, (void)class;
    aosop_free((aosop_model *)(intptr_t)model);
}

METHOD(jlong, classes)(JNIEnv *env, jclass class, jlong model) {
    (void)env, (void)class;
    return aosop_num_classes(model_at(model));
}

METHOD(jlong, features)(JNIEnv *env, jclass class, jlong model) {
    (void)env, (void)class;
    return aosop_num_features(model_at(model));
}

METHOD(jlong, trees)(JNIEnv *env, jclass class, jlong model) {
    (void)env, (void)class;
    return aosop_num_trees(model_at(model));
}

METHOD(jlong, memory)(JNIEnv *env, jclass class, jlong model) {
    (void)env, (void)class;
    return (jlong)aosop_memory(model_at(model));
}

METHOD(jlong, categories)(JNIEnv *env, jclass class, jlong model, jlong feature) {
    (void)env, (void)class;
    return aosop_num_categories(model_at(model), feature);
}

/* A name as bytes of UTF-8, which JNI's own strings are not. */
static jbyteArray bytes_of(JNIEnv *env, const char *name) {
    if (!name) return NULL;
    const jsize size = (jsize)strlen(name);
    const jbyteArray bytes = (*env)->NewByteArray(env, size);
    if (bytes) (*env)->SetByteArrayRegion(env, bytes, 0, size, (const jbyte *)name);
    return bytes;
}

METHOD(jbyteArray, className)(JNIEnv *env, jclass class, jlong model, jlong k) {
    (void)class;
    return bytes_of(env, aosop_class_name(model_at(model), k));
}

METHOD(jbyteArray, featureName)(JNIEnv *env, jclass class, jlong model, jlong feature) {
    (void)class;
    return bytes_of(env, aosop_feature_name(model_at(model), feature));
}

METHOD(jbyteArray, categoryName)(JNIEnv *env, jclass class, jlong model, jlong feature, jlong i) {
    (void)class;
    return bytes_of(env, aosop_category_name(model_at(model), feature, i));
}

/* ----------------------------------------------------------- prediction -- */

/* The values and the results of rows that are predicted at a time. */
enum { FEW = 2048, CHUNK_BYTES = 8 << 20, LEAST_ROWS = 64 };

typedef struct chunk {
    double few[FEW], *x, *out; /* few: of a row that has few features and classes */
    jint rows;
} chunk;

static int chunk_create(JNIEnv *env, chunk *c, jint rows, int64_t features, int64_t width) {
    const int64_t numbers = features + width, most = CHUNK_BYTES / 8 / numbers;
    c->rows = rows > most && rows > LEAST_ROWS ? (jint)(most > LEAST_ROWS ? most : LEAST_ROWS) : rows;
    c->x = c->rows * numbers <= FEW ? c->few : malloc((size_t)c->rows * (size_t)numbers * sizeof *c->x);
    if (!c->x) throw_no_memory(env);
    else c->out = c->x + c->rows * features;
    return c->x != NULL;
}

static void chunk_free(chunk *c) {
    if (c->x != c->few) free(c->x);
}

METHOD(void, predict)(JNIEnv *env, jclass class, jlong address, jdoubleArray rows, jint count, jintArray out) {
    (void)class;
    const aosop_model *model = model_at(address);
    const int64_t features = aosop_num_features(model);
    chunk c;
    aosop_status status = AOSOP_OK;
    if (!chunk_create(env, &c, count, features, 1)) return;
    for (jint first = 0; first < count && !status; first += c.rows) {
        const jint n = count - first < c.rows ? count - first : c.rows;
        (*env)->GetDoubleArrayRegion(env, rows, first * (jsize)features, n * (jsize)features, c.x);
        const aosop_rows x = aosop_row_major(c.x, AOSOP_FLOAT64, n, features);
        status = aosop_predict(model, &x, 0, (int32_t *)c.out, n);
        if (!status) (*env)->SetIntArrayRegion(env, out, first, n, (const jint *)c.out);
    }
    chunk_free(&c);
    if (status) throw_last_error(env, status);
}

METHOD(void, scores)(JNIEnv *env, jclass class, jlong address, jdoubleArray rows, jint count, jdoubleArray out, jboolean raw) {
    (void)class;
    const aosop_model *model = model_at(address);
    const int64_t features = aosop_num_features(model), classes = aosop_num_classes(model);
    chunk c;
    aosop_status status = AOSOP_OK;
    if (!chunk_create(env, &c, count, features, classes)) return;
    for (jint first = 0; first < count && !status; first += c.rows) {
        const jint n = count - first < c.rows ? count - first : c.rows;
        (*env)->GetDoubleArrayRegion(env, rows, first * (jsize)features, n * (jsize)features, c.x);
        const aosop_rows x = aosop_row_major(c.x, AOSOP_FLOAT64, n, features);
        status = (raw ? aosop_predict_raw : aosop_predict_proba)(model, &x, 0, c.out, n * classes);
        if (!status) (*env)->SetDoubleArrayRegion(env, out, first * (jsize)classes, n * (jsize)classes, c.out);
    }
    chunk_free(&c);
    if (status) throw_last_error(env, status);
}
