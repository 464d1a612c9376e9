#include "base/sqlite_table.h"

enum {
    FILE_HEAD = 100,
    RESERVED_AT = 20, /* in that head: bytes at the end of each page that are not SQLite's */
    LEAF = 13,
    INNER = 5,
    LEAF_HEAD = 8,
    INNER_HEAD = 12,
    MAX_RECORD_BYTES = 64 << 20,
};

static uint32_t load_u16(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t load_u32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* A number of 1 to 9 bytes; its length, 0 where `end` cuts it. */
static unsigned load_varint(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < 9 && at + i < end; i++) {
        if (i == 8) {
            *value = *value << 8 | at[i];
            return 9;
        }
        *value = *value << 7 | (at[i] & 0x7f);
        if (!(at[i] & 0x80))
            return i + 1;
    }
    return 0;
}

/* --- pages --- */

void mi_sqlite_table_open(struct mi_sqlite_table *table, const struct mi_sqlite *sqlite,
                          uint32_t root)
{
    struct mi_bytes first = mi_sqlite_page(sqlite, 1);
    uint32_t reserved = first.len > RESERVED_AT ? first.at[RESERVED_AT] : 0;
    *table = (struct mi_sqlite_table){.sqlite = sqlite,
                                      .usable_bytes = (uint32_t)first.len -
                                                      (reserved < first.len ? reserved : 0),
                                      .pages_left = mi_sqlite_page_count(sqlite),
                                      .most_bytes = MAX_RECORD_BYTES};
    table->levels[0].page = root;
    table->level_count = 1;
}

void mi_sqlite_table_close(struct mi_sqlite_table *table)
{
    mi_scratch_fini(&table->scratch);
    table->level_count = 0;
}

/* All of a page, or none if it is not there or too many were looked at. */
static const uint8_t *page_at(struct mi_sqlite_table *table, uint32_t page)
{
    if (!page || !table->pages_left)
        return NULL;
    table->pages_left--;
    struct mi_bytes bytes = mi_sqlite_page(table->sqlite, page);
    return bytes.len >= table->usable_bytes ? bytes.at : NULL;
}

/* Looks at the head of the innermost page. */
static bool enter(struct mi_sqlite_table *table)
{
    struct mi_sqlite_level *level = &table->levels[table->level_count - 1];
    level->at = page_at(table, level->page);
    level->head = level->page == 1 ? FILE_HEAD : 0;
    if (!level->at || table->usable_bytes < 480)
        return false;
    const uint8_t *head = level->at + level->head;
    level->is_leaf = head[0] == LEAF;
    level->cells = load_u16(head + 3);
    level->next = 0;
    uint32_t start = level->head + (level->is_leaf ? LEAF_HEAD : INNER_HEAD);
    return (head[0] == LEAF || head[0] == INNER) && start + level->cells * 2 <= table->usable_bytes;
}

static enum mi_sqlite_step damage(struct mi_sqlite_table *table, uint32_t page)
{
    table->damaged_page = page;
    return MI_SQLITE_DAMAGE;
}

/* Where a cell of a page lies; NULL: outside of it. */
static const uint8_t *cell_at(const struct mi_sqlite_table *table,
                              const struct mi_sqlite_level *level, uint32_t cell)
{
    uint32_t start = level->head + (level->is_leaf ? LEAF_HEAD : INNER_HEAD);
    uint32_t offset = load_u16(level->at + start + 2 * cell);
    return offset >= start + 2 * level->cells && offset < table->usable_bytes ? level->at + offset
                                                                              : NULL;
}

static const uint8_t *next_cell(const struct mi_sqlite_table *table, struct mi_sqlite_level *level)
{
    return cell_at(table, level, level->next++);
}

/* Goes down to the next child of an inner page. */
static enum mi_sqlite_step descend(struct mi_sqlite_table *table)
{
    struct mi_sqlite_level *level = &table->levels[table->level_count - 1];
    const uint8_t *cell = level->at + level->head + LEAF_HEAD; /* the last child stands there */
    uint32_t page = level->page;
    if (level->next < level->cells)
        cell = next_cell(table, level);
    else
        level->next++;
    if (!cell || cell + 4 > level->at + table->usable_bytes ||
        table->level_count == MI_SQLITE_DEPTH)
        return damage(table, page);
    table->levels[table->level_count] = (struct mi_sqlite_level){.page = load_u32(cell)};
    table->level_count++;
    if (enter(table))
        return MI_SQLITE_ROW;
    table->level_count--;
    return damage(table, load_u32(cell));
}

