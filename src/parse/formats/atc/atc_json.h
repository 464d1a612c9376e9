/* What the files of the atc_json reader share. */
#ifndef MI_PARSE_ATC_JSON_H
#define MI_PARSE_ATC_JSON_H

#include "base/json_scan.h"
#include "parse/formats/ge/ge_text.h"

/* The message that an object is. */
enum atc_in {
    ATC_MODEL,
    ATC_GRAPH,
    ATC_INNER_GRAPH, /* begun and ended by the caller */
    ATC_OP,
    ATC_ATTRS, /* {"name": value}: attributes by their names */
    ATC_ENTRY, /* {"key": "name", "value": {...}} */
    ATC_VALUE,
    ATC_TYPED, /* {"type": "list_int", "value": [...]} */
    ATC_LIST,
    ATC_FUNC,
    ATC_LISTS,
    ATC_INNER,
    ATC_DESC,
    ATC_SHAPE,
    ATC_TENSOR,
    ATC_TENSOR_DESC,
    ATC_PART /* an inner list of ATC_TYPED */
};

/* What a member is; ATC_F_NONE: nothing that is known. */
enum atc_field {
    ATC_F_NONE,
    ATC_F_IGNORED,
    ATC_F_MODEL,
    ATC_F_MODEL_NAME,
    ATC_F_VERSION,
    ATC_F_PLATFORM,
    ATC_F_GRAPH,
    ATC_F_ATTR,
    ATC_F_OP,
    ATC_F_NAME,
    ATC_F_TYPE,
    ATC_F_OUTPUT,
    ATC_F_INPUT,
    ATC_F_ID,
    ATC_F_STREAM,
    ATC_F_INPUT_I, /* the lists in the order of enum mi_ge_list */
    ATC_F_OUTPUT_I,
    ATC_F_WORKSPACE,
    ATC_F_WORKSPACE_BYTES,
    ATC_F_INPUT_DESC,
    ATC_F_OUTPUT_DESC,
    ATC_F_SUBGRAPH,
    ATC_F_KEY,
    ATC_F_VALUE,
    ATC_F_S,
    ATC_F_I,
    ATC_F_F,
    ATC_F_B,
    ATC_F_BT,
    ATC_F_TD,
    ATC_F_T,
    ATC_F_G,
    ATC_F_DT,
    ATC_F_LIST,
    ATC_F_FUNC,
    ATC_F_LISTS,
    ATC_F_VAL_TYPE,
    ATC_F_INNER,
    ATC_F_DTYPE,
    ATC_F_SHAPE,
    ATC_F_LAYOUT,
    ATC_F_SIZE,
    ATC_F_WEIGHT_SIZE,
    ATC_F_DATA_OFFSET,
    ATC_F_DIM,
    ATC_F_DESC,
    ATC_F_DATA,
    ATC_F_PART
};

/* A container that is open. An array belongs to the member `field` of the object around it. */
struct atc_frame {
    uint8_t in;    /* enum atc_in: of the object; of an array, of the object around it */
    uint8_t field; /* enum atc_field: of an array */
    uint8_t side;  /* ATC_DESC: enum mi_ge_side */
    bool is_array;
    bool has_key;  /* ATC_ENTRY */
    bool is_begun; /* ATC_ENTRY: the builder's attribute is open; ATC_ATTRS: of the last member */
    struct mi_ge_desc *desc;
};

struct atc_json {
    struct mi_ge_text *g;
    struct mi_json js;
    uint32_t depth; /* frames in use */
    struct atc_frame frames[MI_JSON_DEPTH_DEFAULT + 1];
};

enum atc_field mi_atc_field(enum atc_in in, struct mi_json_string key);

/* The value of the member that the scanner stands in front of; of the next item of the array that
 * is open. Containers are opened, everything else goes to the builder. */
void mi_atc_member(struct atc_json *w, struct mi_json_string key);
void mi_atc_element(struct atc_json *w);

/* Closes the innermost container; `is_broken`: it did not end by itself, an op in it is dropped. */
void mi_atc_pop(struct atc_json *w, bool is_broken);

#endif
