/* Cutting names into words, and numbering or hashing these. */
#include "present/offline/disguise.h"

#include "base/sink.h"

enum {
    SHORT_NUMBER = 4, /* digits: a layer or a rank, no date and no key */
    HASH_LETTERS = 10 /* 26^10: of 100,000 words two get one stand-in once in 28,000 reports */
};

bool mi_disguise_init(struct mi_disguise *disguise, const struct mi_hash_key *key)
{
    *disguise = (struct mi_disguise){.is_keyed = key != NULL};
    if (key)
        disguise->key = *key;
    mi_arena_init(&disguise->arena);
    return mi_strings_init(&disguise->words);
}

void mi_disguise_fini(struct mi_disguise *disguise)
{
    mi_strings_fini(&disguise->words);
    mi_arena_fini(&disguise->arena);
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* Everything that is neither a digit nor a printable sign, blanks included: letters of any script,
 * and control characters, which say more about where a name comes from than about its shape. */
static bool is_letter(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x7f || c < ' ';
}

/* Words of our own names of tracks. */
static bool is_harmless(struct mi_bytes word)
{
    static const char *const words[] = {"stream", "thread", "device", "rank", "logic"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (mi_bytes_equal(word, mi_cstr(words[i])))
            return true;
    return false;
}

/* What the runtime calls its own tasks. Analyses go by these names, and they tell of CANN, not of
 * the model. */
static bool is_of_the_runtime(struct mi_bytes name)
{
    static const char *const names[] = {"MODEL_EXECUTE", "STREAM_ACTIVE", "MEMCPY_ASYNC",
                                        "EVENT_RECORD",  "EVENT_WAIT",    "EVENT_RESET",
                                        "NOTIFY_RECORD", "NOTIFY_WAIT"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mi_bytes_equal(name, mi_cstr(names[i])))
            return true;
    return false;
}

static void put_hash(struct mi_disguise *d, struct mi_sink *sink, struct mi_bytes word)
{
    uint64_t hash = mi_keyed_hash(d->key, word);
    mi_sink_byte(sink, 'x');
    for (int i = 0; i < HASH_LETTERS; i++, hash /= 26)
        mi_sink_byte(sink, (uint8_t)('a' + hash % 26));
}

static void put_number(struct mi_disguise *d, struct mi_sink *sink, struct mi_bytes word)
{
    char letters[8];
    size_t count = 0;
    uint32_t number = mi_strings_add(&d->words, word, true, &d->failed).v;
    for (; number; number = (number - 1) / 26)
        letters[count++] = (char)('a' + (number - 1) % 26);
    mi_sink_byte(sink, 'x');
    while (count)
        mi_sink_byte(sink, (uint8_t)letters[--count]);
}

static void put_name(struct mi_disguise *d, struct mi_sink *sink, struct mi_bytes text)
{
    for (size_t from = 0, to; from < text.len; from = to) {
        uint8_t first = text.at[from];
        bool (*is_same)(uint8_t) = is_digit(first) ? is_digit : is_letter(first) ? is_letter : NULL;
        for (to = from + 1; is_same && to < text.len && is_same(text.at[to]);)
            to++;
        struct mi_bytes word = mi_bytes_sub(text, from, to - from);
        if (!is_same || (is_same == is_digit && word.len <= SHORT_NUMBER) || is_harmless(word))
            mi_sink_write(sink, word);
        else
            (d->is_keyed ? put_hash : put_number)(d, sink, word);
    }
}

struct mi_bytes mi_disguise_name(void *disguise, enum mi_str_kind kind, struct mi_bytes text)
{
    struct mi_disguise *d = disguise;
    struct mi_bytes none = {0};
    if (kind == MI_S_WORD || (kind == MI_S_NAME && is_of_the_runtime(text)))
        return text;
    if (kind != MI_S_NAME)
        return none;
    struct mi_sink sink;
    mi_sink_init_memory(&sink);
    put_name(d, &sink, text);
    struct mi_bytes name = mi_arena_copy(&d->arena, mi_sink_bytes(&sink));
    d->failed = d->failed || mi_sink_failed(&sink) || !name.at;
    mi_sink_fini(&sink);
    return d->failed ? none : name;
}
