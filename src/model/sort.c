/* A merge sort of row numbers that starts from the runs that are in order already. Rows that stand
 * in the wrong order are mostly near their place, as the lanes of one clock are written together:
 * these are put there first, which leaves few runs. */
#include "model/sort.h"

#include "base/mem.h"

/* Places that a row is moved up at most; so many rows that would go further end the moving up. */
enum { MOST_PLACES = 16, MOST_FAR = 1024 };

struct sorting {
    const struct mi_tables *rows;
    mi_stands_behind *behind;
    uint32_t *order, *other; /* [count] row numbers; place 0 is row 0 */
    uint32_t count;
};

/* The end of the run that starts at place `from`. */
static uint32_t run_end(const struct sorting *s, uint32_t from)
{
    uint32_t end = from + 1;
    while (end < s->count && !s->behind(s->rows, s->order[end - 1], s->order[end]))
        end++;
    return end;
}

/* Moves rows up past those that stand behind them. True: they were in order already. */
static bool move_near(const struct sorting *s)
{
    uint32_t *order = s->order, first_end = run_end(s, 1);
    for (uint32_t at = first_end, far = 0; at < s->count && far < MOST_FAR; at++) {
        uint32_t row = order[at], to = at, least = at > MOST_PLACES ? at - MOST_PLACES : 1;
        for (; to > least && s->behind(s->rows, order[to - 1], row); to--)
            order[to] = order[to - 1];
        order[to] = row;
        far += to == least && least > 1;
    }
    return first_end >= s->count;
}

/* Merges the runs [from, middle) and [middle, end) of `order` into `other`. */
static void merge(const struct sorting *s, uint32_t from, uint32_t middle, uint32_t end)
{
    const uint32_t *order = s->order;
    uint32_t *out = s->other + from, a = from, b = middle;
    while (a < middle && b < end)
        *out++ = s->behind(s->rows, order[a], order[b]) ? order[b++] : order[a++];
    memcpy(out, order + a, (middle - a) * sizeof *out);
    memcpy(out + (middle - a), order + b, (end - b) * sizeof *out);
}

/* Merges neighbouring runs in pairs. True once there is only one. */
static bool merge_all(struct sorting *s)
{
    uint32_t from = 1;
    while (from < s->count) {
        uint32_t middle = run_end(s, from);
        if (from == 1 && middle == s->count)
            return true;
        uint32_t end = middle < s->count ? run_end(s, middle) : middle;
        merge(s, from, middle, end);
        from = end;
    }
    uint32_t *merged = s->other;
    s->other = s->order;
    s->order = merged;
    return false;
}

static bool is_sorted(const struct mi_tables *rows, mi_stands_behind *behind, uint32_t count)
{
    for (uint32_t row = 2; row < count; row++)
        if (behind(rows, row - 1, row))
            return false;
    return true;
}

/* Moves pieces of 4 bytes that stand `step` bytes apart: the new row i takes that of order[i]. */
static void move_words(uint8_t *at, size_t step, const uint32_t *order, uint32_t *spare,
                       uint32_t count)
{
    if (step == sizeof *spare) {
        memcpy(spare, at, count * sizeof *spare);
    } else {
        for (uint32_t row = 1; row < count; row++)
            memcpy(&spare[row], at + row * step, sizeof *spare);
    }
    for (uint32_t row = 1; row < count; row++)
        memcpy(at + row * step, &spare[order[row]], sizeof *spare);
}

static void move_bytes(uint8_t *at, const uint32_t *order, uint32_t *spare, uint32_t count)
{
    const uint8_t *old = (const uint8_t *)spare;
    memcpy(spare, at, count);
    for (uint32_t row = 1; row < count; row++)
        at[row] = old[order[row]];
}

/* Rearranges every column: new row i takes old row order[i]. Cells of 8 bytes are moved in halves,
 * so that `spare` [count] is memory enough. */
static void permute(struct mi_any_table *table, const struct mi_table_info *info,
                    const uint32_t *order, uint32_t *spare)
{
    for (unsigned c = 0; c < info->column_count; c++) {
        const struct mi_column_info *column = &info->columns[c];
        uint8_t *array = mi_column_array(table, column);
        if (mi_mem_is_zero(array, table->count * column->size))
            continue;
        if (column->size == 1)
            move_bytes(array, order, spare, table->count);
        for (size_t half = 0; half + sizeof *spare <= column->size; half += sizeof *spare)
            move_words(array + half, column->size, order, spare, table->count);
    }
}

/* Puts the rows of one key together, in the order of the keys; rows of one key keep theirs. */
static bool group_rows(const struct mi_keys *keys, uint32_t *order, uint32_t count)
{
    uint32_t *next = mi_mem_zero((size_t)keys->count + 1, sizeof *next);
    if (!next)
        return false;
    for (uint32_t row = 1; row < count; row++)
        next[keys->of_row[row] + 1]++;
    for (uint32_t key = 1; key <= keys->count; key++)
        next[key] += next[key - 1];
    for (uint32_t row = 1; row < count; row++)
        order[1 + next[keys->of_row[row]]++] = row;
    mi_mem_free(next);
    return true;
}

bool mi_table_sort(struct mi_tables *rows, enum mi_table_no which, const struct mi_keys *keys,
                   mi_stands_behind *behind, uint32_t **new_row)
{
    struct mi_any_table *table = mi_any_table(rows, which);
    *new_row = NULL;
    if (is_sorted(rows, behind, table->count))
        return true;
    struct sorting s = {.rows = rows, .behind = behind, .count = table->count};
    s.order = mi_mem_new(s.count, sizeof *s.order);
    s.other = mi_mem_new(s.count, sizeof *s.other);
    bool ok = s.order && s.other;
    for (uint32_t row = 0; ok && row < s.count; row++)
        s.order[row] = row;
    ok = ok && (!keys || group_rows(keys, s.order, s.count));
    bool is_done = ok && move_near(&s);
    while (ok && !is_done && !merge_all(&s))
        s.order[0] = 0;
    if (ok)
        permute(table, &mi_table_infos[which], s.order, s.other);
    for (uint32_t row = 0; ok && row < s.count; row++)
        s.other[s.order[row]] = row;
    mi_mem_free(s.order);
    if (ok)
        *new_row = s.other;
    else
        mi_mem_free(s.other);
    return ok;
}

bool mi_rows_sort(const struct mi_tables *rows, uint32_t *order, uint32_t count,
                  mi_stands_behind *behind)
{
    struct sorting s = {.rows = rows, .behind = behind, .order = order, .count = count};
    if (move_near(&s))
        return true;
    s.other = mi_mem_new(count, sizeof *s.other);
    if (!s.other)
        return false;
    while (!merge_all(&s))
        ;
    if (s.order != order) { /* the last merge went into the other list */
        memcpy(order + 1, s.order + 1, (count - 1) * sizeof *order);
        s.other = s.order;
    }
    mi_mem_free(s.other);
    return true;
}
