/* The builder of GE graphs: rows that say the same stand once. Shapes, small values and the notes
 * on descriptors repeat from op to op; equal runs of rows share one stretch of their table. */
#include "parse/formats/ge/ge_state.h"

#define MAX_SHARED 256u /* longer runs hardly repeat */

enum { TAG_ITEMS = 1, TAG_DIMS, TAG_ATTRS };

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Numbers are the same if their bits are: 0.0 and -0.0 are two. */
static uint64_t bits_of(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

/* Where the run of that hash stands, 0 = nowhere yet; NULL: not shared. */
static uint32_t *find_run(struct mi_ge *ge, uint64_t hash, uint32_t count)
{
    return count && count <= MAX_SHARED ? mi_map_at(&ge->s->runs, hash) : NULL;
}

static void note_run(uint32_t *slot, uint32_t first, uint32_t end)
{
    if (slot && first && first < end)
        *slot = first;
}

/* --- items --- */

static bool is_item(const struct mi_items *rows, uint32_t at, const struct mi_item_row *row)
{
    return rows->int_value[at] == row->int_value && rows->text[at].v == row->text.v &&
           bits_of(rows->real_value[at]) == bits_of(row->real_value) && !rows->value[at].v &&
           !rows->graph[at].v;
}

uint32_t mi_ge_share_items(struct mi_ge *ge, const struct ge_item *items, uint32_t count)
{
    const struct mi_items *rows = &ge->out->rows.items;
    uint64_t hash = mix(TAG_ITEMS, count);
    bool is_plain = true;
    for (uint32_t i = 0; i < count && count <= MAX_SHARED; i++) {
        const struct mi_item_row *row = &items[i].row;
        is_plain = is_plain && !row->value.v && !row->graph.v;
        hash = mix(mix(hash, (uint64_t)row->int_value ^ bits_of(row->real_value)), row->text.v);
    }
    uint32_t *slot = is_plain ? find_run(ge, hash, count) : NULL;
    uint32_t same = 0;
    while (slot && *slot && same < count && *slot + same < rows->count &&
           is_item(rows, *slot + same, &items[same].row))
        same++;
    if (slot && *slot && same == count)
        return *slot;
    uint32_t first = mi_next_row(ge->out, items);
    for (uint32_t i = 0; i < count; i++)
        mi_add_item(ge->out, &items[i].row);
    note_run(slot, first, rows->count);
    return first;
}

/* --- dimensions --- */

uint32_t mi_ge_share_dims(struct mi_ge *ge, const struct mi_dim_row *dims, uint32_t count)
{
    const struct mi_dims *rows = &ge->out->rows.dims;
    uint64_t hash = mix(TAG_DIMS, count);
    for (uint32_t i = 0; i < count && count <= MAX_SHARED; i++)
        hash = mix(hash, (uint64_t)dims[i].size);
    uint32_t *slot = find_run(ge, hash, count), same = 0;
    while (slot && *slot && same < count && *slot + same < rows->count &&
           rows->size[*slot + same] == dims[same].size)
        same++;
    if (slot && *slot && same == count)
        return *slot;
    uint32_t first = mi_next_row(ge->out, dims);
    for (uint32_t i = 0; i < count; i++)
        mi_add_dim(ge->out, &dims[i]);
    note_run(slot, first, rows->count);
    return first;
}

/* --- attributes --- */

static bool is_attr(const struct mi_attrs *rows, uint32_t at, const struct mi_attr_row *row)
{
    return rows->name[at].v == row->name.v && rows->kind[at] == row->kind &&
           rows->first_item[at] == row->first_item && rows->item_count[at] == row->item_count;
}

uint32_t mi_ge_share_attrs(struct mi_ge *ge, const struct mi_attr_row *attrs, uint32_t count)
{
    const struct mi_attrs *rows = &ge->out->rows.attrs;
    uint64_t hash = mix(TAG_ATTRS, count);
    for (uint32_t i = 0; i < count && count <= MAX_SHARED; i++)
        hash = mix(mix(hash, (uint64_t)attrs[i].name.v << 32 | attrs[i].first_item),
                   (uint64_t)attrs[i].kind << 32 | attrs[i].item_count);
    uint32_t *slot = find_run(ge, hash, count), same = 0;
    while (slot && *slot && same < count && *slot + same < rows->count &&
           is_attr(rows, *slot + same, &attrs[same]))
        same++;
    if (slot && *slot && same == count)
        return *slot;
    uint32_t first = mi_next_row(ge->out, attrs);
    for (uint32_t i = 0; i < count; i++)
        mi_add_attr(ge->out, &attrs[i]);
    note_run(slot, first, rows->count);
    return first;
}
