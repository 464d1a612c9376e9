/* Writes the tests' hand-made model in every format into a folder, for checks by other programs.
 * usage: export_dump DIR */
#include "../unit/export_model.h"
#include "present/export_run.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct mi_model model;
    struct export_ids ids;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_view view = {.model = &model};
    if (argc != 2 || !export_model(&model, &ids))
        return 2;
    for (size_t i = 0; i < mi_exporter_count && err.code == MI_OK; i++)
        mi_export_dir(&view, mi_exporters[i], argv[1], NULL, &err);
    mi_model_fini(&model);
    if (err.code != MI_OK)
        fprintf(stderr, "%s: %s\n", err.input, err.text);
    return err.code != MI_OK;
}
