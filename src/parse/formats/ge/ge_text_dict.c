/* The dictionaries of compressed attributes in a text dump (stage AfterAttrsCompress): lists of the
 * model, or of its first graph, which stand behind the ops that need them. They are looked for when
 * the first compressed name turns up, so other dumps are read in one pass. */
#include "base/mem.h"
#include "parse/formats/ge/ge_text_walk.h"

enum { NAMES, TEXTS, FLAGS, LISTS };

static const char *const list_names[LISTS] = {"attr_name_enum", "attr_value_enum",
                                              "attrs_use_string_value"};

static struct mi_bytes decoded(struct mi_ge_text *g, const struct mi_pbt *t)
{
    return t->kind == MI_PBT_STRING ? mi_ge_text_string(g, t) : (struct mi_bytes){NULL, 0};
}

static bool room_for(struct mi_ge_text *g, void *list, uint32_t *room, uint32_t count, size_t size)
{
    return mi_ge_room(&g->ge, list, room, count, size);
}

static mi_str_id name_id(struct mi_ge_text *g, struct mi_bytes name)
{
    bool is_kernel = mi_bytes_ends(name, MI_LIT("_kernelname"));
    return is_kernel ? mi_batch_cstr(g->ge.out, "_kernelname") : mi_batch_str(g->ge.out, name);
}

/* One element of one of the lists. */
static void add_element(struct mi_ge_text *g, int list, const struct mi_pbt *t)
{
    struct mi_ge_text_dict *dict = &g->dict;
    bool flag;
    if (list == NAMES && mi_pbt_named(t, "s") &&
        room_for(g, &dict->names, &dict->name_room, dict->name_count, sizeof *dict->names))
        dict->names[dict->name_count++] = name_id(g, decoded(g, t));
    else if (list == TEXTS && mi_pbt_named(t, "s") &&
             room_for(g, &dict->texts, &dict->text_room, dict->text_count, sizeof *dict->texts))
        dict->texts[dict->text_count++] = mi_batch_str(g->ge.out, decoded(g, t));
    else if (list == FLAGS && mi_pbt_named(t, "b") && mi_pbt_bool(t, &flag) &&
             room_for(g, &dict->is_text, &dict->flag_room, dict->flag_count, sizeof *dict->is_text))
        dict->is_text[dict->flag_count++] = flag;
}

static int list_of(struct mi_bytes key)
{
    for (int i = 0; i < LISTS; i++)
        if (mi_bytes_equal(key, mi_cstr(list_names[i])))
            return i;
    return -1;
}

/* A map entry: `key: "attr_name_enum" value { list { s: "..." ... } }`. */
static void read_entry(struct mi_ge_text *g, struct mi_pbt *t)
{
    int list = -1;
    if (!mi_pbt_enter(t))
        return;
    while (mi_pbt_next(t)) {
        if (mi_pbt_named(t, "key"))
            list = list_of(decoded(g, t));
        if (list < 0 || !mi_pbt_named(t, "value") || !mi_pbt_enter(t))
            continue;
        while (mi_pbt_next(t))
            if (mi_pbt_named(t, "list") && mi_pbt_enter(t))
                while (mi_pbt_next(t))
                    add_element(g, list, t);
    }
}

static void look_for_lists(struct mi_ge_text *g)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pbt t;
    mi_pbt_init(&t, g->src->bytes, &err);
    while (mi_pbt_next(&t)) {
        if (mi_pbt_named(&t, "attr") && t.kind == MI_PBT_MESSAGE)
            read_entry(g, &t);
        if (!mi_pbt_named(&t, "graph") || t.kind != MI_PBT_MESSAGE || !mi_pbt_enter(&t))
            continue;
        while (mi_pbt_next(&t))
            if (mi_pbt_named(&t, "attr") && t.kind == MI_PBT_MESSAGE && !g->dict.name_count)
                read_entry(g, &t);
    }
}

mi_str_id mi_ge_text_dict_name(struct mi_ge_text *g, uint64_t index, bool *is_text)
{
    struct mi_ge_text_dict *dict = &g->dict;
    if (!dict->is_read)
        look_for_lists(g);
    dict->is_read = true;
    *is_text = index < dict->flag_count && dict->is_text[index];
    if (index < dict->name_count)
        return dict->names[index];
    mi_batch_diag(g->ge.out, MI_NOTICE, "ge.attr_name_unknown", g->ge.offset, 0,
                  "a compressed attribute whose name is not in the dictionary of the model");
    return index == UINT64_MAX ? mi_batch_cstr(g->ge.out, "#?")
                               : mi_batch_printf(g->ge.out, "#%llu", (unsigned long long)index);
}

mi_str_id mi_ge_text_dict_text(struct mi_ge_text *g, int64_t index)
{
    if (index >= 0 && index < g->dict.text_count)
        return g->dict.texts[index];
    mi_batch_diag(g->ge.out, MI_NOTICE, "ge.attr_text_unknown", g->ge.offset, 0,
                  "a compressed attribute whose text is not in the dictionary of the model");
    return mi_batch_printf(g->ge.out, "#%lld", (long long)index);
}

void mi_ge_text_dict_fini(struct mi_ge_text_dict *dict)
{
    mi_mem_free(dict->names);
    mi_mem_free(dict->texts);
    mi_mem_free(dict->is_text);
    *dict = (struct mi_ge_text_dict){.is_read = false};
}
