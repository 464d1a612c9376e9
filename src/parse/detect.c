/* The table of readers and the choice among them. */
#include "parse/foreign.h"
#include "parse/reader.h"

const struct mi_reader *const mi_readers[] = {
#define MI_READER(name) &mi_reader_##name,
#include "parse/readers.def"
#undef MI_READER
    NULL};

const size_t mi_reader_count = sizeof mi_readers / sizeof *mi_readers - 1;

const struct mi_reader *mi_reader_find(const char *name)
{
    for (size_t i = 0; i < mi_reader_count; i++)
        if (strcmp(mi_readers[i]->name, name) == 0)
            return mi_readers[i];
    return NULL;
}

const struct mi_reader *mi_reader_detect(const struct mi_probe *probe,
                                         const struct mi_reader *tied[2])
{
    const struct mi_reader *best = NULL;
    int best_score = 0;
    tied[0] = tied[1] = NULL;
    if (mi_is_own_dump(probe->head))
        return NULL;
    for (size_t i = 0; i < mi_reader_count; i++) {
        int score = mi_readers[i]->sniff(probe);
        if (score > best_score) {
            best = mi_readers[i];
            best_score = score;
            tied[0] = tied[1] = NULL;
        } else if (score == best_score && score > 0) {
            tied[0] = best;
            tied[1] = mi_readers[i];
        }
    }
    return tied[0] ? NULL : best;
}
