#!/usr/bin/env bash
# Puts the crev binary on the runner and prints its path as the step output
# "binary". Three sources, the first that applies:
#
#   1. dist/crev-OS-ARCH in the action's own folder, for runners without a
#      network: the commit that the workflow pins holds the binary itself.
#   2. The release's file, when action/VERSION and action/SHA256SUMS are there.
#      They exist only in the commit that a release tag names. The checksum
#      comes from that commit and not from the server the file comes from, so
#      a workflow that pins the commit pins the binary.
#   3. The source in the action's folder, built with the job's Go.
#
# A download that fails falls back to the source, which is the same program. A
# file with the wrong checksum stops the job.
set -euo pipefail

here=${GITHUB_ACTION_PATH:?is set by the runner}
bin=${RUNNER_TEMP:?is set by the runner}/crev-bin
mkdir -p "$bin"

case ${RUNNER_OS:-$(uname -s)} in
  Linux) os=linux ;;
  macOS | Darwin) os=darwin ;;
  *)
    echo "::error::crev runs on Linux and macOS runners, not on ${RUNNER_OS:-this system}"
    exit 1
    ;;
esac
case ${RUNNER_ARCH:-$(uname -m)} in
  X64 | x86_64 | amd64) arch=amd64 ;;
  ARM64 | aarch64 | arm64) arch=arm64 ;;
  *) arch=other ;;
esac
asset=crev-$os-$arch

sha256() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

finish() {
  chmod +x "$bin/crev"
  echo "crev: $1"
  echo "binary=$bin/crev" >>"${GITHUB_OUTPUT:?is set by the runner}"
  exit 0
}

if [ -f "$here/dist/$asset" ]; then
  cp "$here/dist/$asset" "$bin/crev"
  finish "the binary of the action's commit, dist/$asset"
fi

if [ -f "$here/action/VERSION" ] && [ -f "$here/action/SHA256SUMS" ] && [ -n "${CREV_REPOSITORY:-}" ]; then
  version=$(cat "$here/action/VERSION")
  want=$(awk -v name="$asset" '$2 == name || $2 == "*" name { print $1 }' "$here/action/SHA256SUMS")
  url=${CREV_SERVER:-https://github.com}/$CREV_REPOSITORY/releases/download/$version/$asset
  if [ -z "$want" ]; then
    echo "crev: release $version has no file for $os/$arch; building it from source"
  elif ! curl --fail --silent --show-error --location --retry 3 --max-time 120 --output "$bin/crev" "$url"; then
    echo "::warning::crev: could not download $url; building it from source"
  else
    got=$(sha256 "$bin/crev")
    if [ "$got" != "$want" ]; then
      rm -f "$bin/crev"
      echo "::error::crev: $url has the checksum $got, and the pinned commit says $want; the file is not what was released, do not use it"
      exit 1
    fi
    finish "release $version, checksum as in the pinned commit"
  fi
fi

if ! command -v go >/dev/null; then
  echo "::error::crev: there is no Go on this runner to build crev with; add a step actions/setup-go before it, or pin the commit of a release"
  exit 1
fi
(cd "$here" && CGO_ENABLED=0 GOFLAGS= go build -trimpath -buildvcs=false -ldflags='-s -w' -o "$bin/crev" ./cmd/crev)
finish "built from the action's source with $(go env GOVERSION)"
