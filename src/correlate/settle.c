/* The one conflict policy over links of all matchers.
 *
 * Links between the same two nodes become one: the strongest; on a tie the later matcher's, which
 * knows more of the surroundings. A matcher that is `whole` states all origins of a compiled node,
 * so a link of another matcher to any other origin contradicts it. Of two that disagree the
 * stronger stays, one level lower, with the other as its conflict; on a tie the whole one. */
#include "base/mem.h"
#include "base/translate.h"
#include "correlate/cuts/cut.h"
#include "correlate/matcher.h"
#include "correlate/verdict.h"

struct settle {
    struct mi_model *model;
    struct mi_lowered *links;
    struct mi_csr by_compiled;
    uint32_t *kept;      /* [nodes.count] kept row of this framework node, if stamped */
    uint32_t *stamp;     /* [nodes.count] compiled node for which `kept` holds */
    uint8_t *is_dropped; /* [links.count] */
    uint8_t *is_backed;  /* [links.count] a whole matcher has this pair too */
    uint8_t *no_origin;  /* [nodes.count] a matcher found that this compiled node has none */
    uint8_t *is_open;    /* [links.count] a whole matcher could only guess this pair */
    uint8_t *is_whole;   /* [links.count] made by a whole matcher */
};

static unsigned role_rank(unsigned role)
{
    static const unsigned char ranks[] = {
        [MI_ROLE_COMPUTED] = 3, [MI_ROLE_ABSORBED] = 2, [MI_ROLE_FOLDED] = 1, [MI_ROLE_SHARED] = 4};
    return role < sizeof ranks ? ranks[role] : 0;
}

/* Row `other` says the same as the kept row, perhaps better. */
static void merge_rows(struct settle *s, uint32_t kept, uint32_t other)
{
    struct mi_lowered *links = s->links;
    bool is_shared = links->role[kept] == MI_ROLE_SHARED || links->role[other] == MI_ROLE_SHARED;
    bool is_same_rule = links->rule[kept].v == links->rule[other].v;
    if (links->confidence[other] == links->confidence[kept]) {
        if (role_rank(links->role[other]) > role_rank(links->role[kept]) || !is_same_rule)
            links->role[kept] = links->role[other];
    } else if (links->confidence[other] > links->confidence[kept]) {
        links->role[kept] = links->role[other];
    }
    if (links->confidence[other] > links->confidence[kept] ||
        (links->confidence[other] == links->confidence[kept] && !is_same_rule)) {
        links->confidence[kept] = links->confidence[other];
        links->rule[kept] = links->rule[other];
        links->evidence[kept] = links->evidence[other];
    }
    if (is_shared)
        links->role[kept] = MI_ROLE_SHARED;
    s->is_backed[kept] |= s->is_whole[other];
    s->is_open[kept] |= s->is_open[other];
    s->is_dropped[other] = 1;
}

void mi_demote_link(struct mi_model *model, uint32_t link, mi_str_id why)
{
    struct mi_lowered *links = &model->all.rows.lowered;
    if (links->confidence[link] > MI_GUESS)
        links->confidence[link]--;
    links->conflict[link] = why;
}

static mi_str_id says(struct settle *s, uint32_t row)
{
    struct mi_model *model = s->model;
    const struct mi_nodes *nodes = &model->all.rows.nodes;
    struct mi_bytes rule = mi_model_text(model, s->links->rule[row]);
    struct mi_bytes name = mi_model_text(model, nodes->name[s->links->framework[row].v]);
    struct mi_bytes op = mi_model_text(model, nodes->op[s->links->framework[row].v]);
    return mi_batch_printf(&model->all, "%.*s: comes from %.*s %.*s", MI_NAME(rule), MI_NAME(op),
                           MI_NAME(name));
}

/* The kept rows of one compiled node: those that a whole matcher backs against the others. */
static void settle_conflict(struct settle *s, const uint32_t *rows, uint32_t count)
{
    struct mi_lowered *links = s->links;
    uint32_t whole = 0, lone = 0; /* the strongest of each kind */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = rows[i];
        if (s->is_dropped[row])
            continue;
        uint32_t *best = s->is_backed[row] ? &whole : &lone;
        if (!*best || links->confidence[row] > links->confidence[*best])
            *best = row;
    }
    if (!lone || (!whole && !s->no_origin[links->compiled[lone].v]))
        return;
    bool whole_wins = whole ? links->confidence[whole] >= links->confidence[lone]
                            : links->confidence[lone] == MI_GUESS;
    mi_str_id why = whole_wins ? (whole ? says(s, lone) : MI_NO_STR)
                    : whole    ? says(s, whole)
                               : mi_batch_cstr(&s->model->all, N_("dataflow: has no origin"));
    for (uint32_t i = 0; i < count; i++) {
        if (s->is_dropped[rows[i]])
            continue;
        if ((s->is_backed[rows[i]] != 0) == whole_wins)
            mi_demote_link(s->model, rows[i], why);
        else
            s->is_dropped[rows[i]] = 1;
    }
}

