/* .om: what one planned task says beside the columns of `planned`: the fields of its TaskDef by
 * name, its arguments one by one, and where their addresses lie.
 *
 *   args         u64 each, in the order of args_format, a list of tokens: {i0*} {i_instance0*}
 *                input, {o0*} output, {ws0*} workspace, {t} tiling data, {#7} a number ...; those
 *                that end in * are addresses
 *   addresses    count from task_gen_base_addr (feature map, memory_size bytes),
 *                task_gen_weight_addr (weights, weight_size bytes) and task_gen_variable_addr,
 *                attributes of the model that planned the task */
#include "base/mem.h"
#include "parse/formats/om/om_read.h"

#include <stdio.h>

enum form {
    F_TASK,
    F_KERNEL,
    F_HANDLE,
    F_CONTEXT,
    F_ARGS_INFO,
    F_KERNEL_EX,
    F_HCCL,
    F_EVENT,
    F_LOG,
    F_MEMCPY,
    F_SWITCH,
    F_SWITCH_N,
    F_LABEL,
    F_SWITCH_INDEX,
    F_DSA,
    F_CMO,
    F_BARRIER,
    F_BARRIER_INFO,
    F_GET_STATUS,
    F_CLEAR_STATUS,
    F_CMO_ADDR,
    F_UPDATE,
    F_FUSION,
    F_FFTS,
    F_FFTS_PLUS,
    F_FFTS_SQE,
    F_FFTS_CTX,
    F_CTX_CORE,
    F_CTX_MIX,
    F_CTX_OTHER,
    F_CTX_CASE,
    F_CTX_COND,
    F_MESSAGES,
    F_NUMBER = F_MESSAGES,
    F_INT32,
    F_INT64,
    F_BOOL,
    F_HEX,
    F_ADDRESS,
    F_TEXT,
    F_SIZE,
    F_ARGS,
    F_OFFSETS,
    F_KERNEL_TYPE,
    F_ARG_TYPE,
    F_ARG_FORMAT,
    F_FFTS_TYPE
};

struct field {
    uint8_t message, form;
    uint8_t number;
    const char *name;
};

static const struct field fields[] = {
#include "parse/formats/om/om_fields.def"
#define ROW(message, number, name, form) {F_##message, F_##form, number, name},
    MI_OM_FIELDS(ROW)
#undef ROW
};

static const struct field *find_field(unsigned message, uint32_t number)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].message == message && fields[i].number == number)
            return &fields[i];
    return NULL;
}

/* Where the addresses of a model count from; 0 = not stated. */
struct bases {
    uint64_t map, map_bytes, weights, weights_bytes, variables;
};

enum { MOST_DEPTH = 6, MOST_PATH = 160 };

struct frame {
    struct mi_pb pb;
    unsigned message;
    size_t path_len;
    uint32_t seen; /* messages in it that have a number: args_info, ctx, barrier_info */
};

struct lister {
    mi_metric_fn *fn;
    void *user;
    struct bases bases;
    struct frame frames[MOST_DEPTH];
    uint32_t depth;
    char path[MOST_PATH];
    struct mi_bytes args_format; /* of the kernel that is open */
};

/* --- where addresses lie --- */

static uint64_t int_in(struct mi_pb value)
{
    uint64_t number = 0;
    while (mi_pb_next(&value))
        if (value.key == MI_PB_KEY(3, MI_PB_VARINT))
            number = value.value;
    return number;
}

static void scan_bases(struct mi_pb def, struct bases *bases)
{
    const struct {
        const char *name;
        uint64_t *to;
    } wanted[] = {{"task_gen_base_addr", &bases->map},
                  {"memory_size", &bases->map_bytes},
                  {"task_gen_weight_addr", &bases->weights},
                  {"weight_size", &bases->weights_bytes},
                  {"task_gen_variable_addr", &bases->variables}};
    while (mi_pb_next(&def)) {
        if (def.key != MI_PB_KEY(11, MI_PB_LEN))
            continue;
        struct mi_ge_entry entry = mi_ge_wire_entry(mi_pb_sub(&def));
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (mi_bytes_equal(entry.key, mi_cstr(wanted[i].name)))
                *wanted[i].to = int_in(entry.value);
    }
}

