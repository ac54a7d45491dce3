/**
 * The control socket of a running server. It serves every operation of the contracts, because only the
 * operator can open the file (0600, in a 0700 directory). It limits the number of connections, the line
 * length, and the time until a client has sent its request.
 */
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { ZodError } from "zod";
import { type Clock, systemClock } from "../core/clock.ts";
import { AppError, conflict, describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Services } from "../features/appliance/services.ts";
import { type AnswerLine, LineReader, PROTOCOL, requestLine } from "./protocol.ts";
import { checkSocketPath } from "./socket-path.ts";

const CONNECTIONS_MAX = 32;
const REQUEST_TIMEOUT_MS = 10_000;
/** Maximum time that a request waits for a starting server. */
const STARTING_MS_MAX = 10_000;
const UNSENT_BYTES_MAX = 4_194_304;

interface ControlServer {
  /** Closes all connections and removes the socket. Idempotent. */
  close(): Promise<void>;
}

/**
 * The caller holds the lock of the data directory, so an existing socket belongs to a dead server. The socket
 * listens before the server has started: early requests wait for `services`. Throws SocketPathTooLong.
 */
export async function startControlServer(deps: {
  readonly path: string;
  readonly services: Services | Promise<Services>;
  readonly log: Log;
  readonly clock?: Clock;
}): Promise<ControlServer> {
  const { path, log, clock = systemClock } = deps;
  checkSocketPath(path);
  const answer = createAnswerer(startedServices(deps.services, clock), log);
  const sockets = new Set<Socket>();
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    if (sockets.size >= CONNECTIONS_MAX) return void socket.destroy();
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    awaitRequest(socket, clock, answer);
  });
  await listenPrivately(server, path);
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

type Answerer = (socket: Socket, line: string, signal: AbortSignal) => Promise<void>;

/** Reads one line as the request and ignores the rest. */
function awaitRequest(socket: Socket, clock: Clock, answer: Answerer): void {
  const left = new AbortController();
  const deadline = clock.after(REQUEST_TIMEOUT_MS, () => socket.destroy());
  const reader = new LineReader();
  let asked = false;
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    deadline.cancel();
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
}

function createAnswerer(started: () => Promise<Services>, log: Log): Answerer {
  function send(socket: Socket, line: AnswerLine): void {
    if (socket.destroyed) return;
    socket.write(`${JSON.stringify(line)}\n`);
    if (socket.writableLength > UNSENT_BYTES_MAX) socket.destroy();
  }

  async function carryOut(socket: Socket, line: string, signal: AbortSignal): Promise<unknown> {
    const { hello, operation, input, user } = requestLine.parse(JSON.parse(line));
    const [{ isOperation }, { runOperation }, { followCall }] = await Promise.all([
      import("../http/contracts/operations.ts"),
      import("../http/contracts/run-operation.ts"),
      import("../features/call-log/contract.ts"),
    ]);
    if (hello !== PROTOCOL || !(isOperation(operation) || operation === followCall.name))
      throw conflict(
        "The running server has another version than this command. Use the same binary, or restart the server.",
      );
    const services = await started();
    if (isOperation(operation))
      return await runOperation(services, operation, input, {
        isOperator: true,
        commandLineUser: user,
      });
    const steps = followCall.run(services, followCall.input.parse(input), signal);
    for await (const item of steps) send(socket, { item });
    return null;
  }

  return async (socket, line, signal) => {
    try {
      const result = await carryOut(socket, line, signal);
      send(socket, { ok: true, result: result ?? null });
    } catch (error) {
      send(socket, rejection(error, log));
    }
    socket.end();
  };
}

/** Creates the socket with access for its owner only, from the first moment on. */
async function listenPrivately(server: Server, path: string): Promise<void> {
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
}

/** Resolves when the services have started. Throws `unavailable` after 10 s or if the start failed. */
function startedServices(services: Services | Promise<Services>, clock: Clock) {
  const starting = Promise.resolve(services);
  const unavailable = (publicMessage: string) =>
    new AppError({ code: "unavailable", publicMessage, retryable: true });
  starting.catch(() => undefined); // the owner handles the rejection
  return async (): Promise<Services> => {
    const late = Promise.withResolvers<never>();
    const timer = clock.after(STARTING_MS_MAX, () =>
      late.reject(unavailable("The server is still starting. Try again in a few seconds.")),
    );
    const failed = starting.catch(() => {
      throw unavailable("The server could not start. See its output for the reason.");
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
  return { ok: false, code: "engine", message: "The server failed. See its log.", field: null };
}
