#include "analyse/gate/rules.h"

#include "base/decimal.h"
#include "base/glob.h"
#include "base/json_scan.h"
#include "base/translate.h"

#include <stdio.h>
#include <string.h>

enum { MOST_RULES = 1000, MOST_NAMES = 1000, PERCENT_TO_PPM = 4, ONE_TO_PPM = 6 };
enum { FALSE_ALARMS_PPM = 500, LEAST_PPM = 1, MOST_PPM = 500000 };

const struct mi_gate_kind_facts mi_gate_kinds[MI_GATE_KINDS] = {
#define MI_GATE_RULE(id, unit, limit, unknown, least_share, severity, question)                    \
    {#id, MI_GATE_##unit, limit, unknown, least_share, severity, question},
#include "analyse/gate/rules.def"
#undef MI_GATE_RULE
};

static struct mi_gate_rule rule_of(unsigned kind)
{
    const struct mi_gate_kind_facts *facts = &mi_gate_kinds[kind];
    return (struct mi_gate_rule){.kind = (enum mi_gate_kind)kind,
                                 .severity = facts->severity,
                                 .limit = facts->limit,
                                 .unknown_limit = facts->unknown_limit,
                                 .least_share = facts->least_share};
}

bool mi_gate_rules_default(struct mi_gate_rules *rules, struct mi_error *err)
{
    *rules = (struct mi_gate_rules){.false_alarms_ppm = FALSE_ALARMS_PPM};
    mi_arena_init(&rules->arena);
    rules->list = mi_arena_alloc(&rules->arena, MI_GATE_KINDS * sizeof *rules->list);
    if (!rules->list)
        return mi_fail(err, MI_ENOMEM, "out of memory");
    for (; rules->count < MI_GATE_KINDS; rules->count++)
        rules->list[rules->count] = rule_of(rules->count);
    return true;
}

void mi_gate_rules_fini(struct mi_gate_rules *rules)
{
    mi_arena_fini(&rules->arena);
    *rules = (struct mi_gate_rules){0};
}

bool mi_gate_rule_names(const struct mi_gate_rule *rule, struct mi_bytes name)
{
    for (uint32_t i = 0; i < rule->name_count; i++)
        if (mi_glob_match(rule->names[i], name))
            return true;
    return rule->name_count == 0;
}

/* --- reading --- */

struct parser {
    struct mi_json js;
    struct mi_gate_rules *rules;
    struct mi_scratch scratch;
    struct mi_error *err;
    bool failed;
};

#define SHOWN(bytes) (bytes).len > 60 ? 60 : (int)(bytes).len, (const char *)(bytes).at

/* The text is no JSON, or another value than expected stands there. */
static bool broken(struct parser *p)
{
    p->failed = true;
    *p->err = p->js.error;
    return false;
}

/* Says what is wrong with the value that was read last. */
__attribute__((format(printf, 2, 3))) static bool reject(struct parser *p, const char *format, ...)
{
    char text[sizeof p->err->text];
    size_t at = mi_json_offset(&p->js);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->failed = true;
    return mi_fail_at(p->err, MI_EFORMAT, at, mi_json_line(&p->js, at), "%s", text);
}

static bool no_memory(struct parser *p)
{
    p->failed = true;
    return mi_fail(p->err, MI_ENOMEM, "out of memory");
}

static bool read_text(struct parser *p, struct mi_bytes *text)
{
    struct mi_json_string string;
    if (!mi_json_string(&p->js, &string))
        return broken(p);
    if (!mi_json_text(string, &p->scratch, text))
        return no_memory(p);
    return true;
}

/* A number times 10^exp10, at least 0. */
static bool read_number(struct parser *p, int exp10, struct mi_bytes key, int64_t *out)
{
    unsigned flags = 0;
    if (!mi_json_scaled(&p->js, exp10, out, &flags))
        return broken(p);
    if ((flags & (MI_DECIMAL_BAD | MI_DECIMAL_OVERFLOW)) || *out < 0)
        return reject(p, "%.*s: wanted a number, 0 or more", SHOWN(key));
    return true;
}

static bool read_names(struct parser *p, struct mi_gate_rule *rule)
{
    struct mi_bytes name;
    if (!mi_json_begin_array(&p->js))
        return broken(p);
    while (mi_json_next_item(&p->js)) {
        if (!read_text(p, &name))
            return false;
        if (rule->name_count == MOST_NAMES)
            return reject(p, "too many names");
        if ((rule->name_count & (rule->name_count - 1)) == 0) {
            struct mi_bytes *more = mi_arena_alloc(
                &p->rules->arena, (rule->name_count ? 2 * rule->name_count : 1) * sizeof *more);
            if (!more)
                return no_memory(p);
            if (rule->name_count)
                memcpy(more, rule->names, rule->name_count * sizeof *more);
            rule->names = more;
        }
        rule->names[rule->name_count++] = mi_arena_copy(&p->rules->arena, name);
    }
    return !mi_json_failed(&p->js) || broken(p);
}

static bool find_severity(struct mi_bytes word, enum mi_severity *severity)
{
    static const enum mi_severity known[] = {MI_INFO, MI_NOTICE, MI_WARNING, MI_ERROR};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (mi_bytes_equal(word, mi_cstr(mi_enum_name(MI_E_severity, known[i]))))
            return *severity = known[i], true;
    return false;
}

static const char *limit_key(enum mi_gate_unit unit)
{
    static const char *const keys[] = {"limit_percent", "limit_points", "limit_count"};
    return keys[unit];
}

/* Keys that need the kind of rule known: it stands first. */
static bool read_member(struct parser *p, struct mi_gate_rule *rule, struct mi_bytes key)
{
    enum mi_gate_unit unit = mi_gate_kinds[rule->kind].unit;
    int scale = unit == MI_GATE_COUNT ? 0 : PERCENT_TO_PPM;
    bool is_time = rule->kind == MI_GATE_op_time || rule->kind == MI_GATE_type_time;
    struct mi_bytes word;
    if (mi_bytes_equal(key, mi_cstr(limit_key(unit)))) {
        if (!read_number(p, scale, key, &rule->limit))
            return false;
        if (rule->unknown_limit < rule->limit)
            rule->unknown_limit = rule->limit;
        return true;
    }
    if (unit != MI_GATE_COUNT && mi_bytes_equal(key, MI_LIT("unknown_noise_percent")))
        return read_number(p, scale, key, &rule->unknown_limit);
    if (is_time && mi_bytes_equal(key, MI_LIT("least_percent")))
        return read_number(p, PERCENT_TO_PPM, key, &rule->least_share);
    if ((is_time || rule->kind == MI_GATE_type_share) && mi_bytes_equal(key, MI_LIT("names")))
        return read_names(p, rule);
    if (mi_bytes_equal(key, MI_LIT("severity"))) {
        if (!read_text(p, &word))
            return false;
        return find_severity(word, &rule->severity) ||
               reject(p, "there is no severity \"%.*s\"", SHOWN(word));
    }
    return reject(p, "\"%.*s\" is no member of this rule", SHOWN(key));
}

static bool read_kind(struct parser *p, struct mi_gate_rule *rule)
{
    struct mi_bytes name;
    if (!read_text(p, &name))
        return false;
    for (unsigned kind = 0; kind < MI_GATE_KINDS; kind++)
        if (mi_bytes_equal(name, mi_cstr(mi_gate_kinds[kind].name)))
            return *rule = rule_of(kind), true;
    return reject(p, "there is no rule \"%.*s\"", SHOWN(name));
}

static bool read_rule(struct parser *p)
{
    struct mi_gate_rule rule = {.kind = MI_GATE_KINDS};
    struct mi_json_string key;
    if (!mi_json_begin_object(&p->js))
        return broken(p);
    while (!p->failed && mi_json_next_key(&p->js, &key)) {
        bool names_kind = mi_json_string_is(key, MI_LIT("rule"));
        if (names_kind != (rule.kind == MI_GATE_KINDS))
            return reject(p, "\"rule\" comes first, and once");
        if (!(names_kind ? read_kind(p, &rule) : read_member(p, &rule, key.raw)))
            return false;
    }
    if (mi_json_failed(&p->js))
        return broken(p);
    if (rule.kind == MI_GATE_KINDS)
        return reject(p, "a rule without \"rule\"");
    p->rules->list[p->rules->count++] = rule;
    return true;
}

static bool read_rules(struct parser *p)
{
    p->rules->list = mi_arena_alloc(&p->rules->arena, MOST_RULES * sizeof *p->rules->list);
    if (!p->rules->list)
        return no_memory(p);
    if (!mi_json_begin_array(&p->js))
        return broken(p);
    while (mi_json_next_item(&p->js)) {
        if (p->rules->count == MOST_RULES)
            return reject(p, "too many rules");
        if (!read_rule(p))
            return false;
    }
    return !mi_json_failed(&p->js) || broken(p);
}

static bool read_top(struct parser *p, struct mi_bytes key, bool *has_schema)
{
    struct mi_bytes text;
    int64_t *ppm = &p->rules->false_alarms_ppm;
    if (mi_bytes_equal(key, MI_LIT("schema"))) {
        *has_schema = true;
        return read_text(p, &text) &&
               (mi_bytes_equal(text, MI_LIT(MI_GATE_SCHEMA)) ||
                reject(p, "schema \"%.*s\": wanted \"%s\"", SHOWN(text), MI_GATE_SCHEMA));
    }
    if (mi_bytes_equal(key, MI_LIT("false_alarms")))
        return read_number(p, ONE_TO_PPM, key, ppm) &&
               ((*ppm >= LEAST_PPM && *ppm <= MOST_PPM) ||
                reject(p, "%.*s: wanted a share from 0.000001 to 0.5", SHOWN(key)));
    if (mi_bytes_equal(key, MI_LIT("rules")) && !p->rules->list)
        return read_rules(p);
    return reject(p, "\"%.*s\" is not expected here", SHOWN(key));
}

bool mi_gate_rules_read(struct mi_gate_rules *rules, struct mi_bytes text, struct mi_error *err)
{
    struct mi_error ignored = MI_ERROR_INIT;
    struct parser p = {.rules = rules, .err = err ? err : &ignored};
    struct mi_json_string key;
    bool has_schema = false;
    *rules = (struct mi_gate_rules){.false_alarms_ppm = FALSE_ALARMS_PPM, .are_given = true};
    mi_arena_init(&rules->arena);
    mi_json_init(&p.js, text, NULL);
    mi_json_begin_object(&p.js);
    while (!p.failed && mi_json_next_key(&p.js, &key))
        read_top(&p, key.raw, &has_schema);
    if (!p.failed && (mi_json_failed(&p.js) || !mi_json_done(&p.js)))
        broken(&p);
    if (!p.failed && (!has_schema || rules->count == 0))
        reject(&p, "wanted \"schema\": \"%s\" and at least one rule", MI_GATE_SCHEMA);
    mi_scratch_fini(&p.scratch);
    if (p.failed)
        mi_gate_rules_fini(rules);
    return !p.failed;
}
