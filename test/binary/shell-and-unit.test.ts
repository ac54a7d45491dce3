/** The shell scripts and the unit, by the tools that judge them. */
import { expect, test } from "bun:test";
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { requirePeer } from "../support/peers.ts";
import { testWhere } from "../support/privileges.ts";
import { tempDir } from "../support/temp-dir.ts";

const ROOT = join(import.meta.dir, "../..");
const EXPOSURE_MAX = 1.5;

async function outputOf(...command: string[]) {
  const child = Bun.spawn(command, { cwd: ROOT, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { status: await child.exited, out, err };
}

test.skipIf(!requirePeer("shellcheck"))("shellcheck finds nothing in the scripts", async () => {
  const scripts = ["install.sh", "test/support/appliance/bare-machine/systemctl", ".ci/run"];
  expect(await outputOf("shellcheck", ...scripts)).toMatchObject({ status: 0, out: "" });
});

const UNITS = readdirSync(join(ROOT, "systemd")).filter((name) => name.endsWith(".service"));

test.skipIf(!requirePeer("systemd-analyze")).each(UNITS)(
  "the exposure of %s is at most 1.5",
  async (unit) => {
    const { out } = await outputOf(
      ...["systemd-analyze", "security", "--offline=true", `systemd/${unit}`],
    );
    const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(out)?.[1]);
    expect(exposure).toBeLessThanOrEqual(EXPOSURE_MAX);
  },
);

test.each(UNITS)("%s runs as the user of its program", async (unit) => {
  const [, program] = /^(linevoice|sqld)/.exec(unit) ?? [];
  const text = await Bun.file(join(ROOT, "systemd", unit)).text();
  expect(/^User=(.*)$/m.exec(text)?.[1]).toBe(program);
});

testWhere(process.getuid?.() === 0, "real time")(
  "what computes at real-time priority without a pause is ended by the unit's limit",
  async () => {
    const unit = await Bun.file(join(ROOT, "systemd/linevoice.service")).text();
    const [, limit = ""] = /^LimitRTTIME=(.*)$/m.exec(unit) ?? [];
    const endless = ["chrt", "--fifo", "1", "sh", "-c", "while :; do :; done"];
    const child = Bun.spawn(["prlimit", `--rttime=${limit}`, "timeout", "5", ...endless]);
    await child.exited;
    // timeout(1) ends by the signal that its command ended by.
    expect(child.signalCode).toBe("SIGXCPU");
  },
);

test("the unit is not restarted after the status of a wrong configuration", async () => {
  const configuration = join(tempDir(), "wrong.toml");
  await Bun.write(configuration, "[server]\nlisten = 5\n");
  const served = await outputOf(
    process.execPath,
    "src/main.ts",
    "serve",
    "--config",
    configuration,
  );
  const unit = await Bun.file(join(ROOT, "systemd/linevoice.service")).text();
  const status = Number(/^RestartPreventExitStatus=(\d+)$/m.exec(unit)?.[1]);
  expect([status, served.status, served.err.includes("wrong.toml:2")]).toEqual([2, 2, true]);
});

test("the pauses before a start grow with the starts of the last five minutes, and end at 45 seconds", async () => {
  const unit = await Bun.file(join(ROOT, "systemd/linevoice.service")).text();
  expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
  const [, line = ""] = /^ExecStartPre=\/bin\/sh -c '(.*)'$/m.exec(unit) ?? [];
  const place = tempDir();
  const command = line.replaceAll("$$", "$").replace("/run/linevoice", place);
  const pauses: number[] = [];
  const start = async () => {
    const { status, out, err } = await outputOf("sh", "-c", `sleep() { echo "$1"; }; ${command}`);
    expect([status, err]).toEqual([0, ""]);
    pauses.push(Number(out));
  };
  for (let count = 0; count < 14; count++) await start();
  expect(pauses).toEqual([0, 0, 0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 45, 45]);
  const longAgo = new Date(Date.now() - 400_000);
  for (const name of readdirSync(place)) utimesSync(join(place, name), longAgo, longAgo);
  await start();
  expect(pauses.at(-1)).toBe(0);
});

test("a reload with a wrong configuration fails without a signal to the server", async () => {
  const configuration = join(tempDir(), "wrong.toml");
  await Bun.write(configuration, "[log]\nlevel = 5\n");
  const unit = await Bun.file(join(ROOT, "systemd/linevoice.service")).text();
  const [check = "", hangUp] = [...unit.matchAll(/^ExecReload=(.*)$/gm)].map(([, line]) => line);
  const words = check.replace("/etc/linevoice/linevoice.toml", configuration).split(" ").slice(3);
  const checked = await outputOf(process.execPath, "src/main.ts", ...words);
  expect(checked).toMatchObject({ status: 2, err: expect.stringContaining("wrong.toml:2") });
  expect(hangUp).toBe("/bin/kill -HUP $MAINPID");
});
