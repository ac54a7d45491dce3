/** Waiting for a data directory: real locks and a real control socket, with a fake clock. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createControlClient } from "../../src/control/client.ts";
import { startControlServer } from "../../src/control/server.ts";
import { silentLog } from "../../src/core/log.ts";
import type { Services } from "../../src/features/appliance/services.ts";
import {
  awaitDataDir,
  DATA_DIR_WAIT_MS,
  DataDirBusy,
  lockDataDir,
} from "../../src/ops/data-dir-lock.ts";
import { eventually } from "../support/eventually.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { tempDir } from "../support/temp-dir.ts";

const outcomeOf = (promise: Promise<unknown>) => {
  const seen = { value: "waits" };
  promise.then(
    () => {
      seen.value = "done";
    },
    (error) => {
      seen.value = error instanceof Error ? error.name : String(error);
    },
  );
  return seen;
};

test.each(["server", "command"] as const)("a %s waits for a command below 10 s", async (user) => {
  const directory = tempDir();
  const clock = fakeClock();
  const command = lockDataDir(directory, "command");
  const waiting = awaitDataDir(directory, user, clock);
  const outcome = outcomeOf(waiting);
  await clock.advance(DATA_DIR_WAIT_MS - 100);
  expect(outcome.value).toBe("waits");
  command.release();
  await clock.advance(50);
  expect(outcome.value).toBe("done");
  (await waiting).release();
});

test("a server stops waiting for a command that takes 10 s, and names its pid", async () => {
  const directory = tempDir();
  const clock = fakeClock();
  lockDataDir(directory, "command");
  const waiting = awaitDataDir(directory, "server", clock);
  const outcome = outcomeOf(waiting);
  await clock.advance(DATA_DIR_WAIT_MS);
  expect(outcome.value).toBe("DataDirBusy");
  await expect(waiting).rejects.toThrow(String(process.pid));
});

test.each(["server", "command"] as const)("a %s does not wait for a server", async (user) => {
  const directory = tempDir();
  lockDataDir(directory, "server");
  await expect(awaitDataDir(directory, user, fakeClock())).rejects.toThrow(DataDirBusy);
});

test("a dead server's entry in the file does not count as a server", async () => {
  const directory = tempDir();
  writeFileSync(join(directory, "linevoice.lock"), "1 server\n");
  const lock = await awaitDataDir(directory, "command", fakeClock());
  expect(readFileSync(join(directory, "linevoice.lock"), "utf8")).toBe(`${process.pid} command\n`);
  lock.release();
  expect(readFileSync(join(directory, "linevoice.lock"), "utf8")).toBe("");
});

test("a starting server answers after its start, or reports after 10 s that it is still starting", async () => {
  const path = join(tempDir(), "control.sock");
  const fake = fakeClock();
  let timers = 0;
  const clock = {
    ...fake,
    after(...timer: Parameters<typeof fake.after>) {
      timers++;
      return fake.after(...timer);
    },
  };
  const started = Promise.withResolvers<Services>();
  const server = await startControlServer({
    path,
    services: started.promise,
    log: silentLog,
    clock,
  });
  const early = createControlClient(path).ask("tenant.list", {});
  const impatient = createControlClient(path).ask("tenant.list", {});
  const outcomes = [outcomeOf(early), outcomeOf(impatient)];
  // Two timers each: one for the connection, and one for its request. An unread connection would be cut off
  // instead.
  await eventually(() => timers === 4, "both wait for the start");
  await clock.advance(9_999);
  expect(outcomes.map(({ value }) => value)).toEqual(["waits", "waits"]);
  await clock.advance(1);
  await expect(early).rejects.toThrow("still starting");
  await expect(impatient).rejects.toThrow("still starting");
  const late = createControlClient(path).ask("tenant.list", {});
  await Bun.sleep(50);
  started.resolve({ tenants: { list: async () => [] } } as unknown as Services);
  expect(await late).toEqual([]);
  await server.close();
});

test("a server that could not start reports that", async () => {
  const path = join(tempDir(), "control.sock");
  const server = await startControlServer({
    path,
    services: Promise.reject(new Error("canary internals")),
    log: silentLog,
  });
  const asked = createControlClient(path).ask("tenant.list", {});
  await expect(asked).rejects.toThrow("could not start");
  await server.close();
});
