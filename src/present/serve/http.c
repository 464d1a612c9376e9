/* Requests and replies without a transport: errors, and who answers which address. */
#include "present/serve/http.h"

#include "base/decimal.h"
#include "present/serve/site.h"

#include <string.h>

/* --- replies --- */

static void write_error(struct mi_reply *reply, unsigned status, const char *code, const char *text,
                        const struct mi_error *err)
{
    struct mi_jw jw;
    mi_sink_clear(&reply->body);
    reply->fixed = (struct mi_bytes){0};
    reply->status = status;
    reply->media = "application/json";
    mi_jw_init(&jw, &reply->body, NULL);
    mi_jw_begin_object(&jw);
    mi_jw_key(&jw, "error");
    mi_jw_begin_object(&jw);
    mi_jw_member_text(&jw, "code", code);
    mi_jw_member_text(&jw, "text", text);
    if (err && err->input[0])
        mi_jw_member_text(&jw, "input", err->input);
    mi_jw_end(&jw);
    mi_jw_end(&jw);
    mi_jw_finish(&jw, NULL);
}

void mi_reply_error(struct mi_reply *reply, unsigned status, const char *code, const char *text)
{
    write_error(reply, status, code, text, NULL);
}

void mi_reply_failure(struct mi_reply *reply, const struct mi_error *err)
{
    write_error(reply, (unsigned)mi_code_http(err->code), mi_code_name(err->code), err->text, err);
}

/* --- requests --- */

bool mi_http_number(const char *text, int64_t *number)
{
    return text && *text && mi_decimal_i64(mi_cstr(text), number) == 0;
}

const char *mi_http_rest(const struct mi_request *request, const char *route_path)
{
    size_t len = strlen(route_path);
    return strlen(request->path) > len ? request->path + len : "";
}

static const struct mi_route *find_route(const char *path)
{
    const struct mi_route *best = NULL;
    size_t best_len = 0;
    for (const struct mi_route *route = mi_routes; route->path; route++) {
        size_t len = strlen(route->path);
        bool is_tree = len > 1 && route->path[len - 1] == '/';
        if ((is_tree ? strncmp(path, route->path, len) : strcmp(path, route->path)) == 0 &&
            len > best_len) {
            best = route;
            best_len = len;
        }
    }
    return best;
}

const struct mi_asset *mi_asset_find(struct mi_bytes path)
{
    for (const struct mi_asset *asset = mi_assets; asset->path; asset++)
        if (mi_bytes_equal(path, mi_cstr(asset->path)))
            return asset;
    return NULL;
}

bool mi_is_question(const char *path)
{
    return find_route(path) != NULL;
}

void mi_answer(struct mi_site *site, const struct mi_request *request, const char *method,
               struct mi_reply *reply)
{
    const struct mi_route *route = find_route(request->path);
    const struct mi_asset *asset = route ? NULL : mi_asset_find(mi_cstr(request->path));
    const char *side = route ? request->query(request, "side") : NULL;
    bool is_base = side && strcmp(side, "base") == 0;
    bool is_get = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    if (!route && !asset)
        mi_reply_error(reply, 404, "not_found", "there is nothing under that address");
    else if (!is_get && !request->is_post)
        mi_reply_error(reply, 405, "usage", "only GET and POST are answered");
    else if (route && route->is_post != request->is_post)
        mi_reply_error(reply, 405, "usage",
                       route->is_post ? "this wants a POST" : "this wants a GET");
    else if (asset && request->is_post)
        mi_reply_error(reply, 405, "usage", "this wants a GET");
    else if (route && is_base && !mi_site_base(site))
        mi_reply_error(reply, 404, "not_found", "there is no base to compare with");
    else if (route)
        route->answer(is_base ? mi_site_base(site) : site, request, reply);
    else
        *reply = (struct mi_reply){.status = 200,
                                   .media = asset->media,
                                   .body = reply->body,
                                   .fixed = {asset->begin, (size_t)(asset->end - asset->begin)},
                                   .is_gzip = true,
                                   .is_immutable = asset->is_immutable,
                                   .etag = asset->etag};
}
