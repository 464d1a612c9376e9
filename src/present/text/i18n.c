/* Languages and catalogues; see i18n.h.
 *
 * A .mo file, all numbers 32-bit little-endian:
 *
 *   OFFSET  MEANING
 *   0       magic 0x950412de
 *   4       revision, major in the upper half: 0
 *   8       number of texts n
 *   12      offset of n pairs (length, offset) of the originals, sorted by strcmp
 *   16      offset of n pairs of the translations
 *   20, 24  hash table, not used here
 *
 * Lengths do not count the NUL behind each text. Described in the GNU gettext manual, "The Format
 * of GNU MO Files". */
#include "present/text/i18n.h"

#include <stdlib.h>
#include <string.h>

#define MO_MAGIC 0x950412deU

/* Written by CMake: the catalogue as it lies in the program's read-only data. */
extern const uint8_t mi_mo_zh_cn[], mi_mo_zh_cn_end[];

/* The string that pair `index` of the table at `table` describes; NULL if it is not wholly inside.
 */
static const char *mo_string(struct mi_bytes mo, uint32_t table, uint32_t index)
{
    uint64_t pair = (uint64_t)table + 8 * (uint64_t)index;
    if (pair + 8 > mo.len)
        return NULL;
    uint64_t len = mi_load_u32le(mo.at + pair), at = mi_load_u32le(mo.at + pair + 4);
    if (at + len + 1 > mo.len || mo.at[at + len] != 0)
        return NULL;
    return (const char *)(mo.at + at);
}

const char *mi_mo_find(struct mi_bytes mo, const char *msgid)
{
    if (mo.len < 28 || mi_load_u32le(mo.at) != MO_MAGIC || mi_load_u32le(mo.at + 4) >> 16 != 0)
        return NULL;
    uint32_t from = 0, to = mi_load_u32le(mo.at + 8);
    uint32_t originals = mi_load_u32le(mo.at + 12), translations = mi_load_u32le(mo.at + 16);
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        const char *original = mo_string(mo, originals, middle);
        if (!original)
            return NULL;
        int order = strcmp(msgid, original);
        if (order == 0)
            return mo_string(mo, translations, middle);
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return NULL;
}

const char *mi_tr(enum mi_lang lang, const char *msgid)
{
    /* The empty text stands for the header of the catalogue. */
    if (lang != MI_LANG_ZH_CN || !msgid || !*msgid)
        return msgid;
    struct mi_bytes mo = {mi_mo_zh_cn, (size_t)(mi_mo_zh_cn_end - mi_mo_zh_cn)};
    const char *text = mi_mo_find(mo, msgid);
    return text && *text ? text : msgid;
}

bool mi_tr_entry(enum mi_lang lang, uint32_t index, const char **msgid, const char **text)
{
    struct mi_bytes mo = {mi_mo_zh_cn, (size_t)(mi_mo_zh_cn_end - mi_mo_zh_cn)};
    if (lang != MI_LANG_ZH_CN || mo.len < 28 || index >= mi_load_u32le(mo.at + 8))
        return false;
    *msgid = mo_string(mo, mi_load_u32le(mo.at + 12), index);
    *text = mo_string(mo, mi_load_u32le(mo.at + 16), index);
    return *msgid && *text;
}

bool mi_lang_parse(const char *name, enum mi_lang *lang)
{
    static const struct {
        const char *language;
        enum mi_lang lang;
    } known[] = {
        {"en", MI_LANG_EN}, {"zh", MI_LANG_ZH_CN}, {"C", MI_LANG_EN}, {"POSIX", MI_LANG_EN}};
    size_t len = name ? strcspn(name, "_-.@") : 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (len == strlen(known[i].language) && memcmp(name, known[i].language, len) == 0) {
            *lang = known[i].lang;
            return true;
        }
    }
    return false;
}

/* The first language of a colon-separated list that we have, else English. */
static enum mi_lang first_known(const char *list)
{
    enum mi_lang lang = MI_LANG_EN;
    while (*list) {
        char name[32];
        size_t len = strcspn(list, ":");
        if (len < sizeof name) {
            memcpy(name, list, len);
            name[len] = 0;
            if (mi_lang_parse(name, &lang))
                return lang;
        }
        list += len + (list[len] == ':');
    }
    return lang;
}

enum mi_lang mi_lang_from_env(const char *wanted)
{
    static const char *const variables[] = {"LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"};
    enum mi_lang lang;
    if (mi_lang_parse(wanted, &lang))
        return lang;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value)
            return first_known(value);
    }
    return MI_LANG_EN;
}
