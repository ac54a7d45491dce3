/**
 * The control socket of a running server. Whoever may open the file (0600, in a 0700 directory) is
 * the operator. Bounded: connections, line length, and how long a client may take to ask.
 */
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { ZodError } from "zod";
import { type Clock, systemClock } from "../../core/clock.ts";
import { AppError, describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { followInput, isOperation, runOperation } from "./operations.ts";
import type { OperatorPort } from "./operator-port.ts";
import { type AnswerLine, FOLLOW, LineReader, PROTOCOL, requestLine } from "./protocol.ts";
import { checkSocketPath } from "./socket-path.ts";

const CONNECTIONS_MAX = 32;
const REQUEST_TIMEOUT_MS = 10_000;
/** How long a request waits for a server that is starting. */
const STARTING_MS_MAX = 10_000;
const UNSENT_BYTES_MAX = 4_194_304;

export interface ControlServer {
  /** Cuts every connection and removes the socket. Idempotent. */
  close(): Promise<void>;
}

/**
 * The caller holds the data directory's lock, so a socket that is there already is a dead one. It listens
 * before the server has started: what is asked meanwhile waits for `operator`. Throws SocketPathTooLong.
 */
export async function startControlServer(deps: {
  readonly path: string;
  readonly operator: OperatorPort | Promise<OperatorPort>;
  readonly log: Log;
  readonly clock?: Clock;
}): Promise<ControlServer> {
  const { path, log, clock = systemClock } = deps;
  checkSocketPath(path);
  const started = startedOperator(deps.operator, clock);
  const sockets = new Set<Socket>();
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    if (sockets.size >= CONNECTIONS_MAX) return void socket.destroy();
    sockets.add(socket);
    const left = new AbortController();
    const deadline = clock.after(REQUEST_TIMEOUT_MS, () => socket.destroy());
    const reader = new LineReader();
    let asked = false;
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      deadline.cancel();
      sockets.delete(socket);
      left.abort(new Error("the client went away"));
    });
    socket.on("data", (chunk: Buffer) => {
      if (asked) return;
      try {
        const [line] = reader.push(chunk);
        if (line === undefined) return;
        asked = true;
        deadline.cancel();
        void answer(socket, line, left.signal);
      } catch {
        socket.destroy();
      }
    });
  });

  function send(socket: Socket, line: AnswerLine): void {
    if (socket.destroyed) return;
    socket.write(`${JSON.stringify(line)}\n`);
    if (socket.writableLength > UNSENT_BYTES_MAX) socket.destroy();
  }

  async function answer(socket: Socket, line: string, signal: AbortSignal): Promise<void> {
    try {
      const result = await carryOut(socket, line, signal);
      send(socket, { ok: true, result: result ?? null });
    } catch (error) {
      send(socket, rejection(error, log));
    }
    socket.end();
  }

  async function carryOut(socket: Socket, line: string, signal: AbortSignal): Promise<unknown> {
    const { hello, operation, input } = requestLine.parse(JSON.parse(line));
    if (hello !== PROTOCOL || !(isOperation(operation) || operation === FOLLOW))
      throw new AppError({
        code: "conflict",
        publicMessage:
          "The running server is of another version than this command. Use the same binary, or restart the server.",
      });
    const operator = await started();
    if (operation !== FOLLOW) return await runOperation(operator, operation, input);
    const { tenant, call_uuid } = followInput.parse(input);
    for await (const item of operator.followCall(tenant, call_uuid, signal)) send(socket, { item });
    return null;
  }

  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, () => resolve());
    });
  } finally {
    process.umask(before);
  }
  chmodSync(path, 0o600);
  let closing: Promise<void> | null = null;
  return {
    close() {
      closing ??= new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          rmSync(path, { force: true });
          resolve();
        });
      });
      return closing;
    },
  };
}

/** Answers the operator as soon as there is one. Throws `unavailable` after 10 s, or where the start failed. */
function startedOperator(operator: OperatorPort | Promise<OperatorPort>, clock: Clock) {
  const starting = Promise.resolve(operator);
  const unavailable = (publicMessage: string) =>
    new AppError({ code: "unavailable", publicMessage, retryable: true });
  starting.catch(() => undefined); // its owner hears of it
  return async (): Promise<OperatorPort> => {
    const late = Promise.withResolvers<never>();
    const timer = clock.after(STARTING_MS_MAX, () =>
      late.reject(unavailable("The server is still starting. Try again in a few seconds.")),
    );
    const failed = starting.catch(() => {
      throw unavailable("The server could not start; its output says why.");
    });
    return await Promise.race([failed, late.promise]).finally(() => timer.cancel());
  };
}

function rejection(error: unknown, log: Log): AnswerLine {
  if (error instanceof AppError)
    return { ok: false, code: error.code, message: error.publicMessage, field: error.field };
  if (error instanceof ZodError || error instanceof SyntaxError) {
    const issue = error instanceof ZodError ? error.issues[0] : undefined;
    const field = issue?.path.join(".") || null;
    const message = issue ? `${field ?? "input"}: ${issue.message}` : "not a JSON request";
    return { ok: false, code: "invalid_json", message, field };
  }
  log.error("control.failed", { error: describeError(error) });
  return { ok: false, code: "engine", message: "The server failed; see its log.", field: null };
}
