/**
 * The compiled program under the restrictions of the systemd unit: no privileges and no way to get them, only its data
 * is writable, a private /tmp, only the system calls of SystemCallFilter; and with the real-time priority that the unit
 * allows. In a container without CAP_SYS_RESOURCE the limit cannot be raised: there CAP_SYS_NICE replaces it.
 */
import { expect } from "bun:test";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { BUILD_LIMIT_MS, builtBinary } from "../support/appliance/binary.ts";
import { DEVELOPMENT } from "../support/appliance/machine.ts";
import { requirePeer } from "../support/peers.ts";
import { mayMakeNamespaces, mayRaisePriorityLimit, testWhere } from "../support/privileges.ts";
import { tempDir } from "../support/temp-dir.ts";

const ROOT = join(import.meta.dir, "../..");
const UNIT = join(ROOT, "systemd/linevoice.service");
const NOBODY = 65_534;
const hasLimit = mayRaisePriorityLimit();
/** What the unit allows of real time, as prlimit(1) sets it. */
const REAL_TIME = (hasLimit ? ["RTPRIO", "RTTIME"] : ["RTTIME"]).map((limit) => {
  const [, value] = new RegExp(`^Limit${limit}=(.*)$`, "m").exec(readFileSync(UNIT, "utf8")) ?? [];
  return `--${limit.toLowerCase()}=${value ?? 0}`;
});
const CAPABILITIES = hasLimit ? "-all" : "-all,+sys_nice";
const hasTools = [requirePeer("bwrap"), requirePeer("systemd-analyze")].every(Boolean);
const hardened = testWhere(hasTools && mayMakeNamespaces(), "making namespaces");

/** A call by telephone with an agent, in a process that the service starts. */
const ORDER = {
  agent_id: 1,
  suite: "Goodbye",
  mode: "phone",
  scenarios: "name: Goodbye\nscript: [{say: Goodbye.}]\n",
};

/** Starts the service, asks it and the doctor, rehearses, stops it; every line is on standard output. */
const SCRIPT = `
set -eu
linevoice serve --config /data/linevoice.toml >/data/serve.log 2>&1 &
server=$!
linevoice ready --wait 30 --config /data/linevoice.toml || { cat /data/serve.log; exit 1; }
linevoice doctor --config /data/linevoice.toml || true
linevoice backup create --config /data/linevoice.toml
linevoice tenant create --name Clinic --email desk@clinic.example --config /data/linevoice.toml
key=$(linevoice key create --tenant 1 --label rehearsals --json --config /data/linevoice.toml |
  sed 's/.*"secret":"\\([^"]*\\)".*/\\1/')
ask() { curl -sS -m 30 -H "Authorization: Bearer $key" -H "Content-Type: application/json" "$@"; }
api=http://127.0.0.1:8080/api/v1
ask $api/agents -d '{"name": "Desk", "prompt": "Help.", "voice": "Nathan", "language": "en"}'
id=$(ask $api/rehearsals -d @/data/order.json | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
for _ in $(seq 90); do
  ask $api/rehearsals/$id >/data/run.json
  grep -q '"ended_at":"' /data/run.json && break
  sleep 1
done
cat /data/run.json; echo
ask -o /data/run.mp3 -w 'recording %{http_code} %{size_download}\\n' $api/rehearsals/$id/recording
ls -d /data/phones-* 2>/dev/null && echo "LEFT BEHIND"
grep send_thread_unavailable /data/serve.log && echo "NO SEND THREAD"
for thread in /proc/$server/task/*; do
  grep -qx rtp-send $thread/comm && echo "rtp-send $(cut -d " " -f 40,41 $thread/stat)"
done
touch /usr/local/touched 2>/dev/null && echo "WROTE OUTSIDE"
mount -t tmpfs none /tmp 2>/dev/null && echo "MOUNTED"
ionice -c 3 true 2>&1 | grep -q "not permitted" || echo "NO FILTER"
kill -TERM $server
wait $server
echo "stopped with $?"
`;

hardened(
  "serves, hears, speaks, stores, backs up and rehearses by telephone under the unit's restrictions",
  async () => {
    const binary = await builtBinary();
    const directory = tempDir();
    const [data, opt] = [join(directory, "data"), join(directory, "opt")];
    for (const made of [data, opt]) mkdirSync(made);
    for (const file of [binary, UNIT, join(ROOT, "test/support/appliance/seccomp-run.py")]) {
      copyFileSync(file, join(opt, basename(file)));
      chmodSync(join(opt, basename(file)), 0o755);
    }
    writeFileSync(
      join(data, "linevoice.toml"),
      '[storage]\ndata_dir = "/data"\n[server]\nmetrics_listen = ""\n',
    );
    writeFileSync(join(data, "order.json"), JSON.stringify(ORDER));
    const hidden = join(directory, "hidden");
    writeFileSync(hidden, "");
    chmodSync(hidden, 0);
    chmodSync(directory, 0o755);
    chownSync(data, NOBODY, NOBODY);
    const child = Bun.spawn(
      [
        ...[
          "prlimit",
          ...REAL_TIME,
          "bwrap",
          "--tmpfs",
          "/",
          "--ro-bind",
          "/usr",
          "/usr",
          "--ro-bind",
          "/etc",
          "/etc",
        ],
        ...["--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin"],
        ...["--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"],
        ...["--tmpfs", "/usr/include"],
        ...DEVELOPMENT.flatMap((file) => ["--ro-bind", hidden, file]),
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
        ...(hasLimit ? [] : ["--cap-add", "CAP_SYS_NICE"]),
        ...["--clearenv", "--setenv", "PATH", "/opt:/usr/sbin:/usr/bin", "--"],
        ...["setpriv", "--reuid", String(NOBODY), "--regid", String(NOBODY), "--clear-groups"],
        ...["--no-new-privs", `--inh-caps=${CAPABILITIES}`, `--ambient-caps=${CAPABILITIES}`],
        `--bounding-set=${CAPABILITIES}`,
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
    expect(out).toMatch(/ok {2}packets/);
    // The lowest priority of SCHED_FIFO, which is policy 1.
    expect(out.match(/^rtp-send .*$/gm)).toEqual(["rtp-send 1 1"]);
    expect(out).toMatch(/^recording 200 \d{4,}$/m);
    expect(out).not.toMatch(/WROTE OUTSIDE|MOUNTED|NO FILTER|LEFT BEHIND|NO SEND THREAD/);
  },
  BUILD_LIMIT_MS,
);
