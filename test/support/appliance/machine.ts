/**
 * A machine with systemd as process 1, D-Bus and journal (systemd-nspawn): the host's /usr,
 * read-only and without the parts that only compilers need; everything else is new, and it has no
 * network. It ends with the test process, and its cgroups are removed.
 */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atTheEnd } from "../at-the-end.ts";
import { eventually } from "../eventually.ts";
import { tempDir } from "../temp-dir.ts";
import type { BareMachine } from "./bare-machine.ts";

const BOOT_LIMIT_MS = 30_000;
const COMMAND_LIMIT_MS = 60_000;

/**
 * Development files of the C library (libc6-dev), hidden because a production machine does not have
 * them.
 */
export const DEVELOPMENT = [...new Bun.Glob("usr/lib/*/libc.{so,a}").scanSync({ cwd: "/" })].map(
  (file) => join("/", file),
);

/** No first-boot questions and no console login. */
const KERNEL_COMMAND_LINE = ["systemd.firstboot=off", "systemd.mask=console-getty.service"];

/** Roots of the cgroup hierarchies that systemd uses: v2, or those of v1. */
const HIERARCHIES = ["", "systemd", "unified"]
  .map((name) => join("/sys/fs/cgroup", name))
  .filter((root) => existsSync(join(root, "cgroup.procs")));

let count = 0;

interface Container {
  /** Command line up to the command to run. */
  readonly command: readonly string[];
  /** Kills all processes inside and removes the cgroups. Idempotent. */
  readonly end: () => void;
}

function container(mounts: readonly string[]): Container {
  count++;
  const name = `linevoice-${process.pid}-${count}`;
  const cgroups = HIERARCHIES.map((root) => join(root, name)).join(" ");
  const directory = tempDir();
  const [hidden, preset] = [join(directory, "hidden"), join(directory, "preset")];
  writeFileSync(hidden, "");
  chmodSync(hidden, 0);
  // Debian would otherwise start every installed service.
  writeFileSync(preset, "disable *\n");
  const enter = `for at in ${cgroups}; do mkdir $at && echo $$ >$at/cgroup.procs || exit; done; exec "$@"`;
  // Send systemd-nspawn itself SIGTERM, because it cleans up.
  const end = `for _ in $(seq 100); do
    find ${cgroups} -path '*/payload/*procs' -exec cat {} + | xargs -r kill -KILL
    find ${cgroups} -name cgroup.procs -exec cat {} + | xargs -r kill -TERM
    find ${cgroups} -depth -type d -exec rmdir {} +
    find ${cgroups} -maxdepth 0 | grep -q . || exit 0
    sleep 0.1
  done`;
  return {
    command: [
      ...["sh", "-c", enter, "sh", "setpriv", "--pdeathsig=TERM", "systemd-nspawn", "--quiet"],
      ...["--directory=/", "--volatile=yes", "--private-network", "--bind-ro=/etc/alternatives"],
      ...["--register=no", "--keep-unit", `--machine=${name}`, "--tmpfs=/usr/include"],
      `--bind-ro=${preset}:/etc/systemd/system-preset/00-none.preset`,
      ...DEVELOPMENT.map((file) => `--bind-ro=${hidden}:${file}`),
      ...mounts,
    ],
    end: () => void Bun.spawnSync(["sh", "-c", end]),
  };
}

/** Whether this host may start such a machine. */
export function mayBootMachine(): boolean {
  if (process.getuid?.() !== 0 || HIERARCHIES.length === 0) return false;
  const { command, end } = container([]);
  const tried = Bun.spawnSync([...command, "/bin/true"]);
  end();
  if (tried.exitCode !== 0) console.warn(String(tried.stderr));
  return tried.exitCode === 0;
}

/**
 * `mounts`: mount options of systemd-nspawn, such as --bind=/a:/b. Resolves when the boot is
 * complete.
 */
export async function bootMachine(mounts: readonly string[]): Promise<Pick<BareMachine, "run">> {
  const { command, end } = container(mounts);
  atTheEnd(end);
  const terminal = join(tempDir(), "terminal");
  const child = Bun.spawn([...command, "--boot", ...KERNEL_COMMAND_LINE], {
    stdin: "ignore",
    stdout: Bun.file(terminal),
    stderr: Bun.file(terminal),
  });

  async function run(line: string) {
    const [init] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ");
    const inside = Bun.spawn(
      ["nsenter", "--all", `--target=${init}`, "sh", "-c", `exec 2>&1; ${line}`],
      {
        cwd: "/",
        env: { PATH: "/usr/local/bin:/usr/sbin:/usr/bin" },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "ignore",
        timeout: COMMAND_LIMIT_MS,
      },
    );
    const out = await new Response(inside.stdout).text();
    return { status: await inside.exited, out };
  }

  await eventually(
    async () => {
      if (child.exitCode !== null) throw new Error(readFileSync(terminal, "utf8"));
      // "degraded": a unit of this /usr that needs no enabling has failed.
      return /running|degraded/.test((await run("systemctl is-system-running --wait")).out);
    },
    "the machine starts",
    BOOT_LIMIT_MS,
  );
  return { run };
}
