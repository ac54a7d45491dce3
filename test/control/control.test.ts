/** The control socket and the data directory's lock, on real files. */
import { afterAll, expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { createControlClient, NoServer } from "../../src/control/client.ts";
import { startControlServer } from "../../src/control/server.ts";
import { AppError } from "../../src/core/errors.ts";
import { silentLog } from "../../src/core/log.ts";
import type { Services } from "../../src/features/appliance/services.ts";
import type { CallProgress } from "../../src/features/call-log/follow-call.ts";
import { DataDirBusy, lockDataDir } from "../../src/ops/data-dir-lock.ts";
import { tempDir } from "../support/temp-dir.ts";

const directory = tempDir();
const path = join(directory, "control.sock");
const services = {
  tenants: {
    list: async () => [],
    async credit() {
      throw new AppError({ code: "not_found", publicMessage: "Tenant not found." });
    },
  },
  trunks: { list: () => Promise.reject(new Error("canary internals")) },
  calls: {
    async *follow(): AsyncIterable<CallProgress> {
      yield { type: "status", status: "ringing", endedReason: null };
      yield { type: "status", status: "completed", endedReason: "caller_hangup" };
    },
  },
} as unknown as Services;

writeFileSync(path, ""); // as a crashed server leaves it
const stale = await createControlClient(path)
  .ask("tenant.list", {})
  .catch((error: unknown) => error);
const server = await startControlServer({ path, services, log: silentLog });
const client = createControlClient(path);
afterAll(() => server.close());

test("a dead socket counts as no server", () => {
  expect(stale).toBeInstanceOf(NoServer);
});

test("only the owner may open the socket", () => {
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("an answer and a refusal arrive as the operator gave them", async () => {
  expect(await client.ask("tenant.list", {})).toEqual([]);
  const asked = client.ask("credit", { tenant: 1, eur: 1, note: "x" });
  expect(asked).rejects.toMatchObject({ code: "not_found" });
  await asked.catch(() => undefined);
});

test("internals of a failure stay in the server", async () => {
  const failed = await client.ask("trunk.list", {}).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(AppError);
  expect(String(failed)).not.toContain("canary");
});

test("a followed call arrives step by step and ends", async () => {
  const call_uuid = "0190a0a0-0000-7000-8000-000000000000";
  const steps = await Array.fromAsync(client.follow({ tenant: 1, call_uuid }));
  expect(steps.map((step) => step.type === "status" && step.status)).toEqual([
    "ringing",
    "completed",
  ]);
});

test("a client of another version gets an error", async () => {
  const socket = createConnection(path);
  socket.write(`${JSON.stringify({ hello: 99, operation: "tenant.list", input: {} })}\n`);
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  expect(JSON.parse(answer)).toMatchObject({ ok: false, code: "conflict" });
});

test("a second process on the data directory is refused with the owner's pid", () => {
  const lock = lockDataDir(directory, "server");
  expect(() => lockDataDir(directory, "server")).toThrow(DataDirBusy);
  expect(() => lockDataDir(directory, "command")).toThrow(String(process.pid));
  lock.release();
  lockDataDir(directory, "command").release();
});
