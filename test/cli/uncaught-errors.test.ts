/** A running appliance survives an uncaught error and reports it in log and metrics. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { listeningOn, startCli, untilListening } from "../support/appliance/cli.ts";
import { eventually } from "../support/eventually.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

test("an uncaught rejection or exception is logged and counted, and calls continue", async () => {
  const env = {
    ...listeningOn("127.0.0.79"),
    LINEVOICE_SERVER__METRICS_LISTEN: "127.0.0.79:19790",
    LINEVOICE_LOG__FORMAT: "json",
  };
  // Runs from source, because a compiled program cannot preload a module.
  const preload = ["--preload", fileOf("../support/process/stray-errors.ts")];
  const program = [process.execPath, ...preload, fileOf("../../src/main.ts")];
  const server = startCli(tempDir(), "serve", { env, program });
  const address = /http:\/\/[\d.:]+/.exec(await untilListening(server))?.[0];
  await eventually(async () => (await fetch(`${address}/readyz`)).ok, "ready");
  for (const expected of [1, 2]) {
    server.kill("SIGUSR2");
    await eventually(async () => {
      const text = await (await fetch("http://127.0.0.79:19790/metrics")).text();
      const count = (kind: string) =>
        new RegExp(`^linevoice_uncaught_errors_total\\{.*kind="${kind}".*\\} ${expected}$`, "m");
      return count("exception").test(text) && count("rejection").test(text);
    }, "both are counted");
  }
  expect((await fetch(`${address}/readyz`)).status).toBe(200);
  server.kill("SIGTERM");
  const err = await new Response(server.stderr).text();
  expect(await server.exited).toBe(0);
  const lines = err.split("\n").filter((line) => line.includes("process.uncaught_error"));
  expect(lines).toHaveLength(4);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "error", stack: expect.any(String) });
  expect(lines.join()).toContain("a stray rejection");
  expect(lines.join()).toContain("a stray exception");
  expect(lines.join()).toContain("stray-errors.ts");
});
