/* One cursor over protobuf messages in wire format and in text; see the header. */
#include "parse/formats/shared/message.h"

struct mi_msg mi_msg_wire(struct mi_pb pb, const struct mi_msg_schema *schema)
{
    return (struct mi_msg){.schema = schema, .pb = pb};
}

struct mi_msg mi_msg_text(struct mi_pbt *text, struct mi_scratch *scratch,
                          const struct mi_msg_schema *schema)
{
    return (struct mi_msg){.schema = schema, .text = text, .scratch = scratch};
}

static bool fits_wire(const struct mi_pb *pb, uint8_t kind)
{
    enum mi_pb_type type = mi_pb_type(pb);
    switch ((enum mi_msg_kind)kind) {
    case MI_MSG_INT:
        return type == MI_PB_VARINT || type == MI_PB_LEN;
    case MI_MSG_FLOAT:
        return type == MI_PB_FIXED32 || type == MI_PB_LEN;
    case MI_MSG_DOUBLE:
        return type == MI_PB_FIXED64 || type == MI_PB_LEN;
    case MI_MSG_BYTES:
    case MI_MSG_SUB:
        break;
    }
    return type == MI_PB_LEN;
}

static bool fits_text(const struct mi_pbt *text, uint8_t kind)
{
    switch ((enum mi_msg_kind)kind) {
    case MI_MSG_BYTES:
        return text->kind == MI_PBT_STRING;
    case MI_MSG_SUB:
        return text->kind == MI_PBT_MESSAGE;
    case MI_MSG_INT:
    case MI_MSG_FLOAT:
    case MI_MSG_DOUBLE:
        break;
    }
    return text->kind == MI_PBT_NUMBER || text->kind == MI_PBT_WORD;
}

bool mi_msg_next(struct mi_msg *msg)
{
    const struct mi_msg_schema *schema = msg->schema;
    msg->number = 0;
    if (msg->is_empty)
        return false;
    if (msg->text) {
        if (!mi_pbt_next(msg->text))
            return false;
        for (size_t i = 0; i < schema->count; i++)
            if (mi_pbt_named(msg->text, schema->fields[i].name)) {
                if (fits_text(msg->text, schema->fields[i].kind))
                    msg->number = schema->fields[i].number;
                break;
            }
        return true;
    }
    msg->start_at = mi_pb_offset(&msg->pb);
    if (!mi_pb_next(&msg->pb))
        return false;
    uint32_t field = mi_pb_field(&msg->pb);
    for (size_t i = 0; i < schema->count; i++)
        if (schema->fields[i].number == field) {
            if (fits_wire(&msg->pb, schema->fields[i].kind))
                msg->number = field;
            break;
        }
    return true;
}

struct mi_msg mi_msg_enter(const struct mi_msg *msg, const struct mi_msg_schema *schema,
                           struct mi_error *err)
{
    struct mi_msg sub = {.schema = schema, .text = msg->text, .scratch = msg->scratch};
    if (err)
        *err = MI_ERROR_INIT;
    if (msg->text) {
        sub.is_empty = !mi_pbt_enter(msg->text);
        return sub;
    }
    sub.pb = mi_pb_sub(&msg->pb);
    if (err)
        sub.pb.err = err;
    return sub;
}

struct mi_bytes mi_msg_bytes(const struct mi_msg *msg)
{
    struct mi_bytes none = {NULL, 0};
    if (!msg->text)
        return msg->pb.bytes;
    if (!msg->text->has_escape)
        return mi_pbt_text(msg->text);
    size_t len;
    uint8_t *room = mi_scratch_room(msg->scratch, msg->text->raw.len);
    if (!room) {
        mi_fail(msg->text->err, MI_ENOMEM, "out of memory for a string");
        return none;
    }
    return mi_pbt_decode(msg->text, room, &len) ? (struct mi_bytes){room, len} : none;
}

static int64_t text_int(const struct mi_pbt *text, const char *const *words, size_t count)
{
    int64_t number;
    bool truth;
    if (mi_pbt_i64(text, &number))
        return number;
    for (size_t i = 0; i < count; i++)
        if (words[i] && mi_bytes_equal(text->raw, mi_cstr(words[i])))
            return (int64_t)i;
    uint64_t wide;
    if (mi_pbt_u64(text, &wide))
        return (int64_t)wide;
    return mi_pbt_bool(text, &truth) && truth;
}

int64_t mi_msg_int(const struct mi_msg *msg, const char *const *words, size_t count)
{
    if (msg->text)
        return text_int(msg->text, words, count);
    if (mi_pb_type(&msg->pb) == MI_PB_VARINT)
        return mi_pb_i64(&msg->pb);
    struct mi_msg_numbers numbers = mi_msg_numbers(msg);
    int64_t last = 0;
    while (mi_msg_numbers_next(&numbers))
        last = numbers.whole;
    return last;
}

static enum mi_pb_type scalar_of(const struct mi_msg *msg)
{
    for (size_t i = 0; i < msg->schema->count; i++)
        if (msg->schema->fields[i].number == msg->number) {
            if (msg->schema->fields[i].kind == MI_MSG_FLOAT)
                return MI_PB_FIXED32;
            if (msg->schema->fields[i].kind == MI_MSG_DOUBLE)
                return MI_PB_FIXED64;
            break;
        }
    return MI_PB_VARINT;
}

struct mi_msg_numbers mi_msg_numbers(const struct mi_msg *msg)
{
    struct mi_msg_numbers numbers = {.msg = msg};
    if (!msg->text)
        numbers.it = mi_pb_packed(&msg->pb, scalar_of(msg));
    return numbers;
}

bool mi_msg_numbers_next(struct mi_msg_numbers *numbers)
{
    numbers->whole = 0;
    numbers->real = 0;
    if (numbers->msg->text) {
        if (numbers->is_done)
            return false;
        numbers->is_done = true;
        if (!mi_pbt_double(numbers->msg->text, &numbers->real))
            numbers->real = 0;
        if (scalar_of(numbers->msg) == MI_PB_FIXED32) /* the same number as in wire format */
            numbers->real = (double)(float)numbers->real;
        numbers->whole = text_int(numbers->msg->text, NULL, 0);
        return true;
    }
    if (!mi_pb_packed_next(&numbers->it))
        return false;
    if (numbers->it.type == MI_PB_FIXED32)
        numbers->real = (double)mi_pb_to_float(numbers->it.value);
    else if (numbers->it.type == MI_PB_FIXED64)
        numbers->real = mi_pb_to_double(numbers->it.value);
    else
        numbers->whole = mi_pb_to_i64(numbers->it.value);
    return true;
}
