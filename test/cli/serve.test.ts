/** `serve` as a process: it owns its data directory, obeys the control socket, drains on SIGTERM. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { PROGRAM } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const cwd = tempDir();
const env = {
  PATH: process.env.PATH ?? "",
  LINEVOICE_SERVER__LISTEN: "127.0.0.78:0",
  LINEVOICE_SERVER__METRICS_LISTEN: "",
  LINEVOICE_SIP__BIND: "127.0.0.78:0",
};

const start = (...args: string[]) =>
  Bun.spawn([...PROGRAM, ...args], { cwd, env, stdout: "pipe", stderr: "pipe" });

async function finished(...args: string[]) {
  const child = start(...args);
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { out, err, status: await child.exited };
}

const server = start("serve");
afterAll(() => server.kill("SIGKILL"));

async function threeLines(): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  const reader = server.stdout.getReader();
  while (text.split("\n").length <= 3) {
    const { value, done } = await reader.read();
    if (done) break;
    text += decoder.decode(value);
  }
  return text;
}

test("a running server is announced, commanded over its socket, alone, and drained", async () => {
  const address = /http:\/\/[\d.:]+/.exec(await threeLines())?.[0];
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  const made = await finished("tenant", "create", "--name", "N", "--email", "a@example.com");
  expect(made.status).toBe(0);
  const key = JSON.parse((await finished("key", "create", "--tenant", "1", "--label", "l")).out);
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
