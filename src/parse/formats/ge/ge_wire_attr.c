/* ge.proto in binary: attributes and their compression.
 *
 * Values nest: a function holds attributes whose values may be functions. A stack of cursors walks
 * them; the builder refuses to go deeper than MI_GE_MAX_NEST. */
#include "base/mem.h"
#include "parse/formats/ge/ge_wire_read.h"

/* --- dictionaries --- */

bool mi_ge_dict_index(struct mi_bytes key, uint64_t *index)
{
    if (!key.len || key.at[0])
        return false;
    uint64_t weight = 1;
    *index = 0;
    for (size_t i = 1; i < key.len; i++) {
        if (!key.at[i] || key.at[i] > 127 || weight > UINT32_MAX) {
            *index = UINT64_MAX;
            return true;
        }
        *index += (uint64_t)(key.at[i] - 1) * weight;
        weight *= 127;
    }
    if (key.len == 1)
        *index = UINT64_MAX;
    return true;
}

/* A name without a place in the dictionary, as it is shown. */
static mi_str_id unknown_name(struct mi_batch *out, uint64_t index, uint64_t offset)
{
    mi_batch_diag(out, MI_NOTICE, "ge.attr_name_unknown", offset, 0,
                  "a compressed attribute whose name is not in the dictionary of the model");
    if (index == UINT64_MAX)
        return mi_batch_cstr(out, "#?");
    return mi_batch_printf(out, "#%llu", (unsigned long long)index);
}

static uint32_t count_of(struct mi_bytes list, uint32_t field)
{
    struct mi_error err = MI_ERROR_INIT;
    uint32_t count = 0;
    for (struct mi_pb pb = mi_pb_init(list, 0, &err); mi_pb_next(&pb);)
        count += pb.key == MI_PB_KEY(field, MI_PB_LEN);
    return count;
}

/* A name of the dictionary, which may be a key of the base's. */
static mi_str_id dict_name(struct mi_ge_dict *dict, struct mi_batch *out, uint32_t at,
                           struct mi_bytes text)
{
    uint64_t index;
    const struct mi_ge_dict *base = dict->base;
    if (!mi_ge_dict_index(text, &index)) {
        bool is_kernel = mi_bytes_ends(text, MI_LIT("_kernelname"));
        return is_kernel ? mi_batch_cstr(out, "_kernelname") : mi_batch_str(out, text);
    }
    if (!base || index >= base->name_count)
        return unknown_name(out, index, MI_NO_OFFSET);
    if (!dict->text_from[at] && base->text_from[index])
        dict->text_from[at] = 2;
    return base->names[index];
}

void mi_ge_dict_fill(struct mi_ge_dict *dict, struct mi_batch *out, const struct mi_ge_dict *base,
                     const struct mi_bytes lists[3])
{
    struct mi_error err = MI_ERROR_INIT;
    uint32_t names = count_of(lists[0], 2), texts = count_of(lists[1], 2), at = 0;
    *dict = (struct mi_ge_dict){.base = base};
    dict->names = mi_mem_zero((size_t)names + 1, sizeof *dict->names);
    dict->text_from = mi_mem_zero((size_t)names + 1, 1);
    dict->texts = mi_mem_zero((size_t)texts + 1, sizeof *dict->texts);
    if (!dict->names || !dict->text_from || !dict->texts) {
        mi_batch_fail(out, MI_ENOMEM, "out of memory for the dictionary of attributes");
        return;
    }
    for (struct mi_pb pb = mi_pb_init(lists[2], 0, &err); mi_pb_next(&pb);)
        if (pb.key == MI_PB_KEY(5, MI_PB_LEN) || pb.key == MI_PB_KEY(5, MI_PB_VARINT))
            for (struct mi_pb_packed it = mi_pb_packed(&pb, MI_PB_VARINT); mi_pb_packed_next(&it);)
                if (at < names)
                    dict->text_from[at++] = it.value != 0;
    for (struct mi_pb pb = mi_pb_init(lists[0], 0, &err); mi_pb_next(&pb);)
        if (pb.key == MI_PB_KEY(2, MI_PB_LEN) && dict->name_count < names) {
            dict->names[dict->name_count] = dict_name(dict, out, dict->name_count, pb.bytes);
            dict->name_count++;
        }
    for (struct mi_pb pb = mi_pb_init(lists[1], 0, &err); mi_pb_next(&pb);)
        if (pb.key == MI_PB_KEY(2, MI_PB_LEN) && dict->text_count < texts)
            dict->texts[dict->text_count++] = mi_batch_str(out, pb.bytes);
}

void mi_ge_dict_fini(struct mi_ge_dict *dict)
{
    mi_mem_free(dict->names);
    mi_mem_free(dict->text_from);
    mi_mem_free(dict->texts);
    *dict = (struct mi_ge_dict){.names = NULL};
}

/* --- values --- */

