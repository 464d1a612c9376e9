/* Runs a fuzz target once over each file named on the command line, or lying directly in a folder
 * named there: kept inputs stay tested where there is no libFuzzer. Folders that do not exist count
 * as empty. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long files;

/* False if `path` is not a regular file that can be read. */
static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    uint8_t *data = NULL;
    size_t size = 0, room = 0, got;
    do {
        if (room - size < 65536) {
            room = 2 * room + 65536;
            uint8_t *more = realloc(data, room);
            if (!more)
                abort();
            data = more;
        }
        got = fread(data + size, 1, room - size, file);
        size += got;
    } while (got > 0);
    int failed = ferror(file);
    fclose(file);
    if (!failed) {
        /* A copy of the exact size, so that sanitizers see a step beyond it. */
        uint8_t *exact = malloc(size ? size : 1);
        if (!exact)
            abort();
        memcpy(exact, data, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
        files++;
    }
    free(data);
    return !failed;
}

static int run_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return errno == ENOENT;
    const struct dirent *entry;
    int ok = 1;
    while ((entry = readdir(folder))) {
        char name[4096];
        int len = snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_type != DT_REG || len < 0 || (size_t)len >= sizeof name)
            continue;
        printf("%s\n", name);
        fflush(stdout);
        ok &= run_file(name);
    }
    closedir(folder);
    return ok;
}

int main(int argc, char **argv)
{
    int ok = 1;
    for (int i = 1; i < argc; i++)
        ok &= run_file(argv[i]) || run_folder(argv[i]);
    printf("%lu inputs\n", files);
    return ok ? 0 : 1;
}
