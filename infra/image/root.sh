#!/bin/sh
# Makes the root of the services' images in a folder: Node, and of the operating system only the libraries that Node and
# the packages with native code use. The Debian packages that own them are listed as in Google's distroless images, where
# vulnerability scanners look.
#   root.sh <folder> <folder of the services>
set -eu
root=${1:?folder to make}
services=${2:?folder of the services}
node=$(command -v node)
status="$root/var/lib/dpkg/status.d"
mkdir -p "$root/usr/local/bin" "$root/etc" "$root/tmp" "$status"
chmod 1777 "$root/tmp"
cp "$node" "$root/usr/local/bin/node"
cp -L /etc/os-release "$root/etc/os-release"

native=$(find "$services" -name '*.node' -o -name '*.so.*')
# shellcheck disable=SC2086 # A list of paths without spaces.
ldd "$node" $native | grep -oE '/[^ ]*/(lib[a-z_+]+|ld-[a-z0-9_-]+)\.so\.[0-9.]+ ' | grep -v "^$services" | sort -u |
  while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
    package=$(dpkg-query --search "*/$(basename "$library")" | head -n 1 | cut -d : -f 1)
    dpkg-query --status "$package" > "$status/$package"
  done

echo "nonroot:x:65532:65532:nonroot:/:/sbin/nologin" > "$root/etc/passwd"
echo "nonroot:x:65532:" > "$root/etc/group"
echo "hosts: files dns" > "$root/etc/nsswitch.conf"