enum level_kind { VALUE, LIST, FUNC };

struct level {
    struct mi_pb pb;
    enum level_kind kind;
};

struct walk {
    struct mi_ge_wire *w;
    const struct mi_ge_dict *texts; /* numbers stand for its texts; NULL: they are numbers */
    struct level levels[2 * MI_GE_MAX_NEST + 2];
    uint32_t count;
};

static void add_int(struct walk *walk, uint64_t bits, uint64_t offset)
{
    struct mi_ge *ge = walk->w->ge;
    if (!walk->texts) {
        mi_ge_attr_int(ge, mi_pb_to_i64(bits));
    } else if (bits < walk->texts->text_count) {
        mi_ge_attr_text_id(ge, walk->texts->texts[bits]);
    } else {
        mi_batch_diag(ge->out, MI_NOTICE, "ge.attr_text_unknown", offset, 0,
                      "a compressed attribute whose text is not in the dictionary of the model");
        mi_ge_attr_text_id(ge, mi_batch_printf(ge->out, "#%llu", (unsigned long long)bits));
    }
}

static void add_bytes(struct mi_ge *ge, struct mi_bytes bytes)
{
    if (mi_ge_attr_is_text(ge))
        mi_ge_attr_text(ge, bytes);
    else
        mi_ge_attr_blob(ge, bytes.len);
}

static void add_numbers(struct walk *walk, const struct mi_pb *pb, enum mi_pb_type type,
                        uint32_t kind)
{
    struct mi_ge *ge = walk->w->ge;
    if (mi_pb_type(pb) != type && mi_pb_type(pb) != MI_PB_LEN)
        return;
    for (struct mi_pb_packed it = mi_pb_packed(pb, type); mi_pb_packed_next(&it);) {
        if (kind == MI_ATTR_FLOAT)
            mi_ge_attr_float(ge, (double)mi_pb_to_float(it.value));
        else if (kind == MI_ATTR_BOOL)
            mi_ge_attr_bool(ge, it.value != 0);
        else if (kind == MI_ATTR_TYPE)
            mi_ge_attr_dtype(ge, mi_pb_to_i64(it.value));
        else
            add_int(walk, it.value, mi_pb_offset(pb));
    }
}

/* list_list_int and list_list_float: {1: {1: numbers}}. */
static void add_inner(struct walk *walk, struct mi_pb pb, bool is_float)
{
    mi_ge_attr_list(walk->w->ge, 0);
    while (mi_pb_next(&pb)) {
        if (pb.key != MI_PB_KEY(1, MI_PB_LEN))
            continue;
        mi_ge_attr_inner_begin(walk->w->ge);
        for (struct mi_pb row = mi_pb_sub(&pb); mi_pb_next(&row);)
            if (mi_pb_field(&row) == 1)
                add_numbers(walk, &row, is_float ? MI_PB_FIXED32 : MI_PB_VARINT,
                            is_float ? MI_ATTR_FLOAT : MI_ATTR_INT);
        mi_ge_attr_inner_end(walk->w->ge);
    }
}

static void enter(struct walk *walk, const struct mi_pb *pb, enum level_kind kind)
{
    if (walk->count == sizeof walk->levels / sizeof *walk->levels)
        return;
    if (kind == FUNC && !mi_ge_attr_func_begin(walk->w->ge))
        return;
    walk->levels[walk->count++] = (struct level){.pb = mi_pb_sub(pb), .kind = kind};
}

static void value_field(struct walk *walk, const struct mi_pb *pb)
{
    struct mi_ge *ge = walk->w->ge;
    switch (pb->key) {
    case MI_PB_KEY(1, MI_PB_LEN):
        mi_ge_attr_list(ge, 0);
        enter(walk, pb, LIST);
        break;
    case MI_PB_KEY(2, MI_PB_LEN):
        mi_ge_attr_text(ge, pb->bytes);
        break;
    case MI_PB_KEY(3, MI_PB_VARINT):
        add_int(walk, pb->value, mi_pb_offset(pb));
        break;
    case MI_PB_KEY(4, MI_PB_FIXED32):
        mi_ge_attr_float(ge, (double)mi_pb_to_float(pb->value));
        break;
    case MI_PB_KEY(5, MI_PB_VARINT):
        mi_ge_attr_bool(ge, pb->value != 0);
        break;
    case MI_PB_KEY(7, MI_PB_LEN):
    case MI_PB_KEY(17, MI_PB_LEN):
        add_bytes(ge, pb->bytes);
        break;
    case MI_PB_KEY(10, MI_PB_LEN):
        enter(walk, pb, FUNC);
        break;
    case MI_PB_KEY(11, MI_PB_LEN):
    case MI_PB_KEY(12, MI_PB_LEN):
        mi_ge_wire_tensor(walk->w, mi_pb_sub(pb), mi_pb_field(pb) == 12);
        break;
    case MI_PB_KEY(13, MI_PB_LEN):
        mi_ge_wire_queue(walk->w, pb);
        break;
    case MI_PB_KEY(14, MI_PB_LEN):
    case MI_PB_KEY(16, MI_PB_LEN):
        add_inner(walk, mi_pb_sub(pb), mi_pb_field(pb) == 16);
        break;
    case MI_PB_KEY(15, MI_PB_VARINT):
        mi_ge_attr_dtype(ge, mi_pb_i64(pb));
        break;
    default:
        break;
    }
}

