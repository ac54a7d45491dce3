/** Threads of another priority: theirs alone. */
import { expect, test } from "bun:test";
import { getPriority } from "node:os";
import { fileURLToPath } from "node:url";

const [NICE_MIN, NICE_MAX] = [-20, 19];

async function nicesOf(isFirst: boolean): Promise<{ own: number; main: number }> {
  const thread = new Worker(new URL("../../support/process/niced-thread.ts", import.meta.url).href);
  try {
    return await new Promise((resolve, reject) => {
      thread.addEventListener("message", (event) => resolve(event.data));
      thread.addEventListener("error", (event) => reject(new Error(event.message)));
      thread.postMessage(isFirst);
    });
  } finally {
    thread.terminate();
  }
}

test.skipIf(process.platform !== "linux")(
  "the thread gives way, its process and the others do not",
  async () => {
    const before = getPriority();
    const { own, main } = await nicesOf(false);
    expect(own).toBe(Math.min(NICE_MAX, before + 5));
    expect(main).toBe(before);
  },
);

test.skipIf(process.platform !== "linux")(
  "a thread that goes first does so alone, or not at all where the system refuses",
  async () => {
    const before = getPriority();
    const { own, main } = await nicesOf(true);
    expect([before, Math.max(NICE_MIN, before - 15)]).toContain(own);
    expect(main).toBe(before);
  },
);

test.skipIf(process.platform !== "linux")(
  "signalling goes first with the threads of the runtime; what it starts does not, nor anything where the system refuses",
  async () => {
    const script = fileURLToPath(
      new URL("../../support/process/niced-process.ts", import.meta.url),
    );
    const child = Bun.spawn([process.execPath, script], { stdout: "pipe" });
    const { before, main, ...others } = await new Response(child.stdout).json();
    expect([before, Math.max(NICE_MIN, before - 10)]).toContain(main);
    expect(others).toEqual({ runtime: [main], worker: before, program: before, after: main });
  },
);
