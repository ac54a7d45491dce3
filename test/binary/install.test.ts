/**
 * install.sh on a machine with nothing but Debian (in namespaces), with the compiled program: twice, with
 * a wrong checksum, on a full disk, with an older version, with a broken newer one. Takes about a minute.
 */
import { afterEach, beforeAll, describe, expect } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type BareMachine, startBareMachine } from "../support/appliance/bare-machine.ts";
import { BUILD_LIMIT_MS, builtBinary } from "../support/appliance/binary.ts";
import { makeRelease, putBuilt } from "../support/appliance/release-directory.ts";
import { requirePeer } from "../support/peers.ts";
import { mayMakeNamespaces, testWhere } from "../support/privileges.ts";
import { tempDir } from "../support/temp-dir.ts";

const ROOT = join(import.meta.dir, "../..");
const LIMIT_MS = 180_000;
const MIB = 1_048_576;
const canRun = requirePeer("bwrap") && mayMakeNamespaces();
const onDebian = testWhere(canRun, "making namespaces");
const releases = tempDir();
/** What an installed machine holds, whose service never ran, and whose service ran and was stopped. */
const [neverStarted, stopped] = [join(tempDir(), "machine"), join(tempDir(), "machine")];
let machine: BareMachine | null = null;

beforeAll(async () => {
  if (!canRun) return;
  const binary = await builtBinary();
  chmodSync(releases, 0o755);
  const fails = "serve) echo broken >&2; exit 1 ;;";
  makeRelease(releases, "this", (file) => putBuilt(binary, file));
  makeRelease(releases, "newer", (file) => {
    pretending(file, "99.0.0", "");
    newUnit(file);
  });
  makeRelease(releases, "older", (file) => pretending(file, "0.0.1", ""));
  makeRelease(releases, "broken", (file) => pretending(file, "99.0.0", fails));
  makeRelease(releases, "broken-with-unit", (file) => {
    pretending(file, "99.0.0", fails);
    newUnit(file);
  });
  makeRelease(releases, "old", (file) => pretending(file, "0.0.2", READS_OLD_ONLY));
  makeRelease(releases, "migrating", (file) => pretending(file, "99.0.0", migratesAnd("exit 1")));
  makeRelease(releases, "writing", (file) =>
    pretending(file, "99.0.0", migratesAnd(TAKES_A_WRITE)),
  );
  makeRelease(releases, "forged", (file) => pretending(file, "99.0.0", ""));
  writeFileSync(join(releases, "forged/linevoice"), "#!/bin/sh\ntouch /tmp/forged\n");
  makeRelease(releases, "unsigned", (file) => pretending(file, "99.0.0", ""), null);
  makeRelease(releases, "theirs", (file) => pretending(file, "99.0.0", ""), "theirs");
  await keepInstalled();
}, BUILD_LIMIT_MS);

afterEach(() => machine?.stop());

function newUnit(file: string) {
  const unit = join(dirname(file), "systemd/linevoice.service");
  writeFileSync(unit, `${readFileSync(unit, "utf8")}# of 99.0.0\n`);
}

/** A copy of this program with another version and with the changes in `instead`. */
function pretending(file: string, version: string, instead: string) {
  const script = [
    "#!/bin/sh",
    'case "$1" in',
    `  version) echo "linevoice ${version}" ;;`,
    `  ${instead}`,
    '  *) exec /releases/this/linevoice "$@" ;;',
    "esac",
  ];
  writeFileSync(file, `${script.join("\n")}\n`);
}

const MIGRATED = "/var/lib/linevoice/migrated";
/** Fails like a program that meets an unknown migration. */
const READS_OLD_ONLY = `migrate) [ ! -e ${MIGRATED} ] || exit 1; exec /releases/this/linevoice "$@" ;;`;
/** Copies the database, then migrates it, like every program. */
const migratesAnd = (then: string) =>
  `serve) [ -e ${MIGRATED} ] || { /releases/this/linevoice backup create --to /var/lib/linevoice/backups/before-0099_next.db && touch ${MIGRATED}; }; ${then} ;;`;
const TAKES_A_WRITE =
  "/releases/this/linevoice tenant create --name Late --email late@example.com; exit 1";

/** The program, and the mebibyte that install.sh leaves free. */
const installedBytes = () => statSync(join(releases, "this/linevoice")).size + MIB + 16_384;

