#!/bin/sh
# Installs, upgrades and removes Linevoice on a machine with systemd. POSIX sh, needs nothing that a
# bare Debian lacks. May be run as often as one likes: what is there and right is left alone.
#
# What it makes:
#   <prefix>/bin/linevoice                             the program
#   /etc/linevoice/linevoice.toml                      configuration; never overwritten
#   /etc/linevoice/release-signers                     whose releases --upgrade takes; never overwritten
#   /etc/linevoice/credentials/secrets.master_key      seals stored secrets; made once, root alone reads it
#   /var/lib/linevoice                                 database, recordings, backups; owned by user linevoice
#   /etc/systemd/system/linevoice.service              (packages: <prefix>/lib/systemd/system)
set -eu
umask 022

usage() {
  cat <<'USAGE'
Usage: sh install.sh [--prefix DIR] [--no-start]
       sh install.sh --upgrade [--unsigned] [--prefix DIR]
       sh install.sh --uninstall [--purge] [--prefix DIR]

  (nothing)    install; a second run changes nothing
  --upgrade    back up, put the new program in place, start it, and go back if it does not get well
  --unsigned   with --upgrade: take a program without a signature, such as a build of your own
  --uninstall  stop and remove the program and its unit; configuration and data stay
  --purge      with --uninstall: also delete configuration, data, recordings and the user
  --prefix     where bin/ is (default /usr/local)
  --no-start   do not enable or start the service

With DESTDIR set, files are put below it for packaging: no user is made, nothing is started.
USAGE
}

say() { printf '%s\n' "$*"; }
fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}
wrong_usage() {
  printf 'install.sh: %s\n' "$*" >&2
  usage >&2
  exit 2
}

