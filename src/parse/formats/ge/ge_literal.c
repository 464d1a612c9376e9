/* Literals to values of attributes. */
#include "parse/formats/ge/ge_literal.h"

#include "base/decimal.h"
#include "parse/formats/shared/py_text.h"

static bool is_one_of(struct mi_bytes text, const char *a, const char *b)
{
    return mi_bytes_equal(text, mi_cstr(a)) || mi_bytes_equal(text, mi_cstr(b));
}

static bool are_ints(struct mi_bytes list)
{
    struct mi_bytes part;
    int64_t value;
    while (mi_py_part(&list, &part))
        if (!mi_py_int(part, &value))
            return false;
    return true;
}

static void put_ints(struct mi_ge *ge, struct mi_bytes list)
{
    struct mi_bytes part;
    int64_t value;
    mi_ge_attr_list(ge, 2);
    while (mi_py_part(&list, &part))
        if (mi_py_int(part, &value))
            mi_ge_attr_int(ge, value);
}

void mi_ge_literal(struct mi_ge *ge, struct mi_bytes text)
{
    int64_t whole;
    double real;
    struct mi_bytes list = mi_py_inside(text), quoted = mi_py_unquoted(text);
    if (is_one_of(text, "True", "true") || is_one_of(text, "False", "false"))
        mi_ge_attr_bool(ge, (text.at[0] | 0x20) == 't');
    else if (mi_py_int(text, &whole))
        mi_ge_attr_int(ge, whole);
    else if (!(mi_decimal_double(text, &real) & MI_DECIMAL_BAD))
        mi_ge_attr_float(ge, real);
    else if (list.at != text.at && are_ints(list))
        put_ints(ge, list);
    else
        mi_ge_attr_text(ge, quoted.at != text.at ? quoted : text);
}
