#include "base/glob.h"

bool mi_glob_match(struct mi_bytes pattern, struct mi_bytes text)
{
    size_t p = 0, t = 0, star = SIZE_MAX, star_text = 0;
    while (t < text.len) {
        if (p < pattern.len && pattern.at[p] == '*') {
            star = p++;
            star_text = t;
        } else if (p < pattern.len && (pattern.at[p] == '?' || pattern.at[p] == text.at[t])) {
            p++;
            t++;
        } else if (star != SIZE_MAX) { /* the last star takes one byte more */
            p = star + 1;
            t = ++star_text;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.at[p] == '*')
        p++;
    return p == pattern.len;
}

size_t mi_bytes_find(struct mi_bytes text, struct mi_bytes part)
{
    if (part.len == 0)
        return 0;
    for (size_t at = 0; at + part.len <= text.len;) {
        const uint8_t *hit = memchr(text.at + at, part.at[0], text.len - part.len + 1 - at);
        if (!hit)
            break;
        if (memcmp(hit, part.at, part.len) == 0)
            return (size_t)(hit - text.at);
        at = (size_t)(hit - text.at) + 1;
    }
    return text.len;
}

bool mi_glob_search(struct mi_bytes pattern, struct mi_bytes text)
{
    for (size_t i = 0; i < pattern.len; i++)
        if (pattern.at[i] == '*' || pattern.at[i] == '?')
            return mi_glob_match(pattern, text);
    return pattern.len == 0 || mi_bytes_find(text, pattern) < text.len;
}