function start(localBytes?: number, mounts: Readonly<Record<string, string>> = {}): BareMachine {
  machine = startBareMachine({
    directory: tempDir(),
    mounts: { "/releases": releases, ...mounts },
    ...(localBytes === undefined ? {} : { localBytes }),
  });
  return machine;
}

/** Keeps the installation for later tests; the first tests examine the installation itself. */
async function keepInstalled(): Promise<void> {
  const directory = tempDir();
  const debian = startBareMachine({ directory, mounts: { "/releases": releases } });
  const run = async (command: string) =>
    expect(await debian.run(command)).toMatchObject({ status: 0 });
  await run("sh /releases/this/install.sh --no-start");
  copyMachine(directory, neverStarted);
  await run(`${START} && linevoice setup && systemctl stop linevoice`);
  copyMachine(directory, stopped);
  debian.stop();
}

const START = "systemctl start linevoice && linevoice ready --wait 60";

/** Programs are replaced and never written to, so that links to them do. */
function copyMachine(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const [how, part] of [
    ["-a", "etc"],
    ["-a", "var"],
    ["-al", "local"],
  ] as const) {
    const copied = Bun.spawnSync(["cp", how, join(from, part), to]);
    expect([copied.exitCode, String(copied.stderr)]).toEqual([0, ""]);
  }
}

/** The state after `install.sh --no-start`. */
function startUnstarted(): BareMachine {
  const directory = tempDir();
  copyMachine(neverStarted, directory);
  machine = startBareMachine({ directory, mounts: { "/releases": releases } });
  return machine;
}

/** The state after `install.sh`, with the service running. */
async function startInstalled(): Promise<BareMachine> {
  const directory = tempDir();
  copyMachine(stopped, directory);
  machine = startBareMachine({ directory, mounts: { "/releases": releases } });
  expect(await machine.run(START)).toMatchObject({ status: 0 });
  return machine;
}

/** A bare Debian has no sudo; its root needs none. Questions are answered with yes. */
const AS_ROOT =
  'set -e; sudo() { "$@"; }; cd /releases/this; SIP_PASSWORD=secret; linevoice() { /usr/local/bin/linevoice "$@"; }';

const ROOT_BLOCK = /```sh example root\n([\s\S]*?)```(?:\n\n```text\n([\s\S]*?)```)?/g;

/**
 * Shell blocks for root that match, with the lines that the document shows as their output. A carrier is not
 * asked: there is no network.
 */
const rootBlocks = (document: string, pattern: RegExp) =>
  [...readFileSync(join(ROOT, document), "utf8").matchAll(ROOT_BLOCK)]
    .map(([, text = "", shown = ""]) => ({
      text: text.replace(/^sudo linevoice trunk test.*\n/m, ""),
      shown: shown.split("\n").filter(Boolean),
    }))
    .filter(({ text }) => pattern.test(text));

