/* Marks texts that people will read, so that tools/po-update finds them.
 *
 * N_() leaves the text as it is: tables of titles and summaries stay constant data in English, and
 * whoever prints them looks the translation up (present/text/i18n.h). */
#ifndef MI_BASE_TRANSLATE_H
#define MI_BASE_TRANSLATE_H

#define N_(msgid) msgid

#endif
