#include "present/serve/waiting.h"

#include "present/serve/mhd.h"

void mi_waiting_init(struct mi_waiting *waiting)
{
    *waiting = (struct mi_waiting){.stage = "read"};
    mi_lock_init(&waiting->lock);
}

void mi_waiting_fini(struct mi_waiting *waiting)
{
    mi_lock_fini(&waiting->lock);
}

bool mi_waiting_hold(struct mi_waiting *waiting, struct MHD_Connection *connection,
                     struct mi_held *held)
{
    mi_lock_take(&waiting->lock);
    bool waits = !waiting->is_over;
    if (waits) {
        *held = (struct mi_held){connection, waiting->held};
        waiting->held = held;
        mi_mhd()->suspend_connection(connection);
    }
    mi_lock_give(&waiting->lock);
    return waits;
}

void mi_waiting_tell(struct mi_waiting *waiting, const char *stage, uint64_t done_bytes,
                     uint64_t total_bytes)
{
    mi_lock_take(&waiting->lock);
    waiting->stage = stage;
    waiting->done_bytes = done_bytes;
    waiting->total_bytes = total_bytes;
    mi_lock_give(&waiting->lock);
}

void mi_waiting_end(struct mi_waiting *waiting)
{
    mi_lock_take(&waiting->lock);
    waiting->is_over = true;
    while (waiting->held) {
        struct mi_held *held = waiting->held;
        waiting->held = held->next; /* once it is awake, `held` may be gone */
        mi_mhd()->resume_connection(held->connection);
    }
    mi_lock_give(&waiting->lock);
}

void mi_waiting_reply(struct mi_waiting *waiting, struct mi_reply *reply)
{
    struct mi_jw jw;
    mi_lock_take(&waiting->lock);
    struct mi_waiting now = *waiting;
    mi_lock_give(&waiting->lock);
    mi_jw_init(&jw, &reply->body, NULL);
    mi_jw_begin_object(&jw);
    mi_jw_member_bool(&jw, "ready", now.is_over);
    mi_jw_member_text(&jw, "stage", now.stage);
    mi_jw_key(&jw, "done_bytes");
    mi_jw_u64(&jw, now.done_bytes);
    mi_jw_key(&jw, "total_bytes");
    if (now.total_bytes)
        mi_jw_u64(&jw, now.total_bytes);
    else
        mi_jw_null(&jw);
    mi_jw_end(&jw);
    mi_jw_finish(&jw, NULL);
}