/* What is read of a file on the way to a record. */
struct search {
    struct om om;
    struct mi_error err;
    uint64_t at;      /* of the record, in the outermost file */
    struct mi_pb def; /* ModelDef of the model that it is of */
    bool is_found, is_inside;
};

static bool holds(const struct search *s, uint64_t from, uint64_t size)
{
    return s->at >= from && s->at - from < size;
}

/* A file inside this partition that holds the record becomes the file at hand. */
static void enter_part(struct search *s, const struct om_part *part)
{
    struct mi_pb pb = mi_om_cursor(&s->om, part, &s->err);
    struct om_file *file = &s->om.file;
    s->is_inside = true;
    if (part->type == OM_BUNDLE_MODEL) {
        file->base += part->at;
        file->bytes = part->bytes;
        return;
    }
    while (mi_pb_next(&pb)) /* om_data of a SubmodelDef */
        if (pb.key == MI_PB_KEY(3, MI_PB_LEN) &&
            holds(s, mi_pb_payload_offset(&pb), pb.bytes.len)) {
            file->base = mi_pb_payload_offset(&pb);
            file->bytes = pb.bytes;
            return;
        }
    s->is_inside = false;
}

/* A table whose partitions hold the record. The first model of a file with several serves where one
 * has no attributes of its own. */
static void look_at(struct search *s, const struct om_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct om_part *part = &table->parts[i];
        if (!holds(s, om_at(&s->om, part->at), part->bytes.len))
            continue;
        if (part->type == OM_BUNDLE_MODEL || part->type == OM_FLOW_SUBMODEL) {
            enter_part(s, part);
            return;
        }
        const struct om_part *def = mi_om_find(table, OM_MODEL_DEF);
        s->is_found = true;
        if (def)
            s->def = mi_om_cursor(&s->om, def, &s->err);
        return;
    }
}

static void search_file(struct search *s)
{
    uint64_t at = s->om.header.head_bytes;
    s->is_inside = false;
    for (uint32_t i = 0; i < OM_MAX_MODELS && !s->is_found && !s->is_inside; i++) {
        struct om_table table;
        if (!mi_om_table(&s->om, at, i == 0, &table))
            return;
        at = table.end;
        look_at(s, &table);
        mi_mem_free(table.parts);
    }
}

static void find_bases(const struct mi_record *record, struct bases *bases)
{
    struct mi_batch scratch;
    struct search s = {.err = MI_ERROR_INIT, .at = (uint64_t)record->key};
    if (!mi_batch_init(&scratch, record->file, &s.err))
        return;
    s.om = (struct om){.out = &scratch,
                       .err = &s.err,
                       .broken = MI_ERROR_INIT,
                       .cut = MI_ERROR_INIT,
                       .file = {.bytes = record->file}};
    for (uint32_t depth = 0; depth < OM_MAX_DEPTH && !s.is_found; depth++) {
        if (!mi_om_header(&s.om, &s.om.header))
            break;
        search_file(&s);
        if (!s.is_inside)
            break;
    }
    if (s.is_found && s.def.at)
        scan_bases(s.def, bases);
    mi_batch_fini(&scratch);
}

/* "0x80940c00 (feature map + 9702400)"; the number alone where it is no address of the model. */
static void put_address(const struct bases *b, uint64_t address, char *text, size_t room)
{
    const char *memory = NULL;
    uint64_t from = 0;
    if (b->weights && address >= b->weights && address - b->weights < b->weights_bytes) {
        memory = "weights";
        from = b->weights;
    } else if (b->map && address >= b->map && address - b->map < b->map_bytes) {
        memory = "feature map";
        from = b->map;
    } else if (b->variables && address >= b->variables) {
        memory = "variables";
        from = b->variables;
    }
    if (memory)
        snprintf(text, room, "0x%llx (%s + %llu)", (unsigned long long)address, memory,
                 (unsigned long long)(address - from));
    else
        snprintf(text, room, "0x%llx", (unsigned long long)address);
}

