/** The shell scripts and the unit, by the tools that judge them. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { requirePeer } from "../support/peers.ts";

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
  const scripts = ["install.sh", "test/support/bare-machine/systemctl", ".ci/run"];
  expect(await outputOf("shellcheck", ...scripts)).toMatchObject({ status: 0, out: "" });
});

test.skipIf(!requirePeer("systemd-analyze"))("the unit's exposure is at most 1.5", async () => {
  const { out } = await outputOf(
    ...["systemd-analyze", "security", "--offline=true", "systemd/linevoice.service"],
  );
  const exposure = Number(/exposure level for linevoice\.service: ([\d.]+)/.exec(out)?.[1]);
  expect(exposure).toBeLessThanOrEqual(EXPOSURE_MAX);
});