static void list_field(struct walk *walk, const struct mi_pb *pb)
{
    struct mi_ge *ge = walk->w->ge;
    bool is_len = mi_pb_type(pb) == MI_PB_LEN;
    switch (mi_pb_field(pb)) {
    case 2:
        if (is_len)
            mi_ge_attr_text(ge, pb->bytes);
        break;
    case 3:
        add_numbers(walk, pb, MI_PB_VARINT, MI_ATTR_INT);
        break;
    case 4:
        add_numbers(walk, pb, MI_PB_FIXED32, MI_ATTR_FLOAT);
        break;
    case 5:
        add_numbers(walk, pb, MI_PB_VARINT, MI_ATTR_BOOL);
        break;
    case 7:
        if (is_len)
            add_bytes(ge, pb->bytes);
        break;
    case 8:
    case 9:
        if (is_len)
            mi_ge_wire_tensor(walk->w, mi_pb_sub(pb), mi_pb_field(pb) == 9);
        break;
    case 10:
        if (is_len)
            mi_ge_wire_queue(walk->w, pb);
        break;
    case 11:
        if (is_len)
            enter(walk, pb, FUNC);
        break;
    case 12:
        add_numbers(walk, pb, MI_PB_VARINT, MI_ATTR_TYPE);
        break;
    case 20:
        if (mi_pb_type(pb) == MI_PB_VARINT)
            mi_ge_attr_list(ge, walk->texts && pb->value == 2 ? 1 : mi_pb_i64(pb));
        break;
    default:
        break;
    }
}

static void func_field(struct walk *walk, const struct mi_pb *pb)
{
    if (pb->key == MI_PB_KEY(1, MI_PB_LEN))
        mi_ge_attr_func_name(walk->w->ge, pb->bytes);
    if (pb->key != MI_PB_KEY(2, MI_PB_LEN) ||
        walk->count == sizeof walk->levels / sizeof *walk->levels)
        return;
    struct mi_ge_entry entry = mi_ge_wire_entry(mi_pb_sub(pb));
    if (mi_ge_attr_begin(walk->w->ge, entry.key))
        walk->levels[walk->count++] = (struct level){.pb = entry.value, .kind = VALUE};
}

/* The value of the attribute that is open; ends it. */
static void read_value(struct mi_ge_wire *w, struct mi_pb value, const struct mi_ge_dict *texts)
{
    struct walk walk; /* most of its levels are never touched */
    walk.w = w;
    walk.texts = texts;
    walk.count = 1;
    walk.levels[0] = (struct level){.pb = value, .kind = VALUE};
    while (walk.count) {
        struct level *level = &walk.levels[walk.count - 1];
        if (!mi_pb_next(&level->pb)) {
            if (level->kind == VALUE)
                mi_ge_attr_end(w->ge);
            else if (level->kind == FUNC)
                mi_ge_attr_func_end(w->ge);
            walk.count--;
            continue;
        }
        const struct mi_pb pb = level->pb;
        if (level->kind == VALUE)
            value_field(&walk, &pb);
        else if (level->kind == LIST)
            list_field(&walk, &pb);
        else
            func_field(&walk, &pb);
    }
}

void mi_ge_wire_attr(struct mi_ge_wire *w, struct mi_pb pb)
{
    struct mi_ge_entry entry = mi_ge_wire_entry(pb);
    const struct mi_ge_dict *dict = w->dict, *texts = NULL;
    uint64_t index;
    bool is_wanted;
    if (!mi_ge_dict_index(entry.key, &index)) {
        is_wanted = mi_ge_attr_begin(w->ge, entry.key);
    } else if (!dict || index >= dict->name_count) {
        is_wanted = mi_ge_attr_begin_id(w->ge, unknown_name(w->ge->out, index, pb.base));
    } else {
        is_wanted = mi_ge_attr_begin_id(w->ge, dict->names[index]);
        if (dict->text_from[index])
            texts = dict->text_from[index] == 2 ? dict->base : dict;
    }
    if (is_wanted)
        read_value(w, entry.value, texts);
}

void mi_ge_wire_fact(struct mi_ge_wire *w, struct mi_pb pb)
{
    struct mi_ge_entry entry = mi_ge_wire_entry(pb);
    if (mi_ge_attr_begin(w->ge, entry.key))
        read_value(w, entry.value, NULL);
}