/* --- rows --- */

/* How much of a record lies in its cell. */
static uint32_t local_bytes(const struct mi_sqlite_table *table, uint64_t size)
{
    uint32_t usable = table->usable_bytes, most = usable - 35;
    uint32_t least = (usable - 12) * 32 / 255 - 23;
    if (size <= most)
        return (uint32_t)size;
    uint32_t fit = least + (uint32_t)((size - least) % (usable - 4));
    return fit <= most ? fit : least;
}

/* Puts a record together that goes on on other pages. */
static bool gather(struct mi_sqlite_table *table, const uint8_t *local, uint32_t local_size,
                   uint64_t size)
{
    uint32_t page = load_u32(local + local_size);
    uint64_t pages = (size - local_size) / (table->usable_bytes - 4) + 1, done = local_size;
    uint8_t *whole = size <= table->most_bytes && pages <= table->pages_left + 1
                         ? mi_scratch_room(&table->scratch, (size_t)size)
                         : NULL;
    if (!whole)
        return false;
    memcpy(whole, local, local_size);
    while (done < size) {
        const uint8_t *at = page_at(table, page);
        uint64_t more =
            size - done < table->usable_bytes - 4 ? size - done : table->usable_bytes - 4;
        if (!at)
            return false;
        memcpy(whole + done, at + 4, (size_t)more);
        done += more;
        page = load_u32(at);
    }
    table->record = (struct mi_bytes){whole, (size_t)size};
    return true;
}

/* The next cell of the innermost page, a leaf. */
static enum mi_sqlite_step take_row(struct mi_sqlite_table *table)
{
    struct mi_sqlite_level *level = &table->levels[table->level_count - 1];
    const uint8_t *at = next_cell(table, level), *end = level->at + table->usable_bytes;
    uint64_t size, rowid;
    unsigned length;
    if (!at || !(length = load_varint(at, end, &size)))
        return damage(table, level->page);
    at += length;
    length = load_varint(at, end, &rowid);
    at += length;
    if (!length || (table->has_row && (int64_t)rowid <= table->rowid))
        return damage(table, level->page);
    uint32_t local = local_bytes(table, size);
    bool is_whole = local == size;
    if ((size_t)(end - at) < local + (is_whole ? 0U : 4U))
        return damage(table, level->page);
    table->record = (struct mi_bytes){at, local};
    if (!is_whole && !gather(table, at, local, size))
        return damage(table, level->page);
    table->has_row = true;
    table->rowid = (int64_t)rowid;
    return MI_SQLITE_ROW;
}

enum mi_sqlite_step mi_sqlite_table_next(struct mi_sqlite_table *table)
{
    if (table->level_count == 1 && !table->levels[0].at && !enter(table)) {
        table->level_count = 0;
        return damage(table, table->levels[0].page);
    }
    while (table->level_count) {
        struct mi_sqlite_level *level = &table->levels[table->level_count - 1];
        if (level->is_leaf && level->next < level->cells)
            return take_row(table);
        if (level->is_leaf || level->next > level->cells)
            table->level_count--;
        else if (descend(table) == MI_SQLITE_DAMAGE)
            return MI_SQLITE_DAMAGE;
    }
    return MI_SQLITE_END;
}

/* --- one row --- */

/* The number in a cell: of the row, or the largest below the child. */
static bool cell_key(const struct mi_sqlite_table *table, const struct mi_sqlite_level *level,
                     uint32_t cell, int64_t *key)
{
    const uint8_t *at = cell_at(table, level, cell), *end = level->at + table->usable_bytes;
    uint64_t value = 0;
    unsigned size_bytes = at && level->is_leaf ? load_varint(at, end, &value) : 4;
    bool is_whole = at && size_bytes && end - at > (ptrdiff_t)size_bytes &&
                    load_varint(at + size_bytes, end, &value);
    *key = (int64_t)value;
    return is_whole;
}

/* Makes the first cell that is not below the number the next one. False: the page is damaged. */
static bool skip_to(const struct mi_sqlite_table *table, struct mi_sqlite_level *level,
                    int64_t rowid)
{
    uint32_t low = 0, high = level->cells;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int64_t key;
        if (!cell_key(table, level, middle, &key))
            return false;
        low = key < rowid ? middle + 1 : low;
        high = key < rowid ? high : middle;
    }
    level->next = low;
    return true;
}

