# shellcheck shell=bash
# Sourced by what builds archives.

# The version of the workspace, for who sources this.
# shellcheck disable=SC2034
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)

# Packs the folder $2 of the folder $1 as the archive $3 in $1, and prints where it is. The same files give
# the same archive.
archive() {
    (cd "$1" && find "$2" -print0 | LC_ALL=C sort -z |
        tar --no-recursion --null --files-from=- --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw \
            -cf - | gzip -9n > "$3")
    echo "$1/$3"
}
