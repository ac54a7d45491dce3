/** `serve` as a process: locks its data directory, obeys the control socket, drains on SIGTERM. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  listeningOn,
  runCli,
  serveCli,
  startCli,
  untilListening,
} from "../support/appliance/cli.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const cwd = tempDir();
const env = listeningOn("127.0.0.78");
const finished = (line: string) => runCli(cwd, line, { env });
const server = startCli(cwd, "serve", { env });

test("a running server reports ready, answers its socket, rejects a second server, and drains", async () => {
  const address = /http:\/\/[\d.:]+/.exec(await untilListening(server))?.[0];
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  const made = await finished("tenant create --name N --email a@example.com");
  expect(made.status).toBe(0);
  const key = JSON.parse((await finished("key create --tenant 1 --label l")).out);
  const headers = { authorization: `Bearer ${key.secret}` };
  expect((await fetch(`${address}/api/v1/tenant`, { headers })).status).toBe(200);
  const shown = (await finished("logs")).out;
  expect(shown).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00 +log +app\.started/m);
  const second = await finished("serve");
  expect(second.status).toBe(1);
  expect(second.err).toContain(`pid ${server.pid}`);
  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
});

test("an occupied port is reported with its key, its file and an alternative line", async () => {
  const taken = await Bun.udpSocket({ hostname: "127.0.0.78", port: 0, socket: {} });
  const directory = tempDir();
  const file = join(directory, "mine.toml");
  await Bun.write(file, `[sip]\nbind = "127.0.0.78:${taken.port}"\n`);
  const { LINEVOICE_SIP__BIND: _, ...others } = listeningOn("127.0.0.78");
  const { status, err } = await runCli(directory, "serve --config mine.toml", { env: others });
  expect(status).toBe(1);
  expect(err).toBe(
    `linevoice: SIP over UDP cannot listen on 127.0.0.78:${taken.port}: another program listens there. Stop that program, or change [sip] bind. For example, in ${file}: [sip] bind = "127.0.0.78:${taken.port + 10}"\n`,
  );
  taken.close();
});

test("IPv6 addresses are printed in brackets, in URLs and elsewhere", async () => {
  const v6 = await serveCli(tempDir(), listeningOn("[::1]"));
  expect(v6.text).toMatch(/^API {3}http:\/\/\[::1\]:\d+$/m);
  expect(v6.text).toMatch(/^SIP {3}\[::1\]:\d+$/m);
  expect(v6.text).toMatch(/^Owner see \S+\/owner-link /m);
  expect(await v6.stop()).toBe(0);
});

test("a CPU without vector instructions is reported at once with a remedy; systemd does not restart the program", async () => {
  const old = { env: { ...listeningOn("127.0.0.78"), BUN_JSC_useWasmSIMD: "0" } };
  const directory = tempDir();
  for (const words of ["serve", "demo --exit", "rehearse clinic-phone --mode phone"]) {
    const { err, status } = await runCli(directory, words, old);
    expect(err).toMatch(/^linevoice: The processor has no AVX.*choose the processor type host/);
    expect(status).toBe(2);
  }
  expect(existsSync(join(directory, "data"))).toBe(false);
  const doctor = await runCli(directory, "doctor", old);
  expect(doctor.out).toMatch(/NO {2}engine +The processor has no AVX/);
});
