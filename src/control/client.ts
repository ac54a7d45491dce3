/** Sends operations to the running server over its control socket. */
import { createConnection } from "node:net";
import { type Clock, systemClock } from "../core/clock.ts";
import { AppError, type ErrorCode } from "../core/errors.ts";
import { OPERATING_SYSTEM_USER } from "../core/operating-system-user.ts";
import { type CallProgress, followCall } from "../features/call-log/contract.ts";
import { type Ask, type OperationName, operations } from "../http/contracts/operations.ts";
import { type AnswerLine, answerLine, LineReader, PROTOCOL } from "./protocol.ts";
import { isSocketPathTooLong } from "./socket-path.ts";

const ANSWER_TIMEOUT_MS = 30_000;
/** Timeout for operations that read the whole database or ask three providers. */
const SLOW_TIMEOUT_MS = 3_600_000;
const SLOW: ReadonlySet<OperationName> = new Set<OperationName>(["backup.create", "engine.try"]);

/** No server listens: the socket is missing, or a dead server left it behind. */
export class NoServer extends Error {
  override readonly name = "NoServer";
}

interface ControlClient {
  /** Throws NoServer, or the server's AppError. */
  readonly ask: Ask;
  follow(input: { tenant: number; call_uuid: string }): AsyncIterable<CallProgress>;
}

export function createControlClient(path: string, clock: Clock = systemClock): ControlClient {
  return {
    async ask(name, input) {
      const timeoutMs = SLOW.has(name) ? SLOW_TIMEOUT_MS : ANSWER_TIMEOUT_MS;
      for await (const line of exchange(path, name, input, clock, timeoutMs))
        if ("ok" in line && line.ok) return operations[name].output.parse(line.result) as never;
      throw cutOff();
    },
    async *follow(input) {
      for await (const line of exchange(path, followCall.name, input, clock, null)) {
        if ("item" in line) yield followCall.item.parse(line.item);
        else return;
      }
      throw cutOff();
    },
  };
}

const cutOff = () =>
  new AppError({
    code: "unavailable",
    publicMessage: "The server stopped before it sent a response.",
  });

async function* exchange(
  path: string,
  operation: string,
  input: unknown,
  clock: Clock,
  timeoutMs: number | null,
): AsyncGenerator<AnswerLine> {
  // No server can listen on such a path.
  if (isSocketPathTooLong(path)) throw new NoServer(path);
  const socket = createConnection(path);
  const timer =
    timeoutMs === null
      ? null
      : clock.after(timeoutMs, () => socket.destroy(new Error("the server does not answer")));
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", (error) => reject(isAbsent(error) ? new NoServer(path) : error));
    });
    socket.write(
      `${JSON.stringify({ hello: PROTOCOL, operation, input, user: OPERATING_SYSTEM_USER })}\n`,
    );
    const reader = new LineReader();
    for await (const chunk of socket) {
      for (const text of reader.push(chunk as Buffer)) {
        const line = answerLine.parse(JSON.parse(text));
        if ("ok" in line && !line.ok)
          throw new AppError({
            code: line.code as ErrorCode,
            publicMessage: line.message,
            field: line.field ?? undefined,
          });
        yield line;
      }
    }
  } finally {
    timer?.cancel();
    socket.destroy();
  }
}

const isAbsent = (error: Error) =>
  "code" in error && ["ENOENT", "ECONNREFUSED", "ENOTSOCK"].includes(String(error.code));