/* --- values --- */

static void emit(struct lister *l, const char *name, struct mi_bytes text, bool is_number)
{
    char full[2 * MOST_PATH];
    snprintf(full, sizeof full, "%.*s%s", (int)l->frames[l->depth - 1].path_len, l->path, name);
    l->fn(l->user, mi_cstr(full), text, is_number);
}

/* The next {token} of a format; empty at its end. */
static struct mi_bytes next_token(struct mi_bytes *format)
{
    size_t from = 0, end;
    while (from < format->len && format->at[from] != '{')
        from++;
    end = from;
    while (end < format->len && format->at[end] != '}')
        end++;
    struct mi_bytes token = mi_bytes_sub(*format, from, end < format->len ? end + 1 - from : 0);
    *format = mi_bytes_sub(*format, end < format->len ? end + 1 : end, SIZE_MAX);
    return token;
}

/* Numbers of 32 bits may share a place, so that places and tokens cannot be paired. */
static bool can_pair(struct mi_bytes format)
{
    for (size_t i = 0; i + 4 <= format.len; i++)
        if (memcmp(format.at + i, ".32b", 4) == 0)
            return false;
    return true;
}

static void emit_args(struct lister *l, const char *field, struct mi_bytes args)
{
    struct mi_bytes format = can_pair(l->args_format) ? l->args_format : (struct mi_bytes){NULL, 0};
    bool has_format = format.len != 0;
    for (size_t i = 0; i + 8 <= args.len; i += 8) {
        struct mi_bytes token = next_token(&format);
        uint64_t value = mi_load_u64le(args.at + i);
        char name[96], text[96];
        int shown = token.len < 64 ? (int)token.len : 64;
        snprintf(name, sizeof name, "%s[%zu]%s%.*s", field, i / 8, token.len ? " " : "", shown,
                 token.len ? (const char *)token.at : "");
        bool is_address = token.len > 2 && token.at[token.len - 2] == '*';
        if (is_address || !has_format)
            put_address(&l->bases, value, text, sizeof text);
        else
            snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
        emit(l, name, mi_cstr(text), false);
    }
    if (args.len % 8) {
        char text[32];
        snprintf(text, sizeof text, "%zu bytes more", args.len % 8);
        emit(l, field, mi_cstr(text), false);
    }
}

static void emit_offsets(struct lister *l, const char *field, struct mi_bytes bytes)
{
    char text[256];
    size_t at = 0;
    for (size_t i = 0; i + 2 <= bytes.len && at + 16 < sizeof text; i += 2)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%u", i ? ", " : "",
                               (unsigned)(bytes.at[i] | bytes.at[i + 1] << 8));
    emit(l, field, (struct mi_bytes){(const uint8_t *)text, at}, false);
}

static const char *word_of(unsigned form, uint64_t value)
{
    static const char *const arg_types[] = {"input", "output"};
    static const char *const arg_formats[] = {"direct", "secondary"};
    static const char *const ffts_types[] = {"", "", "auto threading", "manual threading"};
    if (form == F_KERNEL_TYPE)
        return mi_ge_kernel_type_name((int64_t)value);
    if (form == F_ARG_TYPE)
        return value < 2 ? arg_types[value] : NULL;
    if (form == F_ARG_FORMAT)
        return value < 2 ? arg_formats[value] : NULL;
    if (form == F_FFTS_TYPE)
        return value == 2 || value == 3 ? ffts_types[value] : NULL;
    return NULL;
}

