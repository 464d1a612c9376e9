#include "present/serve/find_text.h"

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
}

size_t mi_find_text(struct mi_bytes name, struct mi_bytes text)
{
    if (!text.len)
        return 0;
    uint8_t first = lower(text.at[0]);
    for (size_t from = 0; from + text.len <= name.len; from++) {
        size_t k = 1;
        if (lower(name.at[from]) != first)
            continue;
        while (k < text.len && lower(name.at[from + k]) == lower(text.at[k]))
            k++;
        if (k == text.len)
            return from;
    }
    return SIZE_MAX;
}
