/** The compiled program and its unit under a real systemd, from install.sh to --uninstall. Takes some ten seconds. */
import { expect } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILD_LIMIT_MS, builtBinary } from "../support/appliance/binary.ts";
import { bootMachine, mayBootMachine } from "../support/appliance/machine.ts";
import { makeRelease, putBuilt } from "../support/appliance/release-directory.ts";
import { eventually } from "../support/eventually.ts";
import { requirePeer } from "../support/peers.ts";
import { testWhere } from "../support/privileges.ts";
import { tempDir } from "../support/temp-dir.ts";

const hasTools = [requirePeer("systemd-nspawn"), requirePeer("dbus-daemon")].every(Boolean);
const underSystemd = testWhere(hasTools && mayBootMachine(), "booting a machine in this one");
const CONFIG = "/etc/linevoice/linevoice.toml";
const CREDENTIALS = "/etc/linevoice/credentials";

/** Another version, which does not start. */
const BROKEN = `#!/bin/sh
case $1 in
  version) echo "linevoice 99.0.0" ;;
  serve) exit 1 ;;
  *) exec /releases/this/linevoice "$@" ;;
esac
`;

underSystemd(
  "the service is installed, reads its secrets, reloads, comes back from a kill and a broken upgrade, stops and is removed",
  async () => {
    const binary = await builtBinary();
    const directory = tempDir();
    chmodSync(directory, 0o755);
    makeRelease(directory, "this", (file) => putBuilt(binary, file));
    makeRelease(directory, "broken", (file) => writeFileSync(file, BROKEN));
    mkdirSync(join(directory, "local"));
    const machine = await bootMachine([
      `--bind-ro=${directory}:/releases`,
      `--bind=${directory}/local:/usr/local`,
    ]);
    const run = async (command: string, status = 0) => {
      const done = await machine.run(command);
      expect({ command, ...done }).toMatchObject({ status });
      return done.out.trim();
    };
    const show = (property: string) => run(`systemctl show linevoice -P ${property}`);
    const log = (options = "") => run(`journalctl -u linevoice -o cat --no-pager ${options}`);
    const change = (line: string, to: string) => run(`sed -i 's/^${line}$/${to}/' ${CONFIG}`);
    const reload = (status = 0) => run("systemctl reload linevoice", status);

    expect(await run("sh /releases/this/install.sh")).toContain("Linevoice runs.");
    expect(await run("systemctl is-active linevoice && linevoice ready")).toBe("active\nready");
    expect(await log()).toContain('"app.started"');
    expect(await log("-p warning")).toBe("");

    const pid = await show("MainPID");
    await change('level = "info"', 'level = "debug"');
    await reload();
    await eventually(async () => {
      await run("curl -sS http://127.0.0.1:8080/api/v1/ping");
      return (await log()).includes('"http.request"');
    }, "lines of the new level are in the journal");
    await change('level = "debug"', 'colour = "red"');
    await reload(1);
    await change('colour = "red"', 'level = "debug"');

    // A payment provider without its secrets is refused: who takes it has read them.
    await change('provider = "manual"', 'provider = "stripe"');
    await reload(1);
    expect([await show("ActiveState"), await show("MainPID")]).toEqual(["active", pid]);
    for (const name of ["secret_key", "webhook_secret"]) {
      const put = `install -g linevoice -m 0640 /tmp/secret ${CREDENTIALS}/payments.stripe.${name}`;
      await run(`echo sk_test_secret >/tmp/secret && ${put}`);
    }
    await reload();
    await eventually(
      async () => (await log("-p warning")).includes("payments.provider"),
      "what needs a restart is in the journal, as a warning",
    );
    await run("systemctl restart linevoice && linevoice ready --wait 30");

    await run(`kill -KILL ${await show("MainPID")}`);
    await eventually(async () => (await show("NRestarts")) === "1", "systemd starts it again");
    await run("linevoice ready --wait 30");
    expect(await run("sh /releases/broken/install.sh --upgrade", 1)).toContain("was taken back");
    expect(await run("systemctl is-active linevoice && linevoice ready")).toBe("active\nready");
    await run("systemctl stop linevoice");
    expect(await show("Result")).toBe("success");
    expect(await log()).not.toContain("send_thread_unavailable");
    await run("sh /releases/this/install.sh --uninstall");
    expect(await show("LoadState")).toBe("not-found");
    expect(await run("find /etc/systemd /usr/local -name '*linevoice*'")).toBe("");
  },
  BUILD_LIMIT_MS,
);
