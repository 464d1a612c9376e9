#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"

enum { ROWS_FOR_EYES = 1000 };

static bool add_record(const struct mi_session *session, const struct mi_args *args,
                       struct mi_report *report, struct mi_error *err)
{
    const struct mi_planned *planned = &mi_session_model(session)->all.rows.planned;
    int64_t position = mi_args_int(args, "task", -1);
    bool ok = true;
    for (uint32_t t = 1; ok && position >= 0 && t < planned->count; t++)
        if (planned->position[t] == position && !planned->parent[t].v)
            ok = mi_cli_planned_record(session, t, report, err);
    return ok;
}

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    static const struct mi_param top_param = {.name = "top", .kind = MI_PARAM_INT};
    struct mi_arg top = {.param = &top_param, .text = "", .number = ROWS_FOR_EYES};
    return mi_cli_pass(cli, &mi_command_plan, args,
                       &(struct mi_cli_pass_options){.pass = "plan",
                                                     .fallback = cli->json ? NULL : &top,
                                                     .extend = add_record});
}

const struct mi_command mi_command_plan = {
    .name = "plan",
    .operands = "INPUT...",
    .summary = N_("The tasks that the compiler planned: order, streams, events, nodes."),
    .details = N_("Needs no profile: the list stands in the compiled model. A wait is paired with "
                  "the record of its event."),
    .examples = "inspector-cli plan model.om\n"
                "inspector-cli plan --stream 1 --type 'EVENT*' model.om\n"
                "inspector-cli plan --task 17 model.om\n"
                "inspector-cli plan --kernels --node conv1 model.om\n"
                "inspector-cli plan --unlinked model.om",
    .params = mi_params_plan,
    .run = run,
};
