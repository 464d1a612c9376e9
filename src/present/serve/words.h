/* Words of replies in the language that a request asks for. */
#ifndef MI_PRESENT_SERVE_WORDS_H
#define MI_PRESENT_SERVE_WORDS_H

#include "base/json_write.h"
#include "present/serve/http.h"
#include "present/text/i18n.h"

/* The query's "lang"; English where it is not given or not known. */
enum mi_lang mi_request_lang(const struct mi_request *request);

/* Writes a message of ours, which names are filled into, as a string; names stay as they are. */
void mi_reply_message(struct mi_jw *jw, enum mi_lang lang, struct mi_bytes message);

#endif
