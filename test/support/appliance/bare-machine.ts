/**
 * A machine with only Debian, in namespaces (bubblewrap): separate /etc, /var, /usr/local, network
 * and processes, the host's /usr read-only, and a systemctl that really starts the service. All its
 * processes end with it.
 */
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

const ETC = ["passwd", "group", "shadow", "gshadow", "login.defs", "nsswitch.conf"];
const COMMAND_LIMIT_MS = 150_000;

export interface BareMachine {
  /** Runs a line of sh as root. */
  run(command: string): Promise<{ readonly status: number; readonly out: string }>;
  /** Kills all its processes. Idempotent. */
  stop(): void;
}

export interface BareMachineOptions {
  /** Directory with its files: empty, or a copy of another machine's. */
  readonly directory: string;
  /** Host directories to mount read-only, by path in the machine. */
  readonly mounts: Readonly<Record<string, string>>;
  /** Size of /usr/local in bytes; default: as large as the disk. */
  readonly localBytes?: number;
}

export function startBareMachine(options: BareMachineOptions): BareMachine {
  const { directory, mounts, localBytes } = options;
  for (const part of ["etc", "var", "local"]) mkdirSync(join(directory, part), { recursive: true });
  for (const file of ETC) {
    const own = join(directory, "etc", file);
    if (existsSync(join("/etc", file)) && !existsSync(own)) copyFileSync(join("/etc", file), own);
  }
  const local =
    localBytes === undefined
      ? ["--bind", join(directory, "local"), "/usr/local"]
      : ["--size", String(localBytes), "--tmpfs", "/usr/local"];
  const child = spawn(
    "bwrap",
    [
      ...["--tmpfs", "/", "--ro-bind", "/usr", "/usr", ...local],
      ...["--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin"],
      ...["--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"],
      ...["--bind", join(directory, "etc"), "/etc", "--bind", join(directory, "var"), "/var"],
      ...["--ro-bind", "/etc/alternatives", "/etc/alternatives"],
      ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/run", "--tmpfs", "/tmp"],
      ...[
        "--dir",
        "/run/systemd/system",
        "--ro-bind",
        join(import.meta.dir, "bare-machine"),
        "/shim",
      ],
      ...Object.entries(mounts).flatMap(([inside, outside]) => ["--ro-bind", outside, inside]),
      ...["--unshare-pid", "--unshare-net", "--unshare-ipc", "--die-with-parent", "--clearenv"],
      ...["--setenv", "PATH", "/shim:/usr/local/bin:/usr/sbin:/usr/bin", "--chdir", "/"],
      ...["sh"],
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  let output = "";
  let wake: () => void = () => {};
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    wake();
  });
  let count = 0;
  let stopped = false;
  child.on("exit", () => {
    stopped = true;
    wake();
  });

  return {
    async run(command) {
      count++;
      const mark = `@@end-${count}@@`;
      child.stdin.write(`( ${command}\n) 2>&1 </dev/null; echo "${mark} $?"\n`);
      const until = performance.now() + COMMAND_LIMIT_MS;
      for (;;) {
        const match = new RegExp(`${mark} (\\d+)\\n`).exec(output);
        if (match) {
          const out = output.slice(0, match.index);
          output = output.slice(match.index + match[0].length);
          return { status: Number(match[1]), out };
        }
        if (stopped) throw new Error(`the machine stopped: ${output}`);
        if (performance.now() > until) throw new Error(`no end of: ${command}\n${output}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, 1_000);
        });
      }
    },
    stop() {
      if (!stopped) child.kill("SIGKILL");
      stopped = true;
    },
  };
}
