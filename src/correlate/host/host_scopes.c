/* Scopes: the modules and ops that a span lies in, each path kept once. */
#include "base/mem.h"
#include "base/vec.h"
#include "correlate/host/host_graphs.h"

enum { MAX_NAME = 1024, MAX_DEPTH = 4096 };

static struct mi_bytes module_name(struct mi_bytes name)
{
    struct mi_bytes mark = MI_LIT("nn.Module: ");
    return mi_bytes_starts(name, mark) ? mi_bytes_sub(name, mark.len, name.len)
                                       : (struct mi_bytes){0};
}

static uint32_t open_scope(struct mi_host_graphs *g, uint32_t outer, mi_str_id name)
{
    uint32_t *at = mi_map_at(&g->scope_of_name, mi_pair(outer, name.v));
    if (!at || *at)
        return at ? *at : 0;
    if (!g->scope_count)
        g->scope_count = 1;
    if (!mi_vec_room(&g->scopes, &g->scope_room, g->scope_count, sizeof *g->scopes))
        return 0;
    g->scopes[g->scope_count] = (struct mi_host_scope){outer, name};
    return *at = g->scope_count++;
}

/* The scope that the span opens within `outer`, or outer itself. 0 with *ok false: no memory. */
static uint32_t scope_in(struct mi_host_graphs *g, uint32_t slice, uint32_t outer, bool *ok)
{
    mi_str_id name = g->rows->slices.name[slice];
    enum mi_host_level level = mi_host_slice_level(&g->ops, slice);
    if (level == MI_HOST_PYTHON) {
        struct mi_bytes module = module_name(mi_model_text(g->model, name));
        name = mi_batch_str(&g->model->all, module);
    }
    if (!name.v || (level != MI_HOST_OP && level != MI_HOST_PYTHON))
        return outer;
    uint32_t scope = open_scope(g, outer, name);
    *ok = *ok && scope;
    return scope;
}

bool mi_host_find_scopes(struct mi_host_graphs *g)
{
    const struct mi_slices *slices = &g->rows->slices;
    struct mi_u32s path = {0};
    bool ok = true;
    for (uint32_t s = 0; s < slices->count; s++)
        g->scope_of[s] = s ? UINT32_MAX : 0;
    for (uint32_t s = 1; ok && s < slices->count; s++) {
        uint32_t at = s;
        path.count = 0;
        for (; ok && g->scope_of[at] == UINT32_MAX && path.count < MAX_DEPTH;
             at = slices->parent[at].v)
            ok = mi_u32s_push(&path, at);
        uint32_t outer = g->scope_of[at] == UINT32_MAX ? 0 : g->scope_of[at];
        while (ok && path.count) {
            at = path.at[--path.count];
            outer = g->scope_of[at] = scope_in(g, at, outer, &ok);
        }
    }
    mi_u32s_fini(&path);
    return ok && !mi_batch_failed(&g->model->all);
}

mi_str_id mi_host_scope_path(struct mi_host_graphs *g, uint32_t scope)
{
    char text[MAX_NAME];
    size_t from = sizeof text;
    for (; scope; scope = g->scopes[scope].parent) {
        struct mi_bytes name = mi_model_text(g->model, g->scopes[scope].name);
        size_t slash = from < sizeof text;
        if (name.len + slash > from) /* the innermost part counts */
            break;
        if (slash)
            text[--from] = '/';
        from -= name.len;
        memcpy(text + from, name.at, name.len);
    }
    return mi_batch_str(&g->model->all,
                        (struct mi_bytes){(const uint8_t *)text + from, sizeof text - from});
}

mi_str_id mi_host_unique_name(struct mi_host_graphs *g, mi_str_id name)
{
    uint32_t *count = mi_map_at(&g->names, name.v);
    if (!count) {
        mi_batch_fail(&g->model->all, MI_ENOMEM, "out of memory for names of nodes");
        return name;
    }
    if (++*count == 1)
        return name;
    struct mi_bytes text = mi_model_text(g->model, name);
    size_t len = text.len < MAX_NAME ? text.len : MAX_NAME;
    return mi_batch_printf(&g->model->all, "%.*s#%u", (int)len, (const char *)text.at, *count);
}
