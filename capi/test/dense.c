// The memory that libaoso_predict takes to load a model and to predict with it is bounded by the size of the file, whatever
// the file has. Arguments: the folder of capi/test/dense. Each file is read by a process of its own.
#define _DEFAULT_SOURCE
#include "check.h"

#include <aoso_predict.h>
#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// MOST bytes for each byte of the file, and what prediction takes for any model: scores of a block of rows.
enum { MOST = 300, FREE = 48 << 20, PREDICTED = 600 };

// Loads a model, predicts, and returns whether that worked.
static int works(const char *path) {
    aosop_model *m;
    if (aosop_load(path, &m)) return 0;
    const int64_t features = aosop_num_features(m), rows = features > 1000 ? AOSOP_FEW_ROWS + 1 : PREDICTED;
    double *row = calloc((size_t)features, sizeof *row);
    int32_t found[PREDICTED];
    aosop_rows x = aosop_row_major(row, AOSOP_FLOAT64, rows, features);
    x.row_stride = 0; // all rows are the same
    int ok = aosop_predict(m, &x, 0, found, rows) == AOSOP_OK;
    x.rows = 1;
    ok &= aosop_predict(m, &x, 0, found + 1, 1) == AOSOP_OK && found[0] == found[1];
    free(row);
    aosop_free(m);
    return ok;
}

static int64_t peak_of(const char *path, int *status) {
    struct rusage usage;
    const pid_t child = fork();
    if (child == 0) _exit(works(path));
    EXPECT(wait4(child, status, 0, &usage) == child);
    return (int64_t)usage.ru_maxrss * 1024;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    int status, files = 0, refused = 0;
    const int64_t base = peak_of("/nowhere", &status);
    DIR *folder = opendir(argv[1]);
    EXPECT(folder != NULL);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[600];
        struct stat info;
        if (!strstr(entry->d_name, ".aoso")) continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        EXPECT(stat(path, &info) == 0);
        const int64_t peak = peak_of(path, &status) - base, size = (int64_t)info.st_size;
        files++;
        if (strstr(entry->d_name, "refused")) {
            aosop_model *m;
            EXPECT(aosop_load(path, &m) == AOSOP_BAD_FORMAT && strstr(aosop_last_error(), "32 times the size of the file"));
            refused++;
        } else {
            EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 1);
        }
        printf("dense: %-28s %8lld bytes, peak %5lld times as many (%lld MB)\n", entry->d_name, (long long)size, (long long)(peak / size), (long long)(peak >> 20));
        EXPECT(peak <= MOST * size + FREE);
    }
    if (folder) closedir(folder);
    EXPECT(files > refused + 8 && refused >= 4);
    return finish("dense");
}
