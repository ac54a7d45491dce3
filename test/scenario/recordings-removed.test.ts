/** A deleted recordings directory of a running appliance is created again, and the next call is recorded. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createLogger } from "../../src/ops/logger.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import { tempDir } from "../support/temp-dir.ts";

const HOST = "127.0.8.64";
const lines: string[] = [];

let world: Appliance;
beforeAll(async () => {
  const log = createLogger({
    level: "warn",
    format: "json",
    personalData: false,
    write: (line) => void lines.push(line),
  });
  world = await startAppliance({ dataDir: tempDir(), host: HOST, log });
}, 60_000);
afterAll(() => world.close());

test("it is created again with a warning, and the next call is recorded", async () => {
  const directory = join(world.dataDir, "recordings");
  rmSync(directory, { recursive: true });
  await eventually(() => existsSync(directory), "the directory is there again");
  expect(lines.filter((line) => line.includes("directory.recreated"))).toHaveLength(1);
  const caller = await world.phone("+37061000081");
  const call = await caller.call(OWN_NUMBER);
  await call.answered;
  await Bun.sleep(500);
  await call.hangUp();
  const { body } = await world.api("GET", "/calls?limit=1");
  await world.callWhen(body.calls[0]?.call_uuid ?? "", ({ recording_status: status }) =>
    ["ready", "emailed_deleted"].includes(status),
  );
}, 60_000);
