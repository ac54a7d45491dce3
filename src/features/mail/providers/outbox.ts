/**
 * The embedded default: writes each email as one `.eml` file into a directory, atomically
 * (temporary file, fsync, rename). A retry after a crash overwrites the same name.
 */
import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { composeBytes, type MailMessage } from "../message.ts";
import type { MailProvider } from "../provider.ts";

/** `2026-11-21T040506-<call uuid>.eml`: sorts by time. */
function outboxFileName(message: Pick<MailMessage, "date" | "callUuid" | "messageId">) {
  const time = message.date.toISOString().slice(0, 19).replaceAll(":", "");
  return `${time}-${message.callUuid ?? message.messageId.slice(1, 17)}.eml`;
}

/** A disk that takes longer is considered faulty. */
const ANSWER_MS_MAX = 120_000;

async function sync(path: string, flags: "r" | "r+"): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function outboxProvider(directory: string): MailProvider {
  return {
    name: "outbox",
    answerMsMax: ANSWER_MS_MAX,
    async send(message) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const path = join(directory, outboxFileName(message));
      const partial = `${path}.partial`;
      const handle = await open(partial, "w", 0o600);
      try {
        await handle.writeFile(await composeBytes(message));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(partial, path);
      await sync(directory, "r");
    },
    async close() {},
  };
}
