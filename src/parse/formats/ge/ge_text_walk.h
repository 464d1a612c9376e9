/* What the files of the walk through ge.proto text share. Private to ge_text*.c. */
#ifndef MI_PARSE_GE_TEXT_WALK_H
#define MI_PARSE_GE_TEXT_WALK_H

#include "parse/formats/ge/ge_state.h"
#include "parse/formats/ge/ge_text.h"

enum ge_text_in {
    IN_TOP_MODEL,
    IN_TOP_GRAPH, /* begun and ended by the caller */
    IN_TOP_VALUE, /* same */
    IN_TOP_DESC,  /* same */
    IN_GRAPH,
    IN_OP,
    IN_ENTRY, /* of a map of attributes */
    IN_VALUE, /* AttrDef */
    IN_LIST,  /* ListValue */
    IN_FUNC,  /* NamedAttrs */
    IN_LISTS, /* list_list_int, list_list_float */
    IN_INNER, /* one list of those */
    IN_DESC,
    IN_SHAPE,
    IN_TENSOR,     /* TensorDef; its descriptor is the one of the builder */
    IN_TENSOR_DESC /* desc of a TensorDef */
};

struct ge_text_frame {
    uint8_t kind;
    uint8_t side;   /* IN_DESC: enum mi_ge_side */
    bool has_key;   /* IN_ENTRY */
    bool is_begun;  /* IN_ENTRY: the builder's attribute is open */
    bool has_texts; /* IN_ENTRY, IN_VALUE, IN_LIST: numbers stand for texts of the dictionary */
    struct mi_ge_desc *desc;
};

struct ge_text_walk {
    struct mi_ge_text *g;
    struct mi_ge *ge;
    struct mi_pbt t;
    bool is_part;   /* the text is not of the file: its places mean nothing */
    uint32_t depth; /* frames in use */
    struct ge_text_frame frames[MI_PBT_MAX_DEPTH + 2];
};

/* Hands the field that the scanner stands at to the builder; messages are opened. */
void mi_ge_text_field(struct ge_text_walk *w);

/* Closes the innermost message; `is_broken`: it did not end by itself, an op in it is dropped. */
void mi_ge_text_pop(struct ge_text_walk *w, bool is_broken);

/* --- ge_text_dict.c --- */

/* The name of a compressed attribute, "#7" where the dictionary lacks it; whether its numbers stand
 * for texts, and such a text. */
mi_str_id mi_ge_text_dict_name(struct mi_ge_text *g, uint64_t index, bool *is_text);
mi_str_id mi_ge_text_dict_text(struct mi_ge_text *g, int64_t index);
void mi_ge_text_dict_fini(struct mi_ge_text_dict *dict);

#endif
