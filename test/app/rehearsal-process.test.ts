/** The phone process of rehearsals: one that ends before it got its order. */
import { expect, test } from "bun:test";
import { rehearsalProcess } from "../../src/app/rehearsal-process.ts";
import { silentLog } from "../../src/core/log.ts";
import { tempDir } from "../support/temp-dir.ts";

const STARTS = 40;

test("a process that ends at once is reported as not started, never as a broken pipe", async () => {
  const open = rehearsalProcess(
    { command: ["true"], sections: () => ({ engine: {}, conversation: {} }) as never },
    { dataDir: tempDir(), runTool: () => Promise.reject(new Error("no tool")), log: silentLog },
  );
  // More than a pipe holds, so that the rest is written when nobody reads any more.
  const order = { cases: [], language: "en".repeat(200_000) } as never;
  for (let start = 0; start < STARTS; start++)
    await expect(open(order)).rejects.toThrow("the telephones did not start");
}, 60_000);