enum mi_sqlite_step mi_sqlite_table_find(struct mi_sqlite_table *table, int64_t rowid)
{
    table->pages_left = mi_sqlite_page_count(table->sqlite);
    table->level_count = 1;
    table->has_row = false;
    if (!enter(table))
        return damage(table, table->levels[0].page);
    for (;;) {
        struct mi_sqlite_level *level = &table->levels[table->level_count - 1];
        if (!skip_to(table, level, rowid))
            return damage(table, level->page);
        if (level->is_leaf && level->next == level->cells)
            return MI_SQLITE_END;
        enum mi_sqlite_step step = level->is_leaf ? take_row(table) : descend(table);
        if (step == MI_SQLITE_DAMAGE || level->is_leaf)
            return step == MI_SQLITE_ROW && table->rowid != rowid ? MI_SQLITE_END : step;
    }
}

/* Down along the last children; the last row has the greatest number. A cell takes 8 bytes and
 * more. */
uint32_t mi_sqlite_table_guess(const struct mi_sqlite *sqlite, uint32_t root)
{
    struct mi_sqlite_table table;
    uint64_t most = (uint64_t)mi_sqlite_page_count(sqlite) * mi_sqlite_page(sqlite, 1).len / 8;
    bool is_there = true;
    mi_sqlite_table_open(&table, sqlite, root);
    is_there = enter(&table);
    while (is_there && !table.levels[table.level_count - 1].is_leaf) {
        table.levels[table.level_count - 1].next = table.levels[table.level_count - 1].cells;
        is_there = descend(&table) == MI_SQLITE_ROW;
    }
    struct mi_sqlite_level *leaf = &table.levels[table.level_count - 1];
    leaf->next = is_there && leaf->cells ? leaf->cells - 1 : 0;
    bool has_row = is_there && leaf->cells && take_row(&table) == MI_SQLITE_ROW;
    mi_sqlite_table_close(&table);
    if (!has_row || table.rowid < 0)
        return 0;
    most = most < (uint64_t)table.rowid ? most : (uint64_t)table.rowid;
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

/* --- values --- */

static int64_t load_int(const uint8_t *at, unsigned bytes)
{
    uint64_t value = at[0] & 0x80 ? UINT64_MAX : 0;
    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return (int64_t)value;
}

static uint64_t size_of_type(uint64_t type)
{
    static const uint8_t sizes[12] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    return type < 12 ? sizes[type] : (type - 12) / 2;
}

static void take_value(struct mi_sqlite_value *value, uint64_t type, const uint8_t *at)
{
    *value = (struct mi_sqlite_value){.kind = MI_SQLITE_INT};
    if (type >= 1 && type <= 6) {
        value->number = load_int(at, (unsigned)size_of_type(type));
    } else if (type == 7) {
        uint64_t bits = (uint64_t)load_int(at, 8);
        memcpy(&value->real, &bits, sizeof bits);
        value->kind = value->real == value->real ? MI_SQLITE_REAL : MI_SQLITE_NULL;
    } else if (type == 8 || type == 9) {
        value->number = (int64_t)type - 8;
    } else if (type >= 12) {
        value->kind = type & 1 ? MI_SQLITE_TEXT : MI_SQLITE_BYTES;
        value->bytes = (struct mi_bytes){at, (size_t)size_of_type(type)};
    } else {
        value->kind = MI_SQLITE_NULL;
    }
}

bool mi_sqlite_values(struct mi_bytes record, struct mi_sqlite_value *values, unsigned count)
{
    const uint8_t *at = record.at, *end = record.at + record.len;
    uint64_t head_bytes, type;
    unsigned length = load_varint(at, end, &head_bytes), done = 0;
    if (!length || head_bytes > record.len || head_bytes < length)
        return false;
    const uint8_t *head_end = record.at + head_bytes, *body = head_end;
    for (at += length; done < count && at < head_end; at += length, done++) {
        type = *at;
        length = type < 0x80 ? 1 : load_varint(at, head_end, &type);
        uint64_t size = size_of_type(type);
        if (!length || size > (uint64_t)(end - body))
            return false;
        take_value(&values[done], type, body);
        body += size;
    }
    for (; done < count; done++)
        values[done] = (struct mi_sqlite_value){.kind = MI_SQLITE_NULL};
    return true;
}
