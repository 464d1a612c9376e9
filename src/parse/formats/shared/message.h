/* One cursor over protobuf messages in both spellings, wire format and text, steered by a table of
 * the message's fields. A format that exists in both needs one reader then.
 *
 *   struct mi_msg msg = ...;
 *   while (mi_msg_next(&msg))
 *       switch (msg.number) {
 *       case 1: name = mi_msg_bytes(&msg); break;
 *       case 5: read_attr(mi_msg_enter(&msg, &attr_message, &err)); break;
 *       }
 *
 * Forward only: a message that was entered must be walked to its end before the next step of the
 * one around it, and a message nobody enters is skipped. Fields that the table does not have, or
 * that hold another kind of value than it says, have number 0. */
#ifndef MI_PARSE_FORMATS_MESSAGE_H
#define MI_PARSE_FORMATS_MESSAGE_H

#include "base/pb_text.h"
#include "base/pb_wire.h"
#include "base/scratch.h"

enum mi_msg_kind {
    MI_MSG_INT, /* integers, enums, booleans */
    MI_MSG_FLOAT,
    MI_MSG_DOUBLE,
    MI_MSG_BYTES, /* strings and bytes */
    MI_MSG_SUB    /* a message */
};

struct mi_msg_field {
    uint16_t number;
    uint8_t kind;
    const char *name;
};

struct mi_msg_schema {
    const struct mi_msg_field *fields;
    size_t count;
};

#define MI_MSG_TABLE(fields)                                                                       \
    {                                                                                              \
        fields, sizeof(fields) / sizeof *(fields)                                                  \
    }

/* Declares `static const struct mi_msg_schema name` over the fields that follow. */
#define MI_MSG_SCHEMA(name, ...)                                                                   \
    static const struct mi_msg_field name##_fields[] = {__VA_ARGS__};                              \
    static const struct mi_msg_schema name = MI_MSG_TABLE(name##_fields)

struct mi_msg {
    uint32_t number;   /* of the current field; 0 = not in the table */
    uint64_t start_at; /* wire: offset of its tag */
    const struct mi_msg_schema *schema;
    struct mi_pb pb;            /* wire: the cursor; its current field is ours */
    struct mi_pbt *text;        /* text: the scanner, shared by all messages; else NULL */
    struct mi_scratch *scratch; /* text: for strings with escapes; borrowed */
    bool is_empty;
};

struct mi_msg mi_msg_wire(struct mi_pb pb, const struct mi_msg_schema *schema);
struct mi_msg mi_msg_text(struct mi_pbt *text, struct mi_scratch *scratch,
                          const struct mi_msg_schema *schema);

bool mi_msg_next(struct mi_msg *msg);

/* The message that is the current field. Wire: damage inside it goes to `err`, which is reset here
 * and must live as long as the cursor, or where that of the message around goes (NULL); text:
 * damage always ends the whole. */
struct mi_msg mi_msg_enter(const struct mi_msg *msg, const struct mi_msg_schema *schema,
                           struct mi_error *err);

/* BYTES: borrowed from the input, or from the scratch until the next string. */
struct mi_bytes mi_msg_bytes(const struct mi_msg *msg);

/* INT: one number. A word that is none is looked up in `words` [count]; 0 if it is not there. */
int64_t mi_msg_int(const struct mi_msg *msg, const char *const *words, size_t count);

/* INT, FLOAT, DOUBLE that may be repeated: each number of the current field. */
struct mi_msg_numbers {
    const struct mi_msg *msg;
    struct mi_pb_packed it;
    bool is_done;
    int64_t whole; /* INT */
    double real;   /* FLOAT, DOUBLE */
};

struct mi_msg_numbers mi_msg_numbers(const struct mi_msg *msg);
bool mi_msg_numbers_next(struct mi_msg_numbers *numbers);

/* Offset of the current field in the input. */
static inline uint64_t mi_msg_offset(const struct mi_msg *msg)
{
    return msg->text ? mi_pbt_offset(msg->text) : msg->start_at;
}

/* Whether the end of the input cut the current field off. */
static inline bool mi_msg_is_cut(const struct mi_msg *msg)
{
    return msg->text ? msg->text->err->code != MI_OK : msg->pb.is_clipped;
}

#endif
