/**
 * `linevoice ready`: asks the running server whether it can carry calls; for installers and health
 * checks.
 */
import { systemClock as clock, sleep } from "../core/clock.ts";
import { ConfigInvalid } from "../ops/config/config-invalid.ts";
import { serverOfInvalid } from "../ops/config/load.ts";
import type { Config } from "../ops/config/schema.ts";
import { parseHostPort } from "../platform/config/formats.ts";
import { configFor } from "./operator.ts";
import { type Command, parse, type Terminal, WrongUsage } from "./usage.ts";

const WAIT_SECONDS_MAX = 600;
const ASK_TIMEOUT_MS = 3_000;
const POLL_MS = 500;

type Server = Config["server"];

interface Readiness {
  readonly ok: boolean;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

export const readyCommand: Command = {
  usage: ["ready [--wait SECONDS] [--json]"],
  notes: ["Exit status 0 if ready, or 1 with the reasons if not ready in time."],
  async run(args, terminal) {
    const { values } = parse(args, { wait: { type: "string", default: "0" } }, 0);
    const waitSeconds = Number(values.wait);
    if (!/^\d{1,3}$/.test(values.wait) || waitSeconds > WAIT_SECONDS_MAX)
      throw new WrongUsage(
        `--wait must be a whole number of seconds from 0 to ${WAIT_SECONDS_MAX}.`,
      );
    const readiness = await readinessOf(values.config, terminal, waitSeconds * 1000);
    if (values.json) terminal.out(JSON.stringify(readiness));
    else for (const line of inWords(readiness)) terminal.out(line);
    return readiness.ok ? 0 : 1;
  },
};

/**
 * If the configuration file is invalid, also asks a server that still runs with an earlier version
 * of it.
 */
async function readinessOf(
  path: string | undefined,
  terminal: Terminal,
  waitMs: number,
): Promise<Readiness> {
  try {
    return await becomesReady(configFor(path, terminal).config.server, waitMs);
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
    const server = serverOfInvalid({ path, env: terminal.env, cwd: terminal.cwd });
    const running = server && (await ask(server));
    if (!running?.ok) throw error;
    return { ...running, warnings: [...error.problems, ...running.warnings] };
  }
}

async function becomesReady(server: Server, waitMs: number): Promise<Readiness> {
  const until = clock.monotonic() + waitMs;
  for (;;) {
    const readiness = await ask(server);
    if (readiness.ok || clock.monotonic() + POLL_MS > until) return readiness;
    await sleep(clock, POLL_MS);
  }
}

async function ask({ listen, tls_cert: certificate }: Server): Promise<Readiness> {
  const address = parseHostPort(listen);
  const host = reachable(address?.host ?? "127.0.0.1");
  const url = `${certificate ? "https" : "http"}://${host}:${address?.port ?? 0}/readyz`;
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
      redirect: "error",
      // The request goes to an address of this machine. The doctor checks the certificate.
      ...(certificate ? { tls: { rejectUnauthorized: false } } : {}),
    });
    return readinessFrom(await response.json());
  } catch {
    return { ok: false, problems: [`No response from ${url}.`], warnings: [] };
  }
}

/** The loopback address for a server that listens on all addresses. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

function readinessFrom(body: unknown): Readiness {
  const sentences = (value: unknown) =>
    Array.isArray(value) ? value.filter((sentence) => typeof sentence === "string") : [];
  if (typeof body !== "object" || body === null || !("ok" in body) || !("problems" in body))
    return { ok: false, problems: ["The server at that address is not Linevoice."], warnings: [] };
  return {
    ok: body.ok === true,
    problems: sentences(body.problems),
    warnings: sentences("warnings" in body ? body.warnings : []),
  };
}

const inWords = ({ ok, problems, warnings }: Readiness): string[] => [
  ok ? "ready" : "not ready",
  ...problems.map((problem) => `  ${problem}`),
  ...warnings.map((warning) => `  warning: ${warning}`),
];