action=install
purge=no
start=yes
unsigned=no
prefix=/usr/local
while [ $# -gt 0 ]; do
  case $1 in
    --upgrade) action=upgrade ;;
    --uninstall) action=uninstall ;;
    --purge) purge=yes ;;
    --no-start) start=no ;;
    --unsigned) unsigned=yes ;;
    --prefix)
      [ $# -ge 2 ] || wrong_usage "--prefix needs a directory."
      prefix=$2
      shift
      ;;
    --prefix=*) prefix=${1#--prefix=} ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) wrong_usage "unknown option $1" ;;
  esac
  shift
done
case $prefix in
  *[!A-Za-z0-9/._+-]*) wrong_usage "--prefix has letters, digits and / . _ + - only: it stands in the unit." ;;
  /*) prefix=${prefix%/} ;;
  *) wrong_usage "--prefix is an absolute path, such as /usr/local." ;;
esac
[ "$purge" = no ] || [ "$action" = uninstall ] || wrong_usage "--purge goes with --uninstall only."

[ "$unsigned" = no ] || [ "$action" = upgrade ] || wrong_usage "--unsigned goes with --upgrade only."

root=${DESTDIR:-}
root=${root%/}
source_dir=$(cd "$(dirname "$0")" && pwd)
user=linevoice
bin_dir=$root$prefix/bin
program=$bin_dir/linevoice
lib_dir=$root$prefix/lib/linevoice
# Versions before 0.2.0 put the recogniser's data there; now it is inside the program.
old_pack=$lib_dir/linevoice-hearing-en.pack
config_dir=$root/etc/linevoice
config=$config_dir/linevoice.toml
credentials=$config_dir/credentials
master_key=$credentials/secrets.master_key
data_dir=$root/var/lib/linevoice
signers=$config_dir/release-signers
signer=releases@linevoice
# systemd reads units below /usr and in /etc, and nowhere else.
if [ "$prefix" = /usr ] || { [ -n "$root" ] && [ "$prefix" != /usr/local ]; }; then
  unit_dir=$root$prefix/lib/systemd/system
else
  unit_dir=$root/etc/systemd/system
fi
unit=$unit_dir/linevoice.service

has_systemd() { [ -z "$root" ] && [ -d /run/systemd/system ] && command -v systemctl >/dev/null 2>&1; }
is_running() { has_systemd && systemctl is-active --quiet linevoice; }
owns() { [ -z "$root" ]; }

# --- What is to be installed -----------------------------------------------------------------------

find_release() {
  if [ -f "$source_dir/linevoice" ]; then
    release=$source_dir
  elif [ -f "$source_dir/dist/linevoice" ]; then
    release=$source_dir/dist
  else
    fail "there is no program beside this script. Unpack the whole archive, or run 'npm run build' first."
  fi
  new=$release/linevoice
}

# True when SHA256SUMS was signed by a key of the file $1, and says what else of the archive is used.
is_signed_by() {
  [ -f "$release/SHA256SUMS.sig" ] || return 1
  ssh-keygen -Y verify -f "$1" -I "$signer" -n linevoice-release \
    -s "$release/SHA256SUMS.sig" <"$release/SHA256SUMS" >/dev/null 2>&1 || return 1
  for name in linevoice install.sh systemd/linevoice.service config/linevoice.toml; do
    grep -q "[ *]$name\$" "$release/SHA256SUMS" || return 1
  done
}

# An upgrade takes only what the key signed that was installed with the first release.
verify_signature() {
  owns || return 0
  if [ "$unsigned" = yes ]; then
    say "the signature is not looked at (--unsigned)"
    return 0
  fi
  [ -f "$signers" ] ||
    fail "$signers is missing, so nothing says whose releases to take. Put the maintainers' key there (docs/upgrade.md), or give --unsigned for a build of your own. Nothing was changed."
  command -v ssh-keygen >/dev/null 2>&1 ||
    fail "ssh-keygen is needed to check the signature: apt-get install openssh-client. Nothing was changed."
  [ -f "$release/SHA256SUMS.sig" ] ||
    fail "this release is not signed (SHA256SUMS.sig is missing). Download the archive again, or give --unsigned for a build of your own. Nothing was changed."
  is_signed_by "$signers" ||
    fail "the signature is not by a key in $signers. Do not use this archive: download it again from the maintainers. Nothing was changed."
}

# The first release brings the key of those that follow.
put_signers() {
  owns || return 0
  if [ -f "$signers" ] || [ ! -f "$release/release-signers" ]; then return 0; fi
  if ! command -v ssh-keygen >/dev/null 2>&1; then
    say "ssh-keygen is missing, so $signers, which upgrades need, was not made: apt-get install openssh-client, and run this again"
    return 0
  fi
  is_signed_by "$release/release-signers" || return 0
  cp "$release/release-signers" "$signers.new"
  chmod 0644 "$signers.new"
  mv "$signers.new" "$signers"
  say "upgrades are taken from the key in $signers: compare it with the one that the maintainers publish"
}

verify_checksum() {
  [ -f "$release/SHA256SUMS" ] || fail "$release/SHA256SUMS is missing: the archive is not whole. Unpack it again."
  (cd "$release" && sha256sum --check --strict --quiet SHA256SUMS) ||
    fail "a file is not what its checksum says. Nothing was changed. Download the archive again."
  grep -q '[ *]linevoice$' "$release/SHA256SUMS" ||
    fail "SHA256SUMS does not name the program. Nothing was changed. Download the archive again."
}

# The version with its commit: two builds may have the same version.
build_of() { "$1" version 2>/dev/null | sed -n 's/^linevoice //p; s/^commit \(.*\)/(\1)/p' | tr '\n' ' ' | sed 's/ $//'; }
version_of() { "$1" version 2>/dev/null | sed -n 's/^linevoice //p'; }

verify_runs() {
  # Speech is computed with it (src/platform/audio/vector-instructions.ts).
  if [ "$(uname -m)" = x86_64 ] && ! grep -qw avx /proc/cpuinfo; then
    fail "this processor has no AVX, without which nobody's speech can be heard. Nothing was changed. In a virtual machine choose the processor type host (or x86-64-v3); else take another machine."
  fi
  new_version=$(version_of "$new") || new_version=
  [ -z "$new_version" ] || return 0
  "$new" version >&2 || true
  fail "the program does not run here, see above. Another machine's (Exec format error)? Take the archive for $(uname -m): x64 for x86_64, arm64 for aarch64. Permission denied? Unpack it as it was packed, where programs may run (a mount with noexec)."
}

same_file() { [ -f "$2" ] && cmp -s "$1" "$2"; }

# Is version $1 older than $2?
is_older() {
  [ "$1" != "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

# --- Steps -----------------------------------------------------------------------------------------

require_root() {
  owns || return 0
  [ "$(id -u)" -eq 0 ] || fail "run this as root: sudo sh install.sh"
}

# Before anything is changed, and told from a wrong checksum.
require_tools() {
  for tool in awk base64 cmp sha256sum sort useradd; do
    command -v "$tool" >/dev/null 2>&1 || { [ "$tool" = useradd ] && ! owns; } ||
      fail "$tool is missing. On Debian: apt-get install coreutils diffutils mawk passwd. Nothing was changed."
  done
}

require_room() {
  mkdir -p "$bin_dir"
  needed=$(($(wc -c <"$new") / 1024 + 1024))
  free=$(df -Pk "$bin_dir" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$needed" ] ||
    fail "not enough room in $bin_dir: $needed KB needed, $free KB free. Nothing was changed."
}

make_user() {
  owns || return 0
  id "$user" >/dev/null 2>&1 && return 0
  useradd --system --user-group --no-create-home --home-dir /var/lib/linevoice \
    --shell /usr/sbin/nologin "$user"
  say "made the user $user"
}

make_directories() {
  mkdir -p "$unit_dir" "$config_dir" "$data_dir"
  chmod 0755 "$config_dir"
  chmod 0700 "$data_dir"
  if owns; then chown "$user:$user" "$data_dir"; fi
  make_credentials
}

# The service reads secrets that its group may read, as it may what is made here; the master key is handed to it.
make_credentials() {
  mkdir -p "$credentials"
  if owns; then chown "root:$user" "$credentials"; fi
  chmod 2750 "$credentials"
}

# Writes $1 beside $2, with mode $3, and compares it. put_drafts renames it: what may fail has happened by then.
draft() {
  if ! { mkdir -p "$(dirname "$2")" && cp "$1" "$2.new" && chmod "$3" "$2.new" && cmp -s "$1" "$2.new"; }; then
    fail "$2 could not be written (disk full?). Nothing was changed."
  fi
  sync "$2.new" 2>/dev/null || sync
}

drop_drafts() { rm -f "$program.new" "$unit.new" "$unit.new2"; }

# Each in one step; what it replaces stays as <name>.previous, under which it takes no more room.
put_drafts() {
  for file in "$program" "$unit"; do
    if [ -f "$file.new" ] && [ -f "$file" ]; then
      ln -f "$file" "$file.previous" || fail "$file could not be kept for a way back. Nothing was changed."
    fi
  done
  for file in "$program" "$unit"; do
    [ -f "$file.new" ] || continue
    mv -f "$file.new" "$file"
  done
}

put_config() {
  if [ -f "$config" ]; then
    say "kept $config"
    return 0
  fi
  sed 's|^data_dir = .*|data_dir = "/var/lib/linevoice"|' "$source_dir/config/linevoice.toml" >"$config.new"
  chmod 0640 "$config.new"
  if owns; then chown "root:$user" "$config.new"; fi
  mv "$config.new" "$config"
  say "wrote $config"
}

make_master_key() {
  [ -z "$root" ] || return 0
  [ ! -f "$master_key" ] || return 0
  # An appliance that ran without this script has its key in the data directory: that one stays.
  [ ! -f "$data_dir/master.key" ] || return 0
  (umask 077 && head -c 32 /dev/urandom | base64 >"$master_key.new")
  sync "$master_key.new" 2>/dev/null || sync
  mv "$master_key.new" "$master_key"
  say "made the master key in $master_key: keep a copy of it in a safe place, apart from the backups"
}

draft_unit() {
  unit_changed=no
  sed "s|\([= ]\)/usr/local/bin/linevoice |\1$prefix/bin/linevoice |" "$source_dir/systemd/linevoice.service" >"$unit.new"
  # Without the credential's file the unit would not start: its key is in the data directory then.
  if owns && [ ! -f "$master_key" ]; then
    sed '/^LoadCredential=secrets.master_key/d' "$unit.new" >"$unit.new2"
    mv "$unit.new2" "$unit.new"
  fi
  if same_file "$unit.new" "$unit"; then
    rm "$unit.new"
    return 0
  fi
  chmod 0644 "$unit.new"
  unit_changed=yes
}

# Waits for the service to carry calls; gives up early when it is not even running any more.
gets_ready() {
  tries=0
  while [ $tries -lt 30 ]; do
    "$program" ready --config "$config" --wait 3 && return 0
    is_running || return 1
    tries=$((tries + 1))
  done
  return 1
}

start_service() {
  if ! has_systemd; then
    [ -n "$root" ] || say "no systemd here. Start it yourself: $prefix/bin/linevoice serve --config /etc/linevoice/linevoice.toml"
    return 1
  fi
  [ "$unit_changed" = no ] || systemctl daemon-reload
  if [ "$start" = no ]; then return 1; fi
  systemctl enable --quiet linevoice
  if ! is_running; then
    systemctl start linevoice || fail "the service did not start. See: journalctl -u linevoice -n 50"
  fi
  gets_ready || fail "the service runs but is not ready. See: linevoice doctor"
  return 0
}

# --- Install, upgrade, uninstall -------------------------------------------------------------------

install_all() {
  require_root
  require_tools
  drop_drafts
  trap drop_drafts EXIT
  find_release
  verify_checksum
  verify_runs
  if [ -f "$program" ] && ! same_file "$new" "$program"; then
    fail "Linevoice $(version_of "$program") is installed. To put $new_version in its place: sh install.sh --upgrade"
  fi
  if [ -f "$program" ]; then
    said="Linevoice $new_version is in place"
  else
    require_room
    draft "$new" "$program" 0755
    said="installed Linevoice $new_version in $program"
  fi
  put_drafts
  say "$said"
  make_user
  make_directories
  put_config
  put_signers
  make_master_key
  draft_unit
  put_drafts
  if start_service; then
    say ""
    say "Linevoice runs."
    "$program" setup --config "$config" || say "  (make one with: linevoice setup)"
  fi
}

# A text of [storage], as the installed program reads it.
storage_key() { "$program" config show --config "$config" 2>/dev/null | sed -n "s/^storage\.$1 *\"\([^\"]*\)\".*/\1/p"; }

