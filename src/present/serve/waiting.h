/* While the files are read, questions wait and are answered once there is something to answer from;
 * the page itself, and how far the reading is, can be had at once. */
#ifndef MI_PRESENT_SERVE_WAITING_H
#define MI_PRESENT_SERVE_WAITING_H

#include "base/lock.h"
#include "present/serve/http.h"

struct MHD_Connection;

/* The address of the only question that never waits. GET; answers {"ready", "stage", "done_bytes",
 * "total_bytes"}, the last one null where it is not known. */
#define MI_READING_PATH "/api/v1/reading"

struct mi_held { /* room for one waiting request, owned by whoever asks */
    struct MHD_Connection *connection;
    struct mi_held *next;
};

struct mi_waiting {
    struct mi_lock lock; /* guards everything below */
    bool is_over;        /* nobody waits any longer */
    struct mi_held *held;
    const char *stage; /* of reading; static */
    uint64_t done_bytes, total_bytes;
};

void mi_waiting_init(struct mi_waiting *waiting);
void mi_waiting_fini(struct mi_waiting *waiting);

/* True: the connection sleeps, and its request is handed over again after mi_waiting_end(); `held`
 * must live until then. False: there is nothing to wait for. Thread of the connection. */
bool mi_waiting_hold(struct mi_waiting *waiting, struct MHD_Connection *connection,
                     struct mi_held *held);

/* How far the reading is; total 0 = unknown. `stage` is static text. Any thread. */
void mi_waiting_tell(struct mi_waiting *waiting, const char *stage, uint64_t done_bytes,
                     uint64_t total_bytes);

/* Wakes all who wait; from now on nobody does. What was written before is seen by them. Any
 * thread, any number of times. */
void mi_waiting_end(struct mi_waiting *waiting);

/* Answers MI_READING_PATH. */
void mi_waiting_reply(struct mi_waiting *waiting, struct mi_reply *reply);

#endif
