/* What the library exports: every public function is declared MI_API, everything else is hidden. */
#ifndef MODEL_INSPECTOR_API_H
#define MODEL_INSPECTOR_API_H

#if defined(__GNUC__)
#define MI_API __attribute__((visibility("default")))
#else
#define MI_API
#endif

#endif
