/* Ids of a database to numbers: an array while they are dense, a map for the rest. */
#include "base/mem.h"
#include "parse/formats/msprof_db/db_read.h"

enum { FIRST_ROOM = 1024, MAX_DENSE = 1 << 30, SPREAD = 8 };

/* Ids up to some times their number are worth an array. */
static bool is_dense(const struct mi_db_ids *ids, int64_t id)
{
    return id >= 0 && id < MAX_DENSE &&
           (id < FIRST_ROOM || (uint64_t)id / SPREAD < (uint64_t)ids->count + FIRST_ROOM);
}

static bool make_room(struct mi_db_ids *ids, uint32_t want)
{
    uint32_t room = ids->room ? ids->room : FIRST_ROOM;
    while (room < want)
        room *= 2;
    uint32_t *bigger = mi_mem_resize(ids->dense, room, sizeof *bigger);
    if (!bigger)
        return false;
    memset(bigger + ids->room, 0, (room - ids->room) * sizeof *bigger);
    ids->dense = bigger;
    ids->room = room;
    return true;
}

bool mi_db_ids_expect(struct mi_db_ids *ids, uint32_t most, uint32_t count)
{
    return most >= MAX_DENSE || most / SPREAD > count || make_room(ids, most + 1);
}

bool mi_db_ids_set(struct mi_db_ids *ids, int64_t id, uint32_t value)
{
    ids->count++;
    if (id >= 0 && id < ids->room) {
        ids->dense[id] = value;
        return true;
    }
    if (!is_dense(ids, id))
        return mi_map_set(&ids->sparse, (uint64_t)id, value);
    if (!make_room(ids, (uint32_t)id + 1))
        return false;
    ids->dense[id] = value;
    return true;
}

uint32_t mi_db_ids_get(const struct mi_db_ids *ids, int64_t id)
{
    if (id >= 0 && id < ids->room && ids->dense[id])
        return ids->dense[id];
    return ids->sparse.count ? mi_map_get(&ids->sparse, (uint64_t)id) : 0;
}

void mi_db_ids_fini(struct mi_db_ids *ids)
{
    mi_mem_free(ids->dense);
    mi_map_fini(&ids->sparse);
    *ids = (struct mi_db_ids){0};
}

bool mi_db_list_add(struct mi_db_list *list, uint32_t value)
{
    if (list->count == list->room) {
        uint32_t room = list->room ? list->room * 2 : FIRST_ROOM;
        uint32_t *bigger = room > list->room ? mi_mem_resize(list->at, room, sizeof *bigger) : NULL;
        if (!bigger)
            return false;
        list->at = bigger;
        list->room = room;
    }
    list->at[list->count++] = value;
    return true;
}

void mi_db_list_fini(struct mi_db_list *list)
{
    mi_mem_free(list->at);
    *list = (struct mi_db_list){0};
}
