#!/bin/sh
# Layout of the C sources by .clang-format. Skipped (77) where clang-format 14 is not there: other
# versions disagree in details.
set -eu
cd "$(dirname "$0")/../.."
for tool in clang-format-14 clang-format; do
    if command -v $tool >/dev/null 2>&1 && $tool --version | grep -q 'version 14\.'; then
        find src include tests tools examples -name '*.[ch]' 2>/dev/null | LC_ALL=C sort |
            xargs $tool --dry-run -Werror --ferror-limit=2
        exit
    fi
done
echo "no clang-format 14"
exit 77
