/* The matching as a whole: common texts, the passes one after the other, the list of pairs. */
#include "analyse/compare/match_parts.h"
#include "base/mem.h"
#include "base/translate.h"

enum { MOST_ROUNDS = 32 /* of structure and neighbours: each gives the other new footholds */ };

const char *const mi_cmp_evidence_words[MI_CMP_EVIDENCES + 1] = {
    [MI_CMP_BY_NOTHING] = N_("nothing"),     [MI_CMP_BY_ORIGINS] = N_("recorded ops"),
    [MI_CMP_BY_NAME] = N_("name"),           [MI_CMP_BY_JACCARD] = N_("most recorded ops"),
    [MI_CMP_BY_STRUCTURE] = N_("structure"), [MI_CMP_BY_NEIGHBOURS] = N_("neighbours"),
    [MI_CMP_BY_ORDER] = N_("order"),
};

void mi_matcher_pair(struct mi_matcher *m, uint32_t base, uint32_t new, enum mi_cmp_evidence why,
                     enum mi_confidence confidence)
{
    m->match->other[MI_CMP_BASE][base] = new;
    m->match->other[MI_CMP_NEW][new] = base;
    m->evidence[base] = (uint8_t)why;
    m->confidence[base] = (uint8_t)confidence;
}

void mi_matcher_part(struct mi_matcher *m, uint32_t base)
{
    m->match->other[MI_CMP_NEW][m->match->other[MI_CMP_BASE][base]] = 0;
    m->match->other[MI_CMP_BASE][base] = 0;
    m->evidence[base] = MI_CMP_BY_NOTHING;
}

void mi_matcher_note(struct mi_matcher *m, struct mi_map *signs, uint64_t sign, uint32_t node)
{
    uint32_t *at = m->failed ? NULL : mi_map_at(signs, sign);
    if (at)
        *at = *at ? UINT32_MAX : node;
    m->failed = !at;
}

/* Strings of the new side that the base does not have get numbers behind those of the base. */
static bool find_common(struct mi_match *match)
{
    const struct mi_strings *base = &match->model[MI_CMP_BASE]->all.strings;
    const struct mi_strings *new = &match->model[MI_CMP_NEW]->all.strings;
    match->common = mi_mem_zero((size_t) new->count + 1, sizeof *match->common);
    if (!match->common || (uint64_t)base->count + new->count > UINT32_MAX)
        return false;
    for (uint32_t s = 1; s < new->count; s++) {
        uint32_t found = mi_strings_find(base, mi_strings_get(new, (mi_str_id){s})).v;
        match->common[s] = found ? found : base->count + s;
    }
    return true;
}

/* Structure and neighbours until neither finds more. */
static void spread(struct mi_matcher *m)
{
    bool more = true;
    for (int i = 0; more && !m->failed && i < MOST_ROUNDS; i++) {
        more = mi_match_by_structure(m);
        more = mi_match_by_neighbours(m) || more;
    }
}

static void run_passes(struct mi_matcher *m)
{
    mi_match_by_origins(m);
    mi_match_by_name(m);
    mi_match_by_jaccard(m);
    spread(m);
    mi_match_by_order(m);
    mi_match_untangle(m);
    if (!m->match->refused)
        return;
    /* What a wrong pair had kept from its place may find it now. */
    spread(m);
    mi_match_untangle(m);
}

static bool list_pairs(struct mi_matcher *m)
{
    struct mi_match *match = m->match;
    uint32_t count = 0;
    for (uint32_t n = 1; n < m->half[MI_CMP_BASE].node_count; n++)
        count += match->other[MI_CMP_BASE][n] != 0;
    match->pairs = mi_mem_new((size_t)count + 1, sizeof *match->pairs);
    for (uint32_t n = 1; match->pairs && n < m->half[MI_CMP_BASE].node_count; n++) {
        uint32_t new = match->other[MI_CMP_BASE][n];
        if (!new)
            continue;
        match->pairs[match->pair_count++] =
            (struct mi_cmp_pair){{n, new}, m->evidence[n], m->confidence[n]};
        match->pair_of[MI_CMP_BASE][n] = match->pair_of[MI_CMP_NEW][new] = match->pair_count;
    }
    return match->pairs != NULL;
}

static bool match_all(struct mi_matcher *m)
{
    struct mi_match *match = m->match;
    size_t nodes = match->model[MI_CMP_BASE]->all.rows.nodes.count;
    bool ok = find_common(match);
    for (unsigned side = 0; ok && side < MI_CMP_SIDES; side++) {
        size_t count = match->model[side]->all.rows.nodes.count;
        match->other[side] = mi_mem_zero(count, sizeof *match->other[side]);
        match->pair_of[side] = mi_mem_zero(count, sizeof *match->pair_of[side]);
        ok = match->other[side] && match->pair_of[side] &&
             mi_match_half_init(&m->half[side], match, side);
    }
    m->evidence = mi_mem_zero(nodes, sizeof *m->evidence);
    m->confidence = mi_mem_zero(nodes, sizeof *m->confidence);
    ok = ok && m->evidence && m->confidence;
    if (ok)
        run_passes(m);
    return ok && !m->failed && list_pairs(m);
}

bool mi_match_init(struct mi_match *match, const struct mi_model *base, const struct mi_model *new,
                   struct mi_error *err)
{
    *match = (struct mi_match){.model = {base, new}};
    struct mi_matcher matcher = {.match = match};
    bool ok = match_all(&matcher);
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        mi_match_half_fini(&matcher.half[side]);
    mi_mem_free(matcher.evidence);
    mi_mem_free(matcher.confidence);
    if (!ok)
        mi_match_fini(match);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for matching two graphs");
}

void mi_match_fini(struct mi_match *match)
{
    mi_mem_free(match->pairs);
    mi_mem_free(match->common);
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        mi_mem_free(match->other[side]);
        mi_mem_free(match->pair_of[side]);
    }
    *match = (struct mi_match){0};
}
