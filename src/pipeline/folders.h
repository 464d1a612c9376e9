/* What the folders of Ascend profilers tell beside their files: which files are raw records, which
 * exports an export after them has replaced, and which collections were never exported. */
#ifndef MI_PIPELINE_FOLDERS_H
#define MI_PIPELINE_FOLDERS_H

#include "pipeline/inputs.h"

/* Why a file of such a folder is not offered to readers (a message id), or NULL: raw records of the
 * profiler, which its exported files tell of. */
const char *mi_folder_raw(const char *path);

/* What a file is that nobody recognised, if its place says so (a message id), or NULL. */
const char *mi_folder_word(const char *path);

/* Marks items of which the same folder holds a newer export: item->newer names it. False: out of
 * memory. */
bool mi_folders_mark_older(struct mi_inputs *inputs);

/* The next collection, from item *at on, whose records were never exported: its first item; `note`
 * gets the sentence that says so and with which command to export them. *at moves behind it. NULL:
 * there is none. Items must be opened. */
const struct mi_item *mi_folders_not_exported(const struct mi_inputs *inputs, size_t *at,
                                              struct mi_error *note);

#endif
