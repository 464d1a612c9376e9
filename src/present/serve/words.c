#include "present/serve/words.h"

#include "present/text/message.h"

enum mi_lang mi_request_lang(const struct mi_request *request)
{
    const char *name = request->query(request, "lang");
    enum mi_lang lang = MI_LANG_EN;
    if (name)
        mi_lang_parse(name, &lang);
    return lang;
}

void mi_reply_message(struct mi_jw *jw, enum mi_lang lang, struct mi_bytes message)
{
    struct mi_sink text;
    mi_sink_init_memory(&text);
    mi_text_message(&text, lang, message);
    mi_jw_string(jw, mi_sink_bytes(&text));
    mi_sink_fini(&text);
}
