/* The languages of the program: English is in the source, the others are gettext catalogues
 * compiled into the library, so that one file speaks all of them wherever it runs. No locale has to
 * be installed and none is set.
 *
 * Texts are marked with N_() where they stand in tables and with mi_tr() where they are printed. */
#ifndef MI_PRESENT_TEXT_I18N_H
#define MI_PRESENT_TEXT_I18N_H

#include "base/bytes.h"
#include "base/translate.h"

#include <stdbool.h>

enum mi_lang {
    MI_LANG_EN,
    MI_LANG_ZH_CN,
};

/* The language of a locale name: "zh_CN.UTF-8", "zh-CN", "zh", "en_GB", "C", "POSIX". False for a
 * language there is no catalogue for; *lang is then left alone. */
bool mi_lang_parse(const char *name, enum mi_lang *lang);

/* The language to speak: `wanted` (the value of --lang) if it names one, else the first of LC_ALL,
 * LC_MESSAGES, LANG, LANGUAGE that is set and not empty decides; LANGUAGE may list several names
 * separated by colons. English if that one names no language we have. Reads the environment, so not
 * while another thread changes it. `wanted` may be NULL. */
enum mi_lang mi_lang_from_env(const char *wanted);

/* The text in `lang`, or `msgid` itself where there is none. The result lives as long as the
 * program (or as `msgid`) and is UTF-8. */
const char *mi_tr(enum mi_lang lang, const char *msgid);

/* Entry `index` of the catalogue of `lang`, from 0 in the order of the originals; false behind the
 * last one (English has none). */
bool mi_tr_entry(enum mi_lang lang, uint32_t index, const char **msgid, const char **text);

/* Looks `msgid` up in the bytes of a .mo file (little-endian, sorted as msgfmt writes it); NULL if
 * it is not there or the file is damaged. Borrowed from `mo`. */
const char *mi_mo_find(struct mi_bytes mo, const char *msgid);

#endif
