/* What the stand-in for AscendCL reports to the stand-in for MSPTI, where that is loaded. */
#ifndef TESTS_FAKE_ACL_MSPTI_H
#define TESTS_FAKE_ACL_MSPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- what the real one has --- */

int msptiSubscribe(void **subscriber, void (*function)(void *, int, uint32_t, const void *),
                   void *user);
int msptiUnsubscribe(void *subscriber);
int msptiActivityRegisterCallbacks(void (*ask)(uint8_t **, size_t *, size_t *),
                                   void (*give)(uint8_t *, size_t, size_t));
int msptiActivityEnable(int kind);
int msptiActivityDisable(int kind);
int msptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record);
int msptiActivityFlushAll(uint32_t flag);

/* --- what is ours --- */

enum { FAKE_API_ACLNN = 3, FAKE_API_ACL = 10, FAKE_API_NODE = 11, FAKE_API_RUNTIME = 12 };

void fake_mspti_kernel(uint32_t device, uint32_t stream, uint64_t start_ns, uint64_t end_ns,
                       uint64_t id, const char *type, const char *name);
void fake_mspti_api(int kind, const char *name, uint64_t start_ns, uint64_t end_ns, uint64_t id);
void fake_mspti_copy(uint32_t device, uint32_t stream, uint64_t bytes, int kind, uint64_t start_ns,
                     uint64_t end_ns, uint64_t id);
void fake_mspti_communication(uint32_t device, uint32_t stream, uint64_t start_ns, uint64_t end_ns,
                              uint64_t id, const char *name);
uint64_t fake_mspti_new_id(void); /* of a correlation */

#endif
