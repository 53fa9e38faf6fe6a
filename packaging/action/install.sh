#!/usr/bin/env bash
# Installs the release VERSION from the address RELEASES for the jobs of this runner. Checks that the release workflow of
# REPOSITORY built the archive for this version: GitHub keeps that attestation apart from the release, so that a replaced
# archive with a replaced checksum is noticed. Only ATTESTATION=skip trusts the checksum alone.
set -euo pipefail

fail() {
  echo "::error::$1"
  exit 2
}

version=${VERSION#v}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "the version is like 0.1.0"

attestation=${ATTESTATION:-required}
case "$attestation" in
  required)
    command -v gh > /dev/null ||
      fail "gh is not installed, which verifies the attestation of the release: install it, or give 'attestation: skip' to trust the checksum alone"
    [[ ${REPOSITORY:-} =~ ^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$ ]] || fail "the repository of the release is like owner/name"
    ;;
  skip) ;;
  *) fail "attestation is required or skip" ;;
esac

case "${RUNNER_OS:-$(uname -s)}-${RUNNER_ARCH:-$(uname -m)}" in
  Linux-X64 | Linux-x86_64) target=x86_64-unknown-linux-musl ending=tgz ;;
  Linux-ARM64 | Linux-aarch64) target=aarch64-unknown-linux-musl ending=tgz ;;
  macOS-X64 | Darwin-x86_64) target=x86_64-apple-darwin ending=tgz ;;
  macOS-ARM64 | Darwin-arm64) target=aarch64-apple-darwin ending=tgz ;;
  Windows-*) target=x86_64-pc-windows-msvc ending=zip ;;
  *) fail "there is no release for this runner" ;;
esac

folder=${RUNNER_TEMP:-$(mktemp -d)}/sky-accel
mkdir -p "$folder"
cd "$folder"
name=sky-accel-$version-$target
for file in "$name.$ending" SHA256SUMS; do
  curl --fail --silent --show-error --location --retry 3 --output "$file" "$RELEASES/v$version/$file" ||
    fail "release $version has no $file"
done
# Exactly the line of this archive: the sums of others are of files that are not here.
awk -v file="$name.$ending" '$2 == file || $2 == "*" file' SHA256SUMS > sum
[[ -s sum ]] || fail "SHA256SUMS does not name $name.$ending"
if command -v sha256sum > /dev/null; then
  sha256sum --check --quiet sum || fail "$name.$ending is not what SHA256SUMS says"
else
  shasum --algorithm 256 --check --quiet sum || fail "$name.$ending is not what SHA256SUMS says"
fi
if [[ $attestation == required ]]; then
  gh attestation verify "$name.$ending" --repo "$REPOSITORY" --source-ref "refs/tags/v$version" \
    --signer-workflow "$REPOSITORY/.github/workflows/release.yml" --deny-self-hosted-runners ||
    fail "$name.$ending has no valid attestation of $REPOSITORY for v$version"
fi
if [[ $ending == zip ]]; then
  unzip -oq "$name.zip"
else
  tar -xzf "$name.tgz"
fi
echo "$folder/$name" >> "$GITHUB_PATH"
"$folder/$name/sky-accel" --version