static void settle_node(struct settle *s, uint32_t compiled)
{
    struct mi_lowered *links = s->links;
    const uint32_t *rows = s->by_compiled.list + s->by_compiled.first[compiled];
    uint32_t count = mi_csr_count(&s->by_compiled, compiled);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t framework = links->framework[rows[i]].v;
        s->is_backed[rows[i]] = s->is_whole[rows[i]];
        s->is_open[rows[i]] = s->is_whole[rows[i]] && links->confidence[rows[i]] == MI_GUESS;
        if (s->stamp[framework] == compiled) {
            merge_rows(s, s->kept[framework], rows[i]);
            continue;
        }
        s->stamp[framework] = compiled;
        s->kept[framework] = rows[i];
    }
    settle_conflict(s, rows, count);
    /* Names alone are no certainty where the dataflow around the node is another one. */
    for (uint32_t i = 0; i < count; i++)
        if (s->is_open[rows[i]] && !s->is_dropped[rows[i]] &&
            links->confidence[rows[i]] == MI_CERTAIN)
            mi_demote_link(s->model, rows[i],
                           mi_batch_cstr(&s->model->all, N_("dataflow: what it reads differs")));
}

static void find_whole(struct settle *s)
{
    for (size_t m = 0; m < mi_matcher_count; m++) {
        mi_str_id rule = mi_strings_find(&s->model->all.strings, mi_cstr(mi_matchers[m]->name));
        for (uint32_t r = 1; mi_matchers[m]->is_whole && rule.v && r < s->links->count; r++)
            s->is_whole[r] |= s->links->rule[r].v == rule.v;
    }
    const struct mi_births *births = &s->model->all.rows.births;
    for (uint32_t b = 1; b < births->count; b++)
        if (births->origin[b] == MI_ORIGIN_INSERTED)
            s->no_origin[births->node[b].v] = 1;
}

/* Moves the rows that stay to the front. */
static void move_up(struct settle *s)
{
    struct mi_lowered *links = s->links;
    uint32_t to = 1;
    for (uint32_t from = 1; from < links->count; from++) {
        if (s->is_dropped[from])
            continue;
#define MI_COL(T, name, type, kind, extra, unit, meaning) links->name[to] = links->name[from];
        MI_LOWERED_COLUMNS(MI_COL, lowered)
#undef MI_COL
        to++;
    }
    links->count = to;
}

bool mi_settle_links(struct mi_model *model, struct mi_error *err)
{
    struct settle s = {.model = model, .links = &model->all.rows.lowered};
    uint32_t nodes = model->all.rows.nodes.count, count = s.links->count;
    if (count <= 1)
        return true;
    s.kept = mi_mem_zero(nodes, sizeof *s.kept);
    s.stamp = mi_mem_zero(nodes, sizeof *s.stamp);
    s.is_dropped = mi_mem_zero(count, 1);
    s.is_backed = mi_mem_zero(count, 1);
    s.is_whole = mi_mem_zero(count, 1);
    s.is_open = mi_mem_zero(count, 1);
    s.no_origin = mi_mem_zero(nodes, 1);
    bool ok = s.kept && s.stamp && s.is_dropped && s.is_backed && s.is_whole && s.is_open &&
              s.no_origin &&
              mi_csr_build(&s.by_compiled, nodes, (const uint32_t *)s.links->compiled, count);
    if (ok) {
        find_whole(&s);
        for (uint32_t n = 1; n < nodes; n++)
            if (mi_csr_count(&s.by_compiled, n))
                settle_node(&s, n);
        move_up(&s);
        ok = !mi_batch_failed(&model->all);
    }
    mi_mem_free(s.kept);
    mi_mem_free(s.stamp);
    mi_mem_free(s.is_dropped);
    mi_mem_free(s.is_backed);
    mi_mem_free(s.is_whole);
    mi_mem_free(s.is_open);
    mi_mem_free(s.no_origin);
    mi_csr_fini(&s.by_compiled);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for links");
}
