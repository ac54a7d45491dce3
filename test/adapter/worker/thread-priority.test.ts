/** Threads of a lower priority: theirs alone. */
import { expect, test } from "bun:test";
import { getPriority } from "node:os";

const NICE_MAX = 19;

async function nicesOf(): Promise<{ own: number; main: number }> {
  const thread = new Worker(new URL("../../support/niced-thread.ts", import.meta.url).href);
  try {
    return await new Promise((resolve, reject) => {
      thread.addEventListener("message", (event) => resolve(event.data));
      thread.addEventListener("error", (event) => reject(new Error(event.message)));
      thread.postMessage(null);
    });
  } finally {
    thread.terminate();
  }
}

test.skipIf(process.platform !== "linux")(
  "the thread gives way, its process and the others do not",
  async () => {
    const before = getPriority();
    const { own, main } = await nicesOf();
    expect(own).toBe(Math.min(NICE_MAX, before + 5));
    expect(main).toBe(before);
  },
);
