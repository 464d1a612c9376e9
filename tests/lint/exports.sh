#!/bin/sh
# Symbols: the shared library exports mi_ names alone and only what the public headers declare; in the
# static library all global names carry mi_, since archives share one name space.
# usage: exports.sh BUILD-FOLDER NM
set -eu
build=$1 nm=$2
here=$(cd "$(dirname "$0")" && pwd)
status=0

# Instrumented builds bring symbols of their own.
own='^(mi_|_init$|_fini$|__asan|__odr_asan|__tsan|__ubsan|__sanitizer|__sancov)'

foreign=$("$nm" -D --defined-only "$build/libmodel-inspector.so" | awk 'NF == 3 { print $3 }' |
    grep -vE "$own" || true)
[ -z "$foreign" ] || {
    echo "libmodel-inspector.so exports:" $foreign
    status=1
}

exported=$("$nm" -D --defined-only "$build/libmodel-inspector.so" |
    awk 'NF == 3 && $3 ~ /^mi_/ { print $3 }')
for name in $exported; do
    grep -qrw "$name" "$here/../../include" || {
        echo "libmodel-inspector.so exports $name, which no public header declares"
        status=1
    }
done

# The hook: functions that it interposes, and those of collect.h.
foreign=$("$nm" -D --defined-only "$build/libmi_hook.so" | awk 'NF == 3 { print $3 }' |
    grep -vE '^(acl(rt|mdl|op|nn)?[A-Z][A-Za-z0-9]*|Hccl[A-Z][A-Za-z0-9]*|dlsym|_exit|_Exit|f?execv?[lep]*(at)?|mi_collect_[a-z_]+)$' | grep -vE "$own" || true)
[ -z "$foreign" ] || {
    echo "libmi_hook.so exports:" $foreign
    status=1
}

foreign=$("$nm" -g --defined-only "$build/libmodel-inspector.a" | awk 'NF == 3 { print $3 }' |
    grep -vE "$own" | sort -u || true)
[ -z "$foreign" ] || {
    echo "libmodel-inspector.a has global names without mi_:" $foreign
    status=1
}
exit $status