# Where the data is; only an absolute path is the same for the service and for root.
find_data() {
  stored=$data_dir
  owns || return 0
  named=$(storage_key data_dir) || named=
  case $named in /*) stored=$named ;; esac
}

# The service still runs what a cut-off upgrade has replaced.
runs_replaced() {
  is_running || return 1
  case $(readlink "/proc/$(systemctl show --property MainPID --value linevoice)/exe") in
    *" (deleted)") return 0 ;;
    *) return 1 ;;
  esac
}

upgrade() {
  require_root
  require_tools
  drop_drafts
  trap drop_drafts EXIT
  find_release
  verify_signature
  verify_checksum
  verify_runs
  [ -f "$program" ] || fail "Linevoice is not installed in $bin_dir. Install it first: sh install.sh"
  old_version=$(version_of "$program") || old_version=
  old_build=$(build_of "$program") || old_build=$old_version
  if same_file "$new" "$program"; then
    say "Linevoice $new_version is in place already"
    if runs_replaced; then
      say "the service runs the program from before: restarting; waiting for live calls to finish"
      systemctl daemon-reload
      { systemctl restart linevoice && gets_ready; } ||
        fail "Linevoice $new_version is not ready. See: linevoice doctor. The program from before is $program.previous."
    fi
    return 0
  fi
  if [ -n "$old_version" ] && is_older "$new_version" "$old_version"; then
    fail "Linevoice $old_version is installed; $new_version is older, and an older program does not read a newer database. To go back: linevoice restore a backup from before the upgrade, with the program of that time."
  fi
  "$new" config check --config "$config" ||
    fail "the configuration does not fit Linevoice $new_version; see above. Nothing was changed."
  require_room
  find_data
  # The installer of 0.1.0 made a key that nothing uses, and asked to keep a copy of that one.
  if [ -f "$stored/master.key" ] && [ -f "$master_key" ] && ! cmp -s "$stored/master.key" "$master_key"; then
    say "the master key in use is $stored/master.key, not $master_key: keep a copy of the first, apart from the backups"
  fi
  backup=$stored/backups/before-$new_version-$(date -u +%Y%m%dT%H%M%SZ).db
  was_running=no
  # A service that failed was meant to run: the new program may be the remedy.
  if is_running || { has_systemd && systemctl is-failed --quiet linevoice; }; then was_running=yes; fi
  case $(storage_key database) in *://*) on_server=yes ;; *) on_server=no ;; esac
  if [ "$on_server" = yes ]; then
    # A file from before the move may still be there; nothing reads it.
    backup=
    say "the database is on a server: its dump is yours to take (docs/nodes.md)"
  elif [ -f "$stored/linevoice.db" ]; then
    # The program makes its directory as the data's owner: root changes nothing inside what the service owns.
    "$program" backup create --to "$backup" --config "$config" >/dev/null ||
      fail "the backup failed, so nothing was changed. See: linevoice doctor"
    say "backed up to $backup"
  else
    backup=
  fi
  draft "$new" "$program" 0755
  make_credentials
  draft_unit
  rm -f "$program.previous" "$unit.previous"
  put_drafts
  if [ "$was_running" = no ]; then
    say "upgraded $old_build to $(build_of "$program"); the service was not running and was not started"
    return 0
  fi
  [ "$unit_changed" = no ] || systemctl daemon-reload
  say "restarting; waiting for live calls to finish"
  systemctl reset-failed linevoice 2>/dev/null || true
  if systemctl restart linevoice && gets_ready; then
    rm -f "$old_pack" "$old_pack.previous"
    rmdir "$lib_dir" 2>/dev/null || true
    say "upgraded $old_build to $(build_of "$program")"
    return 0
  fi
  roll_back
}

# The old program $1 may not read what the new one migrated. The copy that the new one made before, after the drain,
# has all that the old one had acknowledged; the backup from before the restart has not.
copy_to_restore() {
  if [ -z "$backup" ] || "$1" migrate status --config "$config" >/dev/null 2>&1; then return 0; fi
  copy=$(find "$stored/backups" -maxdepth 1 -type f -name 'before-[0-9][0-9][0-9][0-9]_*.db' -newer "$backup" | sort | head -n 1)
  printf '%s\n' "${copy:-$backup}"
}

# The new program may have taken calls before it was found not ready.
may_lose() {
  lost=$("$new" restore "$1" --dry-run --config "$config" 2>&1) || lost="What it would lose is not known: $lost"
  case $lost in *"loses nothing"*) return 0 ;; esac
  say "Going back to $old_version restores $1. $lost" >&2
  say "Type \"yes\" to go back and lose it:" >&2
  read -r answer || answer=
  [ "$answer" = yes ]
}

roll_back() {
  say "Linevoice $new_version did not become ready: rolling back to $old_version" >&2
  systemctl stop linevoice || true
  copy=$(copy_to_restore "$program.previous")
  if [ -n "$copy" ] && ! may_lose "$copy"; then
    systemctl reset-failed linevoice 2>/dev/null || true
    systemctl start linevoice || true
    fail "Linevoice $new_version stays in place and is not ready. See: linevoice doctor. To go back and lose what is named above: systemctl stop linevoice; mv $program.previous $program; linevoice restore $copy; systemctl start linevoice"
  fi
  for file in "$program" "$unit"; do
    [ ! -f "$file.previous" ] || mv -f "$file.previous" "$file"
  done
  [ "$unit_changed" = no ] || systemctl daemon-reload
  if [ -n "$copy" ]; then
    "$program" restore "$copy" --yes --config "$config" >&2 ||
      fail "the copy $copy could not be restored. The data is as the new program left it; call for help before starting anything."
  fi
  systemctl reset-failed linevoice 2>/dev/null || true
  systemctl start linevoice || fail "Linevoice $old_version is back in place but does not start. See: journalctl -u linevoice -n 50"
  gets_ready || fail "Linevoice $old_version is back in place but is not ready. See: linevoice doctor"
  fail "the upgrade to $new_version was taken back; $old_version runs again. See: journalctl -u linevoice"
}

uninstall() {
  require_root
  drop_drafts
  find_data
  if has_systemd && [ -f "$unit" ]; then
    systemctl disable --quiet --now linevoice || fail "the service could not be stopped. Nothing was removed."
  fi
  rm -f "$program" "$program.previous" "$old_pack" "$old_pack.previous" "$unit" "$unit.previous"
  rmdir "$lib_dir" 2>/dev/null || true
  if has_systemd; then systemctl daemon-reload; fi
  say "removed the program and its unit"
  if [ "$purge" = no ]; then
    say "kept $config_dir and $stored; delete them with: sh install.sh --uninstall --purge"
    return 0
  fi
  rm -rf "$config_dir" "$data_dir"
  if owns && id "$user" >/dev/null 2>&1; then
    userdel "$user"
    if getent group "$user" >/dev/null 2>&1; then groupdel "$user"; fi
  fi
  if [ "$stored" = "$data_dir" ]; then
    say "deleted configuration, data, recordings, backups and the user"
  else
    say "deleted configuration and the user; the data is in $stored, as [storage] data_dir said: delete it yourself"
  fi
}

case $action in
  install) install_all ;;
  upgrade) upgrade ;;
  uninstall) uninstall ;;
esac
