/* Reading events by the shape of earlier ones. Nothing is taken on trust: what a shape has between
 * the values is compared byte by byte, and each value is checked against the grammar of JSON. */
#include "base/decimal.h"
#include "base/simd.h"
#include "parse/formats/chrome/chrome_event.h"

/* --- reading --- */

/* The quote that ends a text; NULL if something else comes first: an escape, a control character,
 * the end. */
static inline const uint8_t *text_end(const uint8_t *p, const uint8_t *limit)
{
#if MI_SIMD
    for (; limit - p >= 16; p += 16) {
        uint64_t mask = mi_v16_json_special(p);
        if (mask) {
            p += mi_mask_first(mask);
            return *p == '"' ? p : NULL;
        }
    }
#endif
    while (p < limit && *p != '"' && *p != '\\' && *p >= 0x20)
        p++;
    return p < limit && *p == '"' ? p : NULL;
}

/* The first byte that is no digit. */
static inline const uint8_t *digits_end(const uint8_t *p, const uint8_t *limit)
{
#if MI_SIMD
    for (; limit - p >= 16; p += 16) {
        uint64_t mask = mi_v16_not_digit(p);
        if (mask)
            return p + mi_mask_first(mask);
    }
#endif
    while (p < limit && *p >= '0' && *p <= '9')
        p++;
    return p;
}

/* Behind a number without exponent; NULL if it is none. What follows is for the next literal. */
static inline const uint8_t *number_end(const uint8_t *p, const uint8_t *limit)
{
    p += p < limit && *p == '-';
    const uint8_t *end = digits_end(p, limit);
    if (end == p || (*p == '0' && end - p > 1))
        return NULL;
    if (end < limit && *end == '.') {
        const uint8_t *fraction = end + 1;
        end = digits_end(fraction, limit);
        if (end == fraction)
            return NULL;
    }
    return end;
}

static inline bool has_literal(const uint8_t *p, const uint8_t *limit, const uint8_t *literal,
                               uint32_t length)
{
    return (size_t)(limit - p) >= length && mi_bytes_same(p, literal, length);
}

/* Takes an argument; a short whole number is read at once, while its length is known. */
static void take_arg(struct mi_chrome_event *event, unsigned arg, struct mi_bytes text,
                     const uint8_t *limit, bool is_text)
{
    event->arg[arg] = (struct mi_json_string){.raw = text};
    if (is_text || text.len > 8 || limit - text.at < 8)
        return;
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] == '-' || text.at[i] == '.')
            return;
    event->number[arg] = (int64_t)mi_decimal_up_to_eight(text.at, text.len);
    event->number_is_read |= UINT32_C(1) << arg;
}

/* The place behind the event; NULL if it has another shape. */
static const uint8_t *read_by(const struct mi_chrome_shape *shape, struct mi_chrome_event *event,
                              const uint8_t *p, const uint8_t *limit)
{
    const uint8_t *args = NULL, *args_end = NULL;
    for (uint32_t s = 0; s < shape->count; s++) {
        const struct mi_chrome_slot *slot = &shape->slots[s];
        if (!has_literal(p, limit, slot->literal, slot->literal_len))
            return NULL;
        args = s == shape->args_slot ? p + shape->args_at : args;
        args_end = s == shape->end_slot ? p + shape->end_at : args_end;
        p += slot->literal_len;
        const uint8_t *end = slot->is_text ? text_end(p, limit) : number_end(p, limit);
        if (!end)
            return NULL;
        struct mi_bytes text = {p, (size_t)(end - p)};
        if (slot->field >= MI_CHROME_FIELD_ARG)
            take_arg(event, slot->field - MI_CHROME_FIELD_ARG, text, limit, slot->is_text);
        else if (slot->field)
            mi_chrome_take(event, slot->field, text, false);
        p = end;
    }
    if (!has_literal(p, limit, shape->tail, shape->tail_len))
        return NULL;
    if (shape->end_slot == shape->count)
        args_end = p + shape->end_at;
    if (shape->has_args)
        event->args = (struct mi_bytes){args, (size_t)(args_end - args)};
    event->args_given = shape->args_given;
    return p + shape->tail_len;
}

