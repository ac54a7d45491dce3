/**
 * The compiled program under what the unit forbids it: no privileges and no way to get them, everything
 * read-only but its data, a /tmp of its own, only the system calls of the unit's SystemCallFilter.
 */
import { expect } from "bun:test";
import { chmodSync, chownSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { BUILD_LIMIT_MS, builtBinary } from "../support/binary.ts";
import { requirePeer } from "../support/peers.ts";
import { mayMakeNamespaces, testWhere } from "../support/privileges.ts";
import { tempDir } from "../support/temp-dir.ts";

const ROOT = join(import.meta.dir, "../..");
const UNIT = join(ROOT, "systemd/linevoice.service");
const NOBODY = 65_534;
const hasTools = [requirePeer("bwrap"), requirePeer("systemd-analyze")].every(Boolean);
const hardened = testWhere(hasTools && mayMakeNamespaces(), "making namespaces");

/** Starts the service, asks it and the doctor, stops it; every line is on standard output. */
const SCRIPT = `
set -eu
linevoice serve --config /data/linevoice.toml >/data/serve.log 2>&1 &
server=$!
linevoice ready --wait 30 --config /data/linevoice.toml || { cat /data/serve.log; exit 1; }
linevoice doctor --config /data/linevoice.toml || true
linevoice backup create --config /data/linevoice.toml
touch /usr/local/touched 2>/dev/null && echo "WROTE OUTSIDE"
mount -t tmpfs none /tmp 2>/dev/null && echo "MOUNTED"
ionice -c 3 true 2>&1 | grep -q "not permitted" || echo "NO FILTER"
kill -TERM $server
wait $server
echo "stopped with $?"
`;

hardened(
  "serves, hears, speaks, stores and backs up under the unit's restrictions",
  async () => {
    const binary = await builtBinary();
    const directory = tempDir();
    const [data, opt] = [join(directory, "data"), join(directory, "opt")];
    for (const made of [data, opt]) mkdirSync(made);
    for (const file of [binary, UNIT, join(ROOT, "test/support/seccomp-run.py")]) {
      copyFileSync(file, join(opt, basename(file)));
      chmodSync(join(opt, basename(file)), 0o755);
    }
    writeFileSync(
      join(data, "linevoice.toml"),
      '[storage]\ndata_dir = "/data"\n[server]\nmetrics_listen = ""\n',
    );
    chmodSync(directory, 0o755);
    chownSync(data, NOBODY, NOBODY);
    const child = Bun.spawn(
      [
        ...["bwrap", "--tmpfs", "/", "--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc"],
        ...["--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin"],
        ...["--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"],
        ...["--ro-bind", opt, "/opt", "--bind", data, "/data"],
        ...["--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/"],
        ...[
          "--unshare-pid",
          "--unshare-net",
          "--unshare-ipc",
          "--unshare-uts",
          "--die-with-parent",
        ],
        ...["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"],
        ...["--clearenv", "--setenv", "PATH", "/opt:/usr/sbin:/usr/bin", "--"],
        ...["setpriv", "--reuid", String(NOBODY), "--regid", String(NOBODY), "--clear-groups"],
        ...["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"],
        ...["/usr/bin/python3", "/opt/seccomp-run.py", "/opt/linevoice.service", "sh", "-c"],
        SCRIPT,
      ],
      { cwd: "/", stdin: "ignore", stdout: "pipe", stderr: "pipe" },
    );
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect({ status: await child.exited, out, err }).toMatchObject({ status: 0 });
    expect(out).toContain("stopped with 0");
    expect(out).toMatch(/ok {2}engine/);
    expect(out).not.toMatch(/WROTE OUTSIDE|MOUNTED|NO FILTER/);
  },
  BUILD_LIMIT_MS,
);