static void emit_number(struct lister *l, const struct field *field, uint64_t value)
{
    char text[96];
    const char *word = word_of(field->form, value);
    bool is_number = false;
    if (field->form == F_ADDRESS) {
        put_address(&l->bases, value, text, sizeof text);
    } else if (field->form == F_HEX) {
        snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
    } else if (field->form == F_BOOL) {
        snprintf(text, sizeof text, "%s", value ? "true" : "false");
    } else if (word) {
        snprintf(text, sizeof text, "%llu %s", (unsigned long long)value, word);
    } else {
        is_number = true;
        if (field->form == F_INT64)
            snprintf(text, sizeof text, "%lld", (long long)mi_pb_to_i64(value));
        else if (field->form == F_INT32)
            snprintf(text, sizeof text, "%ld", (long)mi_pb_to_i32(value));
        else
            snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    }
    emit(l, field->name, mi_cstr(text), is_number);
}

static void emit_bytes(struct lister *l, const struct field *field, const struct mi_pb *pb)
{
    char text[32];
    switch (field->form) {
    case F_TEXT:
        emit(l, field->name, pb->bytes, false);
        break;
    case F_ARGS:
        emit_args(l, field->name, pb->bytes);
        break;
    case F_OFFSETS:
        emit_offsets(l, field->name, pb->bytes);
        break;
    case F_SIZE:
        snprintf(text, sizeof text, "%zu bytes", pb->bytes.len);
        emit(l, field->name, mi_cstr(text), false);
        break;
    default: /* packed numbers */
        for (struct mi_pb_packed it = mi_pb_packed(pb, MI_PB_VARINT); mi_pb_packed_next(&it);)
            emit_number(l, field, it.value);
    }
}

/* --- the walk --- */

static struct mi_bytes format_of(struct mi_pb kernel)
{
    struct mi_bytes format = {NULL, 0};
    while (mi_pb_next(&kernel))
        if (kernel.key == MI_PB_KEY(1, MI_PB_LEN))
            for (struct mi_pb context = mi_pb_sub(&kernel); mi_pb_next(&context);)
                if (context.key == MI_PB_KEY(10, MI_PB_LEN))
                    format = context.bytes;
    return format;
}

static void enter(struct lister *l, const struct field *field, const struct mi_pb *pb)
{
    struct frame *around = &l->frames[l->depth - 1];
    bool is_numbered =
        field->form == F_ARGS_INFO || field->form == F_BARRIER_INFO || field->form == F_FFTS_CTX;
    if (l->depth == MOST_DEPTH)
        return;
    int len = snprintf(l->path + around->path_len, MOST_PATH - around->path_len, "%s", field->name);
    size_t at = around->path_len + (size_t)len;
    if (is_numbered)
        at += (size_t)snprintf(l->path + at, MOST_PATH - at, "[%u]", around->seen++);
    snprintf(l->path + at, MOST_PATH - at, ".");
    if (field->form == F_KERNEL || field->form == F_HANDLE)
        l->args_format = format_of(mi_pb_sub(pb));
    l->frames[l->depth++] =
        (struct frame){.pb = mi_pb_sub(pb), .message = field->form, .path_len = at + 1};
}

void mi_om_record(const struct mi_record *record, mi_metric_fn *fn, void *user)
{
    struct mi_error err = MI_ERROR_INIT;
    struct lister l = {.fn = fn, .user = user, .depth = 1};
    find_bases(record, &l.bases);
    l.frames[0] = (struct frame){.pb = mi_pb_init(record->bytes, (uint64_t)record->key, &err),
                                 .message = F_TASK};
    while (l.depth) {
        struct frame *frame = &l.frames[l.depth - 1];
        if (!mi_pb_next(&frame->pb)) {
            l.depth--;
            continue;
        }
        const struct mi_pb pb = frame->pb;
        const struct field *field = find_field(frame->message, mi_pb_field(&pb));
        if (!field)
            continue;
        if (mi_pb_type(&pb) == MI_PB_LEN && field->form < F_MESSAGES)
            enter(&l, field, &pb);
        else if (mi_pb_type(&pb) == MI_PB_LEN)
            emit_bytes(&l, field, &pb);
        else if (mi_pb_type(&pb) == MI_PB_VARINT && field->form >= F_MESSAGES)
            emit_number(&l, field, pb.value);
    }
}