bool mi_chrome_shape_read(struct mi_chrome_scan *scan, struct mi_chrome_event *event)
{
    struct mi_json *js = &scan->js;
    const uint8_t *start = js->at;
    uint32_t first = scan->shape_count ? scan->shapes[scan->last_shape].next : 0;
    for (uint32_t i = 0; i < scan->shape_count; i++) {
        uint32_t s = i == 0 ? first : i - (i <= first); /* the likely one, then the others */
        mi_chrome_event_clear(event);
        const uint8_t *end = read_by(&scan->shapes[s], event, start, js->end);
        if (!end)
            continue;
        scan->shapes[scan->last_shape].next = s;
        scan->last_shape = s;
        event->at = (size_t)(start - js->begin);
        event->size = (size_t)(end - start);
        mi_json_took(js, end);
        return true;
    }
    return false;
}

/* --- learning --- */

void mi_chrome_draft_begin(struct mi_chrome_scan *scan, const uint8_t *at)
{
    scan->draft_from = at;
    scan->draft.count = 0;
    scan->draft.has_args = false;
    scan->draft.args_slot = scan->draft.end_slot = UINT32_MAX;
}

void mi_chrome_draft_value(struct mi_chrome_scan *scan, const struct mi_json_string *value,
                           unsigned field)
{
    struct mi_chrome_shape *draft = &scan->draft;
    if (!scan->draft_from)
        return;
    const uint8_t *end = value ? value->raw.at + value->raw.len : NULL;
    /* behind a text stands its quote; numbers end at anything else */
    bool is_text = value && value->raw.at > scan->js.begin && value->raw.at[-1] == '"' &&
                   end < scan->js.end && *end == '"';
    bool is_shape = value && draft->count < MI_CHROME_SLOTS &&
                    (is_text || number_end(value->raw.at, end) == end);
    if (!is_shape) {
        scan->draft_from = NULL;
        return;
    }
    draft->slots[draft->count++] = (struct mi_chrome_slot){
        .literal = scan->draft_from,
        .literal_len = (uint32_t)(value->raw.at - scan->draft_from),
        .field = (uint8_t)field,
        .is_text = is_text,
    };
    scan->draft_from = end;
}

void mi_chrome_draft_args(struct mi_chrome_scan *scan, struct mi_bytes args, bool is_end)
{
    struct mi_chrome_shape *draft = &scan->draft;
    if (!scan->draft_from)
        return;
    if (!is_end) {
        draft->args_slot = draft->count;
        draft->args_at = (uint32_t)(args.at - scan->draft_from);
    } else if (draft->count == draft->args_slot) { /* no value between: nothing to find them by */
        scan->draft_from = NULL;
    } else {
        draft->has_args = true;
        draft->end_slot = draft->count;
        draft->end_at = (uint32_t)(args.at + args.len - scan->draft_from);
    }
}

static bool same_bytes(const uint8_t *a, uint32_t a_len, const uint8_t *b, uint32_t b_len)
{
    return a_len == b_len && memcmp(a, b, a_len) == 0;
}

static bool is_same(const struct mi_chrome_shape *a, const struct mi_chrome_shape *b)
{
    if (a->count != b->count || !same_bytes(a->tail, a->tail_len, b->tail, b->tail_len))
        return false;
    for (uint32_t s = 0; s < a->count; s++)
        if (a->slots[s].is_text != b->slots[s].is_text ||
            !same_bytes(a->slots[s].literal, a->slots[s].literal_len, b->slots[s].literal,
                        b->slots[s].literal_len))
            return false;
    return true;
}

void mi_chrome_draft_end(struct mi_chrome_scan *scan, const struct mi_chrome_event *event)
{
    struct mi_chrome_shape *draft = &scan->draft;
    if (!scan->draft_from || !draft->count || event->flags & MI_CHROME_KEY_TWICE)
        return;
    draft->tail = scan->draft_from;
    draft->tail_len = (uint32_t)(scan->js.at - scan->draft_from);
    draft->args_given = event->args_given;
    for (uint32_t s = 0; s < scan->shape_count; s++)
        if (is_same(&scan->shapes[s], draft))
            return;
    uint32_t place = scan->shape_count < MI_CHROME_SHAPES ? scan->shape_count++
                                                          : scan->oldest++ % MI_CHROME_SHAPES;
    draft->next = place;
    scan->shapes[place] = *draft;
    if (scan->last_shape < scan->shape_count)
        scan->shapes[scan->last_shape].next = place;
    scan->last_shape = place;
}
