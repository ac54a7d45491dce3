/**
 * Third-party programs for peer tests. On a developer's machine a missing one skips its tests with
 * a printed note; in CI it fails them.
 */
const PACKAGES = {
  kamailio: "kamailio",
  sipp: "sip-tester",
  baresip: "baresip-core",
  ffmpeg: "ffmpeg",
  bwrap: "bubblewrap",
  shellcheck: "shellcheck",
  nginx: "nginx-light",
  "systemd-analyze": "systemd",
  "systemd-nspawn": "systemd-container",
  "dbus-daemon": "dbus",
  promtool: "prometheus",
  sqlite3: "sqlite3",
  pocketsphinx_batch: "pocketsphinx pocketsphinx-en-us",
} as const;

export type PeerName = keyof typeof PACKAGES;

/** Whether the program is installed. Throws in CI (`CI=true`) if it is not. */
export function requirePeer(name: PeerName): boolean {
  if (Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` })) return true;
  const remedy = `${name} is not installed: apt-get install ${PACKAGES[name]}`;
  if (process.env.CI === "true") throw new Error(remedy);
  console.warn(`SKIPPED peer tests: ${remedy}`);
  return false;
}

/** Path of the program; throws if it is missing. */
export function peerPath(name: PeerName): string {
  const path = Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` });
  if (!path) throw new Error(`${name} is not installed`);
  return path;
}
