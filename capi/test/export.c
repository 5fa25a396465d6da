// Exports models to a callback and to a file, and single trees.
#include "check.h"

static aoso_model *model;

// The bytes that a callback has received, and the call at which it stops.
typedef struct written {
    char text[1 << 20];
    size_t size;
    int calls, stop_at, predict;
} written;

static int32_t keep_bytes(const void *bytes, size_t size, void *user) {
    written *w = user;
    if (++w->calls == w->stop_at) return -7;
    if (w->predict) { // a callback may use the library, and calls in it may fail
        aoso_matrix x = data();
        int32_t k[ROWS];
        OK(aoso_model_predict(model, &x, NULL, k, ROWS));
        FAILS(AOSO_INVALID_HANDLE, "model is 0x1", aoso_model_free((aoso_model *)1));
    }
    EXPECT(size > 0 && w->size + size < sizeof w->text);
    memcpy(w->text + w->size, bytes, size);
    w->size += size;
    w->text[w->size] = 0;
    return 0;
}

static int equals_file(const written *w, const char *path) {
    static char text[1 << 20];
    FILE *f = fopen(path, "rb");
    if (!f) return 0;
    size_t size = fread(text, 1, sizeof text, f);
    fclose(f);
    return size == w->size && memcmp(text, w->text, size) == 0;
}

static written exported, other;

static const char *export_text(const char *format, int64_t tree) {
    memset(&exported, 0, sizeof exported);
    OK(aoso_model_export(model, format, tree, keep_bytes, &exported));
    return exported.text;
}

static void formats(const char *path) {
    static char list[1 << 12];
    OK(aoso_export_formats(list, sizeof list, NULL));
    const char *const key = "{\"name\":\"";
    int count = 0;
    for (const char *at = list; (at = strstr(at, key)) != NULL; count++) {
        char format[100] = "";
        at += strlen(key);
        strncat(format, at, strcspn(at, "\""));
        FAILS(AOSO_INVALID_ARGUMENT, format, aoso_model_export(model, "pdf", 0, keep_bytes, &exported)); // it names all
        export_text(format, 0);
        OK(aoso_model_export_file(model, format, 0, path));
        EXPECT(exported.size > 100 && equals_file(&exported, path));
        aoso_export_options options = {.struct_size = sizeof options, .path = path};
        remove(path);
        OK(aoso_model_export_with(model, format, &options, NULL, NULL));
        EXPECT(equals_file(&exported, path));
        memset(&other, 0, sizeof other);
        other.predict = 1;
        OK(aoso_model_export(model, format, 0, keep_bytes, &other));
        EXPECT(other.size == exported.size && memcmp(other.text, exported.text, other.size) == 0);
    }
    EXPECT(count >= 5 && *list == '[' && list[strlen(list) - 1] == ']');
    EXPECT(strncmp(export_text("lightgbm", 0), "tree\nversion=", 13) == 0 && strstr(exported.text, "num_class=3\n"));
    EXPECT(strncmp(export_text("dot", 29), "digraph tree29 {", 16) == 0);
    aoso_export_options last = {.struct_size = sizeof last, .force = 1, .tree = 29};
    memset(&other, 0, sizeof other);
    OK(aoso_model_export_with(model, "dot", &last, keep_bytes, &other));
    EXPECT(other.size == exported.size && memcmp(other.text, exported.text, other.size) == 0);
    EXPECT(memchr(export_text("onnx", 0), 0, exported.size)); // the format is binary
    EXPECT(strstr(strstr(list, "\"onnx\""), "\"binary\":true") && strstr(strstr(list, "\"dot\""), "\"one_tree\":true"));
}

// Returns the end of the JSON value that starts at s.
static const char *skip_json(const char *s) {
    const char close = *s == '{' ? '}' : *s == '[' ? ']' : 0;
    if (*s == '"') {
        for (s++; *s && *s != '"'; s++)
            if (*s == '\\') s++;
        return *s ? s + 1 : s;
    }
    if (!close) return s + strspn(s, "-+.eE0123456789truefalsn");
    for (s++; *s && *s != close;) {
        const char *end = *s == ',' || *s == ':' || *s == '\n' ? s + 1 : skip_json(s);
        if (end == s) return s;
        s = end;
    }
    return *s ? s + 1 : s;
}