/** "…" in a document stands for what differs from machine to machine. */
const asShown = (line: string) =>
  new RegExp(line.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", ".*"));

const STATE =
  "b2sum /usr/local/bin/linevoice /etc/linevoice/linevoice.toml /etc/systemd/system/linevoice.service /etc/linevoice/credentials/*";

describe("install.sh", () => {
  onDebian(
    "installs, starts and prints the owner's link; a second run changes nothing",
    async () => {
      const debian = start();
      const first = await debian.run("sh /releases/this/install.sh");
      expect(first).toMatchObject({ status: 0 });
      expect(first.out).toContain("installed Linevoice");
      expect(first.out).toMatch(/https?:\/\/\S+/);
      const files = await debian.run(
        "stat -c '%a %U:%G %n' /usr/local/bin/linevoice /etc/linevoice/linevoice.toml /etc/linevoice/credentials /etc/linevoice/credentials/secrets.master_key /var/lib/linevoice /var/lib/linevoice/linevoice.db",
      );
      expect(files.out.trim().split("\n")).toEqual([
        "755 root:root /usr/local/bin/linevoice",
        "640 root:linevoice /etc/linevoice/linevoice.toml",
        "2750 root:linevoice /etc/linevoice/credentials",
        "600 root:linevoice /etc/linevoice/credentials/secrets.master_key",
        "700 linevoice:linevoice /var/lib/linevoice",
        "600 linevoice:linevoice /var/lib/linevoice/linevoice.db",
      ]);
      // The key is not in the directory of the data that it encrypts.
      expect((await debian.run("ls /var/lib/linevoice/master.key")).status).not.toBe(0);
      // What root puts there is for the service.
      const put =
        "cd /etc/linevoice/credentials && echo secret >mail.smtp.password && stat -c %G *d";
      expect((await debian.run(`${put}; rm *d`)).out).toBe("linevoice\n");
      const running = await debian.run("ps -o user= -C linevoice");
      expect(running.out).toStartWith("linevo");
      const before = await debian.run(STATE);
      const second = await debian.run("sh /releases/this/install.sh");
      expect(second).toMatchObject({ status: 0 });
      expect(second.out).toContain("is in place");
      expect((await debian.run(STATE)).out).toBe(before.out);
    },
    LIMIT_MS,
  );

  onDebian("a processor without AVX is refused before anything is changed", async () => {
    const cpuinfo = join(tempDir(), "cpuinfo");
    const flags = readFileSync("/proc/cpuinfo", "utf8").replaceAll(/ avx\b/g, "");
    writeFileSync(cpuinfo, flags);
    const debian = start(undefined, { "/proc/cpuinfo": cpuinfo });
    const { status, out } = await debian.run("sh /releases/this/install.sh");
    expect(status).toBe(1);
    expect(out).toContain("this processor has no AVX");
    expect((await debian.run("ls /usr/local/bin/linevoice /etc/linevoice")).status).not.toBe(0);
  });

  onDebian(
    "what the documents tell root to type works",
    async () => {
      const debian = await startInstalled();
      const typed = [
        ...rootBlocks("docs/install.md", /linevoice ready/),
        ...rootBlocks("docs/install.md", /tenant create/),
        ...rootBlocks("docs/backup.md", /./),
        ...rootBlocks("docs/install.md", /--uninstall/),
      ];
      expect(typed.length).toBe(8);
      for (const { text, shown } of typed) {
        const { status, out } = await debian.run(`${AS_ROOT}\nyes yes | {\n${text}}`);
        expect({ text, out, status }).toMatchObject({ status: 0 });
        for (const line of shown) expect(out).toMatch(asShown(line));
      }
      expect((await debian.run("ls /var/lib/linevoice /usr/local/bin/linevoice")).status).not.toBe(
        0,
      );
    },
    LIMIT_MS,
  );

  onDebian(
    "a secret beside the configuration is the service's, named there or not, after an upgrade too",
    async () => {
      const debian = startUnstarted();
      const directory = "/etc/linevoice/credentials";
      const put = (name: string) =>
        `printf secret | install -g linevoice -m 0640 /dev/stdin ${directory}/${name}`;
      // As an installation of a version before left it.
      await debian.run(`chgrp root ${directory} && chmod 0700 ${directory}`);
      await debian.run(`${put("mail.smtp.password")} && ${put("openai")}`);
      await debian.run(
        `sed -i '0,/^api_key = ""/s||api_key = { file = "${directory}/openai" }|' /etc/linevoice/linevoice.toml`,
      );
      const upgraded = await debian.run("sh /releases/newer/install.sh --upgrade");
      expect(upgraded).toMatchObject({ status: 0 });
      const started = await debian.run("systemctl start linevoice && linevoice ready --wait 30");
      expect({ ...started, log: await debian.run("cat /run/linevoice.log") }).toMatchObject({
        status: 0,
      });
      const asService =
        "setpriv --reuid linevoice --regid linevoice --clear-groups env CREDENTIALS_DIRECTORY=/run/credentials";
      const shown = await debian.run(`${asService} linevoice config show`);
      expect(shown.out).toMatch(/^mail\.smtp\.password .* credential file mail\.smtp\.password$/m);
      expect(shown.out).toMatch(/^secrets\.master_key .* systemd credential secrets\.master_key$/m);
      const closed = `chmod 0600 ${directory}/openai && ${asService} linevoice config check`;
      const refused = await debian.run(closed);
      expect([refused.status, refused.out]).toEqual([
        2,
        expect.stringContaining("chgrp linevoice"),
      ]);
    },
    LIMIT_MS,
  );

  onDebian(
    "what root does on the command line stays the service's: with it stopped too",
    async () => {
      const debian = await startInstalled();
      const create = "linevoice tenant create --name Clinic --email clinic@example.com --json";
      expect(await debian.run(create)).toMatchObject({ status: 0 });
      await debian.run("systemctl stop linevoice");
      const credited = await debian.run("linevoice credit --tenant 1 --eur 5 --note cash --json");
      expect(credited).toMatchObject({ status: 0 });
      const foreign = await debian.run("find /var/lib/linevoice ! -user linevoice");
      expect(foreign.out).toBe("");
      const unprivileged = await debian.run(
        "setpriv --reuid linevoice --regid linevoice --clear-groups linevoice tenant list",
      );
      expect(unprivileged.status).toBe(2);
      expect(unprivileged.out).toContain("as root");
      const copied = await debian.run(
        "install -d -m 0700 /home/anna && printf t >/home/anna/token && linevoice store copy --to http://127.0.0.1:9 --token-file /home/anna/token",
      );
      expect([copied.status, copied.out]).toEqual([1, expect.not.stringContaining("cannot open")]);
      const stranger = "setpriv --reuid 65534 --regid 65534 --clear-groups linevoice ready";
      expect((await debian.run(stranger)).out).toContain("as root");
    },
    LIMIT_MS,
  );

  onDebian(
    "files that root names lie in root's own directories, which neither service nor user may enter",
    async () => {
      const debian = await startInstalled();
      await debian.run("linevoice tenant create --name Clinic --email clinic@example.com");
      const run = async (command: string) => {
        const done = await debian.run(`cd /tmp/mine && ${command}`);
        expect({ command, ...done }).toMatchObject({ status: 0 });
        return done.out;
      };
      expect(await debian.run("mkdir -m 0700 /tmp/mine")).toMatchObject({ status: 0 });
      await run("linevoice backup create --to /tmp/mine/copy.db");
      expect(await run("linevoice backup verify copy.db")).toContain("/tmp/mine/copy.db can be");
      await run("linevoice export --tenant 1 --to clinic.jsonl");
      await run("linevoice support-bundle --to bundle.tar.gz");
      const made = await run("stat -c '%a %U %n' copy.db clinic.jsonl bundle.tar.gz");
      expect(made.trim().split("\n")).toEqual([
        ...["600 root copy.db", "600 root clinic.jsonl", "600 root bundle.tar.gz"],
      ]);
      await run("systemctl stop linevoice");
      expect(await run("linevoice restore copy.db --yes")).toContain("1 tenants");
      await run("systemctl start linevoice && linevoice ready --wait 60");
      const foreign = await debian.run("find /var/lib/linevoice ! -user linevoice");
      expect(foreign.out).toBe("");
    },
    LIMIT_MS,
  );

  onDebian(
    "a file that root copied into the data directory is named before a restore changes anything",
    async () => {
      const debian = await startInstalled();
      await debian.run("linevoice tenant create --name Clinic --email clinic@example.com");
      await debian.run("mkdir /srv && linevoice backup create --to /srv/copy.db");
      await debian.run("systemctl stop linevoice");
      const journal = "/var/lib/linevoice/revocations.journal";
      await debian.run(`mv ${journal} /srv/ && cp /srv/revocations.journal ${journal}`);
      const restore = "linevoice restore /srv/copy.db --yes";
      const refused = await debian.run(restore);
      const chown = /chown \S+ \S+/.exec(refused.out)?.[0] ?? "";
      expect([refused.status, chown]).toEqual([1, expect.stringContaining(journal)]);
      expect((await debian.run("ls -d /var/lib/linevoice/before-restore*")).status).not.toBe(0);
      const examined = await debian.run("linevoice doctor | grep -A1 'data directory'");
      expect(examined.out).toContain(chown);
      expect(await debian.run(`${chown} && ${restore}`)).toMatchObject({ status: 0 });
    },
    LIMIT_MS,
  );

  onDebian(
    "a changed configuration is kept; --uninstall keeps the data, --purge leaves nothing",
    async () => {
      const debian = await startInstalled();
      await debian.run("sed -i 's/^level = .*/level = \"debug\"/' /etc/linevoice/linevoice.toml");
      expect(await debian.run("sh /releases/this/install.sh --uninstall")).toMatchObject({
        status: 0,
      });
      expect(
        (await debian.run("ls /usr/local/bin /usr/local/lib /etc/systemd/system")).out,
      ).not.toContain("linevoice");
      expect((await debian.run("ls /var/lib/linevoice")).out).toContain("linevoice.db");
      expect(await debian.run("sh /releases/this/install.sh --no-start")).toMatchObject({
        status: 0,
      });
      expect((await debian.run("cat /etc/linevoice/linevoice.toml")).out).toContain(
        'level = "debug"',
      );
      expect(await debian.run("sh /releases/this/install.sh --uninstall --purge")).toMatchObject({
        status: 0,
      });
      const left = await debian.run(
        "ls -d /etc/linevoice /var/lib/linevoice 2>/dev/null; grep linevoice /etc/passwd /etc/group",
      );
      expect(left.out).toBe("");
    },
    LIMIT_MS,
  );

  onDebian(
    "a wrong checksum stops before anything is changed or run",
    async () => {
      const debian = start();
      const refused = await debian.run("sh /releases/forged/install.sh");
      expect(refused.status).toBe(1);
      expect(refused.out).toContain("checksum");
      const left = await debian.run("ls -A /usr/local /etc/linevoice /tmp/forged 2>/dev/null");
      expect(left.out).not.toMatch(/bin|toml|forged\n/);
    },
    LIMIT_MS,
  );

  onDebian(
    "a tool that is missing and a program that may not run are named before anything is changed",
    async () => {
      const debian = start();
      const tools =
        "mkdir /tmp/few && ln -s /usr/bin/* /tmp/few && ln -sf /shim/* /tmp/few && rm /tmp/few/sha256sum";
      expect(await debian.run(tools)).toMatchObject({ status: 0 });
      const few = await debian.run("PATH=/tmp/few sh /releases/this/install.sh --no-start");
      expect([few.status, few.out]).toEqual([1, expect.stringContaining("sha256sum is missing")]);
      const copy = "cp -r /releases/newer /tmp/ && chmod 0644 /tmp/newer/linevoice";
      const locked = await debian.run(`${copy} && sh /tmp/newer/install.sh`);
      expect([locked.status, locked.out]).toEqual([1, expect.stringMatching(/ermission denied/)]);
      expect((await debian.run("ls -A /usr/local; ls -d /etc/linevoice")).out).not.toMatch(/bin/);
    },
    LIMIT_MS,
  );

  onDebian(
    "another prefix has its unit where systemd reads it",
    async () => {
      const debian = start();
      const installed = await debian.run("sh /releases/this/install.sh --prefix /opt/lv");
      expect(installed).toMatchObject({ status: 0 });
      const unit = (await debian.run("cat /etc/systemd/system/linevoice.service")).out;
      expect(unit).toContain("ExecStart=/opt/lv/bin/linevoice serve");
      expect(unit).not.toContain("/usr/local");
      expect(await debian.run("/opt/lv/bin/linevoice ready")).toMatchObject({ status: 0 });
    },
    LIMIT_MS,
  );

  onDebian(
    "on a full disk nothing is changed",
    async () => {
      const debian = start(32 * MIB);
      const refused = await debian.run("sh /releases/this/install.sh");
      expect(refused.status).toBe(1);
      expect(refused.out).toContain("not enough room");
      expect((await debian.run("ls /usr/local/bin; grep linevoice /etc/passwd")).out).toBe("");
    },
    LIMIT_MS,
  );

  onDebian(
    "an upgrade backs up first, swaps the program and its unit, and keeps the data",
    async () => {
      const debian = await startInstalled();
      await debian.run("linevoice tenant create --name Clinic --email clinic@example.com");
      expect((await debian.run("sh /releases/newer/install.sh")).out).toContain("--upgrade");
      const upgraded = await debian.run("sh /releases/newer/install.sh --upgrade");
      expect(upgraded).toMatchObject({ status: 0 });
      expect(upgraded.out).toMatch(/backed up to .*before-99\.0\.0/);
      expect((await debian.run("linevoice version")).out).toContain("99.0.0");
      expect((await debian.run("cat /etc/systemd/system/linevoice.service")).out).toContain(
        "# of 99.0.0",
      );
      expect((await debian.run("linevoice tenant list")).out).toContain("Clinic");
      const older = await debian.run("sh /releases/older/install.sh --upgrade");
      expect(older).toMatchObject({ status: 1 });
      expect(older.out).toContain("0.0.1 is older");
      expect((await debian.run("linevoice version")).out).toContain("99.0.0");
    },
    LIMIT_MS,
  );

  onDebian(
    "an upgrade that was cut off before the restart is finished by the next one",
    async () => {
      const debian = await startInstalled();
      const killer =
        '#!/bin/sh\n[ "$1" = restart ] && kill -9 $PPID || exec /shim/systemctl "$@"\n';
      await debian.run(
        `mkdir /tmp/cut && printf '${killer}' >/tmp/cut/systemctl && chmod 0755 /tmp/cut/systemctl`,
      );
      const upgrade = "sh /releases/newer/install.sh --upgrade";
      expect((await debian.run(`PATH=/tmp/cut:$PATH ${upgrade}`)).status).toBe(137);
      const runs = "readlink /proc/$(cat /run/linevoice.pid)/exe";
      expect((await debian.run(runs)).out).toContain("(deleted)");
      expect(await debian.run(upgrade)).toMatchObject({ status: 0 });
      expect((await debian.run(runs)).out).not.toContain("(deleted)");
      const again = await debian.run(upgrade);
      expect([again.status, again.out]).toEqual([0, expect.not.stringContaining("restarting")]);
    },
    LIMIT_MS,
  );

  onDebian(
    "a service that failed is started by the upgrade, one that was stopped is not",
    async () => {
      const debian = await startInstalled();
      await debian.run("kill -9 $(cat /run/linevoice.pid); sleep 0.5");
      const upgraded = await debian.run("sh /releases/newer/install.sh --upgrade");
      expect(upgraded).toMatchObject({ status: 0 });
      expect(await debian.run("linevoice ready")).toMatchObject({ status: 0 });
      expect(upgraded.out).toMatch(/upgraded \S+ \([0-9a-f]{12}(-dirty)?\) to 99\.0\.0/);
      await debian.run("systemctl stop linevoice; cp /releases/old/linevoice /usr/local/bin/");
      const stopped = await debian.run("sh /releases/newer/install.sh --upgrade");
      expect(stopped.status).toBe(0);
      expect(stopped.out).toContain("was not running and was not started");
    },
    LIMIT_MS,
  );

  onDebian(
    "data in another directory is backed up before an upgrade, and named when all else is purged",
    async () => {
      const debian = await startInstalled();
      await debian.run("systemctl stop linevoice && mkdir /srv && mv /var/lib/linevoice /srv/lv");
      await debian.run("install -d -o linevoice -g linevoice -m 0700 /var/lib/linevoice");
      await debian.run(
        `sed -i 's|^data_dir = .*|data_dir = "/srv/lv"|' /etc/linevoice/linevoice.toml`,
      );
      const upgraded = await debian.run("sh /releases/newer/install.sh --upgrade");
      expect([upgraded.status, upgraded.out]).toEqual([
        0,
        expect.stringContaining("backed up to /srv/lv/backups/before-99.0.0"),
      ]);
      const purged = await debian.run("sh /releases/newer/install.sh --uninstall --purge");
      expect([purged.status, purged.out]).toEqual([0, expect.stringContaining("/srv/lv")]);
      expect(await debian.run("ls /srv/lv/linevoice.db")).toMatchObject({ status: 0 });
    },
    LIMIT_MS,
  );

  onDebian(
    "an upgrade of a node on a database server passes over a file that was left behind",
    async () => {
      const debian = await startInstalled();
      await debian.run("systemctl stop linevoice");
      expect((await debian.run("ls /var/lib/linevoice")).out).toContain("linevoice.db");
      const toServer =
        "sed -i '/^database = /d; s|^\\[storage\\]|[storage]\\ndatabase = \"http://127.0.0.1:9\"|' /etc/linevoice/linevoice.toml";
      expect(await debian.run(toServer)).toMatchObject({ status: 0 });
      const upgraded = await debian.run("sh /releases/newer/install.sh --upgrade");
      expect(upgraded).toMatchObject({ status: 0 });
      expect(upgraded.out).toContain("the database is on a server");
      expect((await debian.run("linevoice version")).out).toContain("99.0.0");
    },
    LIMIT_MS,
  );

  onDebian(
    "an upgrade takes only what the key of the first release signed, and a build of one's own when told so",
    async () => {
      const debian = start();
      const first = await debian.run("sh /releases/this/install.sh --no-start");
      expect(first.out).toContain("/etc/linevoice/release-signers");
      for (const [name, why] of [
        ["unsigned", "is not signed"],
        ["theirs", "not by a key in"],
      ] as const) {
        const refused = await debian.run(`sh /releases/${name}/install.sh --upgrade`);
        expect([name, refused.status]).toEqual([name, 1]);
        expect(refused.out).toContain(why);
      }
      expect((await debian.run("linevoice version")).out).not.toContain("99.0.0");
      // A second installation does not replace a key that exists.
      await debian.run("sh /releases/theirs/install.sh");
      const signers = await debian.run("cat /etc/linevoice/release-signers");
      expect(signers.out).toBe(readFileSync(join(releases, "this/release-signers"), "utf8"));
      await debian.run("mv /etc/linevoice/release-signers /tmp/");
      const few =
        "mkdir /tmp/few && ln -s /usr/bin/* /usr/sbin/* /tmp/few; ln -sf /shim/* /tmp/few; rm /tmp/few/ssh-keygen";
      await debian.run(few);
      const blind = await debian.run("PATH=/tmp/few sh /releases/this/install.sh --no-start");
      expect([blind.status, blind.out]).toEqual([0, expect.stringContaining("openssh-client")]);
      const unknown = await debian.run("sh /releases/newer/install.sh --upgrade");
      expect([unknown.status, unknown.out]).toEqual([1, expect.stringContaining("is missing")]);
      await debian.run("mv /tmp/release-signers /etc/linevoice/");
      const own = await debian.run("sh /releases/unsigned/install.sh --upgrade --unsigned");
      expect(own).toMatchObject({ status: 0 });
      expect((await debian.run("linevoice version")).out).toContain("99.0.0");
    },
    LIMIT_MS,
  );

  onDebian(
    "root follows no link that the service planted where the backups go",
    async () => {
      const debian = startUnstarted();
      await debian.run("linevoice tenant create --name Clinic --email clinic@example.com");
      await debian.run("install -d -m 0755 /etc/victim");
      const plant =
        "rm -rf /var/lib/linevoice/backups && ln -s /etc/victim /var/lib/linevoice/backups";
      const planted = `setpriv --reuid linevoice --regid linevoice --clear-groups sh -c '${plant}'`;
      expect(await debian.run(planted)).toMatchObject({ status: 0 });
      const refused = await debian.run("sh /releases/newer/install.sh --upgrade");
      expect(refused.status).toBe(1);
      expect(refused.out).toContain("nothing was changed");
      const victim = await debian.run("stat -c '%U:%G %a' /etc/victim; ls -A /etc/victim");
      expect(victim.out.trim()).toBe("root:root 755");
    },
    LIMIT_MS,
  );

  onDebian(
    "an upgrade that did not become ready is taken back, with the database from before",
    async () => {
      const debian = await startInstalled();
      await debian.run("linevoice tenant create --name Clinic --email clinic@example.com");
      const back = await debian.run("sh /releases/broken/install.sh --upgrade");
      expect(back.status).toBe(1);
      expect(back.out).toContain("was taken back");
      expect((await debian.run("linevoice version")).out).not.toContain("99.0.0");
      expect(await debian.run("linevoice ready")).toMatchObject({ status: 0 });
      expect((await debian.run("linevoice tenant list")).out).toContain("Clinic");
    },
    LIMIT_MS,
  );

  /** The old program runs. Answers a key for its API. */
  async function startOld(debian: BareMachine): Promise<string> {
    await debian.run("cp /releases/old/linevoice /usr/local/bin/linevoice");
    expect(await debian.run(START)).toMatchObject({ status: 0 });
    await debian.run("linevoice tenant create --name Clinic --email clinic@example.com");
    const made = await debian.run("linevoice key create --tenant 1 --label writer");
    return /"secret":"([^"]*)"/.exec(made.out)?.[1] ?? made.out;
  }

  onDebian(
    "an upgrade that is taken back loses nothing that was acknowledged before the old program ended",
    async () => {
      const debian = startUnstarted();
      const key = await startOld(debian);
      const post = `curl -sf -X POST http://127.0.0.1:8080/api/v1/files -H "Authorization: Bearer ${key}" -H "Content-Type: application/json"`;
      const body = `"{\\"filename\\":\\"f$i.txt\\",\\"content\\":\\"x\\"}"`;
      const writing = `i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); ${post} -d ${body} >/dev/null && echo f$i.txt >>/tmp/acknowledged; sleep 0.05; done`;
      await debian.run(`(${writing}) >/dev/null 2>&1 & sleep 1`);
      const back = await debian.run("sh /releases/migrating/install.sh --upgrade");
      expect([back.status, back.out]).toEqual([1, expect.stringContaining("was taken back")]);
      const stored = `curl -sf "http://127.0.0.1:8080/api/v1/files" -H "Authorization: Bearer ${key}"`;
      const kept = (await debian.run(stored)).out;
      const acknowledged = (await debian.run("cat /tmp/acknowledged")).out.trim().split("\n");
      expect(acknowledged.length).toBeGreaterThan(3);
      expect(acknowledged.filter((name) => !kept.includes(name))).toEqual([]);
    },
    LIMIT_MS,
  );

  onDebian(
    "going back says what the new program has taken, asks, and keeps it without a yes",
    async () => {
      const debian = startUnstarted();
      await startOld(debian);
      const asked = await debian.run("sh /releases/writing/install.sh --upgrade");
      expect(asked.status).toBe(1);
      expect(asked.out).toContain("missing from the backup will be lost: 1 company");
      expect(asked.out).toContain("99.0.0 stays in place");
      expect((await debian.run("linevoice version")).out).toContain("99.0.0");
      expect((await debian.run("linevoice tenant list")).out).toContain("Late");
      const by = /systemctl stop linevoice; mv .*/
        .exec(asked.out)?.[0]
        .replace("restore", "restore --yes");
      expect(await debian.run(by ?? "exit 9")).toMatchObject({ status: 0 });
      expect(await debian.run("linevoice ready --wait 60")).toMatchObject({ status: 0 });
      const left = (await debian.run("linevoice tenant list")).out;
      expect([left.includes("Clinic"), left.includes("Late")]).toEqual([true, false]);
    },
    LIMIT_MS,
  );

  onDebian(
    "an upgrade that is taken back takes its unit back, too",
    async () => {
      const debian = await startInstalled();
      const before = await debian.run(STATE);
      const back = await debian.run("sh /releases/broken-with-unit/install.sh --upgrade");
      expect([back.status, back.out]).toEqual([1, expect.stringContaining("was taken back")]);
      expect(await debian.run(STATE)).toEqual(before);
      expect(await debian.run("linevoice ready")).toMatchObject({ status: 0 });
    },
    LIMIT_MS,
  );

  onDebian(
    "an upgrade deletes the recogniser's file of earlier versions",
    async () => {
      const debian = await startInstalled();
      const old = "/usr/local/lib/linevoice";
      await debian.run(`mkdir -p ${old}; touch ${old}/linevoice-hearing-en.pack`);
      const upgrade = await debian.run("sh /releases/newer/install.sh --upgrade");
      expect(upgrade).toMatchObject({ status: 0 });
      expect((await debian.run(`ls -d ${old}`)).status).not.toBe(0);
    },
    LIMIT_MS,
  );

  onDebian(
    "an upgrade needs room for what is new, and for no copy of what it replaces",
    async () => {
      const newBytes = statSync(join(releases, "newer/linevoice")).size;
      for (const [spare, status] of [
        [newBytes, 1],
        [newBytes + 6 * MIB, 0],
      ] as const) {
        const debian = start(installedBytes() + spare);
        expect(await debian.run("sh /releases/this/install.sh --no-start")).toMatchObject({
          status: 0,
        });
        if (status === 1) await debian.run("head -c 600000 /dev/zero > /usr/local/filler");
        const before = await debian.run(STATE);
        const upgrade = await debian.run("sh /releases/newer/install.sh --upgrade");
        expect({ spare, ...upgrade }).toMatchObject({ status });
        if (status === 1) {
          expect(upgrade.out).toContain("Nothing was changed");
          expect(await debian.run(STATE)).toEqual(before);
        }
        debian.stop();
      }
    },
    LIMIT_MS,
  );

  onDebian("wrong options are exit status 2 with the usage", async () => {
    const debian = start();
    const prefixes = ["--prefix relative", "--prefix '/opt/my apps'", "--prefix"];
    for (const options of ["--purge", "--nonsense", ...prefixes]) {
      const refused = await debian.run(`sh /releases/this/install.sh ${options}`);
      expect([options, refused.status]).toEqual([options, 2]);
      expect(refused.out).toContain("Usage:");
    }
  });

  onDebian("with DESTDIR files are put below it: no user, no key, nothing started", async () => {
    const debian = start();
    const packed = await debian.run(
      "DESTDIR=/var/pack sh /releases/this/install.sh --prefix /usr && find /var/pack -type f | sort",
    );
    expect(packed.status).toBe(0);
    expect(packed.out.trim().split("\n").slice(-3)).toEqual([
      "/var/pack/etc/linevoice/linevoice.toml",
      "/var/pack/usr/bin/linevoice",
      "/var/pack/usr/lib/systemd/system/linevoice.service",
    ]);
    expect(
      (await debian.run("cat /var/pack/usr/lib/systemd/system/linevoice.service")).out,
    ).toContain("ExecStart=/usr/bin/linevoice serve");
    expect((await debian.run("grep linevoice /etc/passwd")).out).toBe("");
  });
});
