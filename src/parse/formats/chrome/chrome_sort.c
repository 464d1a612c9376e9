/* Two sorts that need no memory of their own: a merge sort of row numbers that begins with what is
 * in order already, and a radix sort of the ends of arrows, whose keys are hashes. */
#include "parse/formats/chrome/chrome.h"

/* --- rows --- */

typedef bool stands_behind_fn(const void *context, uint32_t left, uint32_t right);

static uint32_t run_end(const uint32_t *list, uint32_t from, uint32_t count,
                        stands_behind_fn *stands_behind, const void *context)
{
    uint32_t end = from + 1;
    while (end < count && !stands_behind(context, list[end - 1], list[end]))
        end++;
    return end;
}

/* Merges [from, middle) with [middle, end); the first is moved out of the way. */
static void merge(uint32_t *list, uint32_t from, uint32_t middle, uint32_t end, uint32_t *room,
                  stands_behind_fn *stands_behind, const void *context)
{
    uint32_t left = 0, left_count = middle - from, right = middle, out = from;
    memcpy(room, list + from, left_count * sizeof *room);
    while (left < left_count && right < end)
        list[out++] =
            stands_behind(context, room[left], list[right]) ? list[right++] : room[left++];
    memcpy(list + out, room + left, (left_count - left) * sizeof *room);
}

void mi_chrome_sort(uint32_t *list, uint32_t count, uint32_t *room, stands_behind_fn *stands_behind,
                    const void *context)
{
    for (bool is_sorted = count < 2; !is_sorted;) {
        uint32_t from = 0;
        while (from < count) {
            uint32_t middle = run_end(list, from, count, stands_behind, context);
            if (!from && middle == count)
                is_sorted = true;
            if (middle == count)
                break;
            uint32_t end = run_end(list, middle, count, stands_behind, context);
            merge(list, from, middle, end, room, stands_behind, context);
            from = end;
        }
    }
}

/* --- points --- */

enum { BUCKETS = 256, FEW = 32, TOP_SHIFT = 56 };

static bool point_behind(const struct mi_chrome_point *a, const struct mi_chrome_point *b)
{
    if (a->key != b->key)
        return a->key > b->key;
    if (a->ts_ns != b->ts_ns)
        return a->ts_ns > b->ts_ns;
    if (a->category != b->category)
        return a->category > b->category;
    return a->lane > b->lane;
}

static void insert_sort(struct mi_chrome_point *points, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct mi_chrome_point point = points[i];
        uint32_t at = i;
        for (; at && point_behind(&points[at - 1], &point); at--)
            points[at] = points[at - 1];
        points[at] = point;
    }
}

static unsigned digit(const struct mi_chrome_point *point, unsigned shift)
{
    return point->key >> shift & (BUCKETS - 1);
}

/* Swaps each point into the bucket of its digit; ends[] tells where the buckets end. */
static void spread(struct mi_chrome_point *points, uint32_t count, unsigned shift, uint32_t *ends)
{
    uint32_t next[BUCKETS], sizes[BUCKETS] = {0}, sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sizes[digit(&points[i], shift)]++;
    for (unsigned d = 0; d < BUCKETS; d++) {
        next[d] = sum;
        ends[d] = sum += sizes[d];
    }
    for (unsigned d = 0; d < BUCKETS; d++)
        while (next[d] < ends[d]) {
            struct mi_chrome_point point = points[next[d]];
            unsigned to = digit(&point, shift);
            points[next[d]] = points[next[to]];
            points[next[to]++] = point;
        }
}

/* Heap sort: for what shares its first digits, as hostile files may have it. */
static void sift(struct mi_chrome_point *points, uint32_t root, uint32_t count)
{
    struct mi_chrome_point point = points[root];
    for (uint32_t child; (child = root * 2 + 1) < count; root = child) {
        if (child + 1 < count && point_behind(&points[child + 1], &points[child]))
            child++;
        if (!point_behind(&points[child], &point))
            break;
        points[root] = points[child];
    }
    points[root] = point;
}

static void heap_sort(struct mi_chrome_point *points, uint32_t count)
{
    for (uint32_t root = count / 2; root--;)
        sift(points, root, count);
    while (count > 1) {
        struct mi_chrome_point last = points[--count];
        points[count] = points[0];
        points[0] = last;
        sift(points, 0, count);
    }
}

static void sort_bucket(struct mi_chrome_point *points, uint32_t count)
{
    if (count <= FEW)
        insert_sort(points, count);
    else
        heap_sort(points, count);
}

/* Two digits put hashes into buckets that are nearly in order; a third one serves files of more
 * than two million arrows. */
static void sort_third(struct mi_chrome_point *points, uint32_t count)
{
    uint32_t ends[BUCKETS], from = 0;
    if (count <= FEW * 8) {
        sort_bucket(points, count);
        return;
    }
    spread(points, count, TOP_SHIFT - 16, ends);
    for (unsigned d = 0; d < BUCKETS; from = ends[d++])
        sort_bucket(points + from, ends[d] - from);
}

static void sort_second(struct mi_chrome_point *points, uint32_t count)
{
    uint32_t ends[BUCKETS], from = 0;
    if (count <= FEW) {
        insert_sort(points, count);
        return;
    }
    spread(points, count, TOP_SHIFT - 8, ends);
    for (unsigned d = 0; d < BUCKETS; from = ends[d++])
        sort_third(points + from, ends[d] - from);
}

void mi_chrome_sort_points(struct mi_chrome_point *points, uint32_t count)
{
    uint32_t ends[BUCKETS], from = 0;
    spread(points, count, TOP_SHIFT, ends);
    for (unsigned d = 0; d < BUCKETS; from = ends[d++])
        sort_second(points + from, ends[d] - from);
}
