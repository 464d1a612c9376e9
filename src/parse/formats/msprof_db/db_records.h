/* The values of single rows that are no columns of the model, for whoever asks for them. */
#ifndef MI_PARSE_FORMATS_MSPROF_DB_RECORDS_H
#define MI_PARSE_FORMATS_MSPROF_DB_RECORDS_H

#include "parse/reader.h"

/* As in struct mi_reader. Tables are sorted by what they are searched for when they are first
 * needed: 16 bytes a row. */
void *mi_db_records_open(struct mi_bytes file, struct mi_bytes companion);
void mi_db_records_close(void *records);
void mi_db_records_list(const struct mi_record *record, mi_metric_fn *fn, void *user);

#endif
