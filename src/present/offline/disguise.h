/* Stand-ins for names, so that a report can be shown to people who must not see them.
 *
 * Names are cut into words, and each word gets a stand-in: the same word the same one wherever it
 * stands, so that scopes, links between names and numbered layers stay what they are. Without a key
 * stand-ins are numbered as they come ("xa", "xb", ...) and not computed from the word, so that
 * trying words finds nothing. With a key they are a keyed hash of the word ("x" and ten letters):
 * whoever has the key gets the same ones in every report, and nobody else can try words. Short
 * numbers, signs and a few words of tracks stay; operator types and the like (MI_S_WORD) too;
 * names that the runtime gives its own
 * tasks, too; sentences and paths of data (MI_S_TEXT) go. */
#ifndef MI_PRESENT_OFFLINE_DISGUISE_H
#define MI_PRESENT_OFFLINE_DISGUISE_H

#include "base/keyed_hash.h"
#include "base/strings.h"
#include "model/tables.h"

struct mi_disguise {
    struct mi_strings words; /* those that have a stand-in, by number */
    struct mi_arena arena;   /* names made of them */
    bool is_keyed;
    struct mi_hash_key key;
    bool failed; /* no memory: names are empty then, never the real ones */
};

/* `key` may be NULL. False: out of memory. */
bool mi_disguise_init(struct mi_disguise *disguise, const struct mi_hash_key *key);
void mi_disguise_fini(struct mi_disguise *disguise);

/* What is shown for `text`; lives as long as the disguise. `disguise` is a struct mi_disguise: fits
 * mi_snapshot_options.rename. */
struct mi_bytes mi_disguise_name(void *disguise, enum mi_str_kind kind, struct mi_bytes text);

#endif
