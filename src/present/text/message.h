/* Messages that were put together in English, in the language of the user.
 *
 * Errors and diagnostics are made where they occur, by printf, in English, because the library
 * knows no language. To translate one, the format it was made from is looked for in the catalogue:
 * the longest one that fits gives the pieces that stood for %s and %d, and these are put into its
 * translation. A message that no format fits stays English. */
#ifndef MI_PRESENT_TEXT_MESSAGE_H
#define MI_PRESENT_TEXT_MESSAGE_H

#include "base/error.h"
#include "base/sink.h"
#include "present/text/i18n.h"

/* Writes the message on one line; what could harm a terminal is escaped. */
void mi_text_message(struct mi_sink *sink, enum mi_lang lang, struct mi_bytes message);

/* Writes "INPUT, line 7: sentence" without a line end. */
void mi_text_error(struct mi_sink *sink, enum mi_lang lang, const struct mi_error *err);

#endif
