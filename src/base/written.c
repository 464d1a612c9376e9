#include "base/written.h"

#ifdef __linux__

#include <fcntl.h>
#include <unistd.h>

/* From so many bytes on it is worth asking; so many pages are asked for at once. */
enum { LEAST_BYTES = 1 << 20, MOST_PAGES = 512 };

/* Bits of a page that is in memory, swapped out, or of a file. */
#define IS_THERE ((uint64_t)7 << 61)

/* What the kernel knows of the pages from `first` on, `want` at most: entries[result]. */
static size_t ask(const struct mi_written *walk, uintptr_t first, size_t want, uint64_t *entries)
{
    if (walk->pages < 0)
        return 0;
    size_t count = want < MOST_PAGES ? want : MOST_PAGES;
    ssize_t got =
        pread(walk->pages, entries, count * sizeof *entries, (off_t)(first * sizeof *entries));
    return got > 0 ? (size_t)got / sizeof *entries : 0;
}

struct mi_written mi_written_begin(const void *block, size_t bytes)
{
    const uint8_t *begin = block;
    struct mi_written walk = {.next = begin, .end = begin + bytes, .pages = -1};
    uint64_t entry = 0;
    if (bytes < LEAST_BYTES)
        return walk;
    walk.pages = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    /* Under an emulator the file may tell of other addresses than ours: this page is there. */
    uintptr_t here = (uintptr_t)&entry / (uintptr_t)sysconf(_SC_PAGESIZE);
    if (walk.pages >= 0 && (!ask(&walk, here, 1, &entry) || !(entry & IS_THERE))) {
        mi_written_end(&walk);
        walk.pages = -1;
    }
    return walk;
}

bool mi_written_next(struct mi_written *walk)
{
    uint64_t entries[MOST_PAGES];
    uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (walk->bytes = 0; !walk->bytes && walk->next < walk->end;) {
        uintptr_t first = (uintptr_t)walk->next / page_bytes;
        uintptr_t last = ((uintptr_t)walk->end - 1) / page_bytes;
        size_t known = ask(walk, first, last - first + 1, entries), page = 0, begin = 0;
        while (page < known && !(entries[page] & IS_THERE))
            page++;
        for (begin = page; page < known && entries[page] & IS_THERE;)
            page++;
        const uint8_t *own = walk->next - (uintptr_t)walk->next % page_bytes;
        const uint8_t *end = known ? own + page * page_bytes : walk->end;
        walk->at = begin ? own + begin * page_bytes : walk->next;
        walk->next = end < walk->end ? end : walk->end;
        walk->bytes = walk->at < walk->next ? (size_t)(walk->next - walk->at) : 0;
    }
    return walk->bytes != 0;
}

void mi_written_end(struct mi_written *walk)
{
    if (walk->pages >= 0)
        close(walk->pages);
}

#else

struct mi_written mi_written_begin(const void *block, size_t bytes)
{
    const uint8_t *at = block;
    return (struct mi_written){.next = at, .end = at + bytes, .pages = -1};
}

bool mi_written_next(struct mi_written *walk)
{
    walk->at = walk->next;
    walk->bytes = (size_t)(walk->end - walk->next);
    walk->next = walk->end;
    return walk->bytes != 0;
}

void mi_written_end(struct mi_written *walk)
{
    (void)walk;
}

#endif
