#include "present/serve/mhd.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct mi_mhd functions;
static char why_not[160]; /* "" = loaded */

/* dlsym() gives an object pointer; POSIX promises that it holds a function all the same. */
static void load(void)
{
    void *library = dlopen(MI_MHD_LIBRARY, RTLD_NOW | RTLD_LOCAL), *address;
    if (!library) {
        const char *why = dlerror();
        snprintf(why_not, sizeof why_not, "%s", why ? why : MI_MHD_LIBRARY);
        return;
    }
#define MI_MHD_BIND(name)                                                                          \
    address = dlsym(library, "MHD_" #name);                                                        \
    if (!address)                                                                                  \
        snprintf(why_not, sizeof why_not, "%s", MI_MHD_LIBRARY ": no MHD_" #name);                 \
    memcpy(&functions.name, &address, sizeof address);
    MI_MHD_FUNCTIONS(MI_MHD_BIND)
#undef MI_MHD_BIND
}

bool mi_mhd_load(struct mi_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return !why_not[0] ||
           mi_fail(err, MI_ENOTFOUND, "serving needs libmicrohttpd (Debian: libmicrohttpd12): %s",
                   why_not);
}

const struct mi_mhd *mi_mhd(void)
{
    return &functions;
}