static void json(void) {
    static char tree[1 << 16];
    size_t needed;
    const char *all = export_text("json", 0);
    EXPECT(strncmp(all, "{\"format\":\"aoso-json\",\"version\":1,\"method\":\"aoso\",", 49) == 0);
    EXPECT(strcmp(skip_json(all), "\n") == 0);
    const char *at = strstr(all, "\"trees\":[\n") + strlen("\"trees\":[\n");
    for (int t = 0; t < 30; t++) {
        OK(aoso_model_tree(model, t, tree, sizeof tree, &needed));
        EXPECT(strlen(tree) + 1 == needed && *skip_json(tree) == 0);
        EXPECT(strncmp(at, tree, needed - 1) == 0);
        at += needed - 1 + strlen(",\n");
    }
    EXPECT(strcmp(at - 2, "\n]}\n") == 0);
    OK(aoso_model_tree(model, 29, NULL, 0, &needed));
    EXPECT(needed == strlen(tree) + 1);
    FAILS(AOSO_BUFFER_TOO_SMALL, "size is 10; allowed: at least", aoso_model_tree(model, 0, tree, 10, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "tree is 30; allowed: at least 0 and below 30", aoso_model_tree(model, 30, tree, sizeof tree, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "tree is -1", aoso_model_tree(model, -1, tree, sizeof tree, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "buffer is null", aoso_model_tree(model, 0, NULL, 10, NULL));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_tree(NULL, 0, tree, sizeof tree, NULL));
}

static void refusals(const char *path) {
    written *w = &other;
    for (int stop_at = 1; stop_at <= 2; stop_at++) {
        memset(w, 0, sizeof *w);
        w->stop_at = stop_at;
        aoso_status status = aoso_model_export(model, "lightgbm", 0, keep_bytes, w);
        if (w->calls < stop_at) EXPECT(status == AOSO_OK); // all bytes came in one call
        else EXPECT(status == AOSO_IO && strstr(aoso_last_error(), "write returned -7") && w->calls == stop_at);
    }
    export_text("dot", 3);
    OK(aoso_model_export_file(model, "dot", 3, path));
    // Arguments are checked before any byte is written and before the file changes.
    memset(w, 0, sizeof *w);
    static const struct {
        const char *format;
        int64_t tree;
        const char *text;
    } bad[] = {{"pdf", 0, "format is \"pdf\"; allowed: "}, {"", 0, "format is \"\""},
               {"JSON", 0, "format is \"JSON\""}, {NULL, 0, "format is null"}, {"\xff", 0, "UTF-8"},
               {"dot", 30, "tree is 30; allowed: at least 0 and below 30"}, {"dot", -1, "tree is -1"},
               {"json", 1, "tree is 1; allowed: 0, because format json shows all trees"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        FAILS(AOSO_INVALID_ARGUMENT, bad[i].text, aoso_model_export(model, bad[i].format, bad[i].tree, keep_bytes, w));
        FAILS(AOSO_INVALID_ARGUMENT, bad[i].text, aoso_model_export_file(model, bad[i].format, bad[i].tree, path));
    }
    FAILS(AOSO_INVALID_ARGUMENT, "write is null", aoso_model_export(model, "json", 0, NULL, w));
    FAILS(AOSO_INVALID_ARGUMENT, "path is null", aoso_model_export_file(model, "json", 0, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "UTF-8", aoso_model_export_file(model, "json", 0, "\xff"));
    FAILS(AOSO_IO, "cannot write", aoso_model_export_file(model, "json", 0, "/no/such/folder/file"));
    FAILS(AOSO_IO, "not a regular file", aoso_model_export_file(model, "json", 0, "/dev/null"));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_export(NULL, "json", 0, keep_bytes, w));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_export_file(NULL, "json", 0, path));
    aoso_export_options options = {.struct_size = sizeof options, .force = 2};
    FAILS(AOSO_INVALID_ARGUMENT, "options.force is 2; allowed: 0 to 1", aoso_model_export_with(model, "json", &options, keep_bytes, w));
    options = (aoso_export_options){.struct_size = sizeof options, .tree = 30};
    FAILS(AOSO_INVALID_ARGUMENT, "tree is 30", aoso_model_export_with(model, "dot", &options, keep_bytes, w));
    options.path = "\xff";
    FAILS(AOSO_INVALID_ARGUMENT, "options.path", aoso_model_export_with(model, "dot", &options, keep_bytes, w));
    FAILS(AOSO_INVALID_ARGUMENT, "write is null", aoso_model_export_with(model, "json", NULL, NULL, w));
    EXPECT(w->calls == 0 && equals_file(&exported, path));

    // A model of one class cannot be exported.
    static int32_t same_class[ROWS];
    aoso_matrix x = data();
    aoso_labels y = aoso_int32_labels(same_class, ROWS);
    aoso_dataset *d;
    OK(aoso_dataset_create(&x, &y, NULL, &d));
    aoso_model *one = train_on(d, "preset=paper n_estimators=1");
    FAILS(AOSO_INVALID_ARGUMENT, "classes is 1; allowed: at least 2", aoso_model_export(one, "onnx", 0, keep_bytes, w));
    FAILS(AOSO_INVALID_ARGUMENT, "aoso: classes is 1", aoso_model_export_file(one, "lightgbm", 0, path));
    EXPECT(equals_file(&exported, path));
    OK(aoso_model_free(one));
    OK(aoso_dataset_free(d));
}

int main(int argc, char **argv) {
    char path[4096];
    snprintf(path, sizeof path, "%s/exported", argc > 1 ? argv[1] : ".");
    make_data();
    aoso_dataset *d = make_dataset();
    model = train_on(d, "preset=paper n_estimators=30 max_leaves=7");
    OK(aoso_dataset_free(d));
    formats(path);
    json();
    refusals(path);
    remove(path);
    OK(aoso_model_free(model));
    return finish("export");
}
