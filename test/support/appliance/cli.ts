/** Runs the program as an operator does: a command until it ends, or `serve` until it listens. */
import { atTheEnd } from "../at-the-end.ts";
import { PROGRAM } from "./program.ts";

type Words = string | readonly string[];

interface CliOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  readonly program?: readonly string[];
}

/** Settings of an appliance that listens only on this address, on free ports. */
export const listeningOn = (host: string) => ({
  LINEVOICE_SERVER__LISTEN: `${host}:0`,
  LINEVOICE_SERVER__METRICS_LISTEN: "",
  LINEVOICE_SIP__BIND: `${host}:0`,
});

const wordsOf = (words: Words): readonly string[] =>
  typeof words === "string" ? words.split(" ").filter(Boolean) : words;

const started: Bun.Subprocess[] = [];
atTheEnd(() => {
  for (const child of started) child.kill("SIGKILL");
});

/** Starts the program. It is killed when the test process ends. */
export function startCli(cwd: string, words: Words, options: CliOptions = {}) {
  const { env, stdin = "", program = PROGRAM } = options;
  const child = Bun.spawn([...program, ...wordsOf(words)], {
    cwd,
    stdin: Buffer.from(stdin),
    stdout: "pipe",
    stderr: "pipe",
    env: { PATH: process.env.PATH ?? "", ...env },
  });
  started.push(child);
  return child;
}

export async function runCli(cwd: string, words: Words, options?: CliOptions) {
  const child = startCli(cwd, words, options);
  const [out, err, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { out, err, status };
}

/** Returns the output of a command; rejects if it fails. */
export async function outputOf(cwd: string, words: Words, options?: CliOptions): Promise<string> {
  const { out, err, status } = await runCli(cwd, words, options);
  if (status !== 0) throw new Error(`linevoice ${String(words)}: ${err}`);
  return out;
}

/** Creates the first tenant and its trunk. Returns the secret of its API key. */
export async function setUpTenant(
  cli: (words: readonly string[], stdin?: string) => Promise<string>,
  trunk: {
    readonly server: { readonly host: string; readonly port: number };
    readonly account: { readonly username: string; readonly password: string };
    readonly callerId: string;
  },
): Promise<string> {
  const { server, account, callerId } = trunk;
  await cli(wordsOf("tenant create --name Clinic --email desk@example.com"));
  const made = await cli(wordsOf("key create --tenant 1 --label test"));
  const at = `--server ${server.host} --port ${server.port} --username ${account.username}`;
  const set = `trunk set --tenant 1 ${at} --caller-id ${callerId} --password-stdin`;
  await cli(wordsOf(set), account.password);
  return JSON.parse(made).secret;
}

/** Waits until `serve` listens. Returns its output so far. */
export async function untilListening({ stdout }: { stdout: ReadableStream<Uint8Array> }) {
  const reader = stdout.getReader();
  let text = "";
  while (!text.includes("Data")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the server did not start: ${text}`);
    text += new TextDecoder().decode(value);
  }
  reader.releaseLock();
  return text;
}

export async function serveCli(cwd: string, env: CliOptions["env"], words: Words = "serve") {
  const child = startCli(cwd, words, { env });
  void child.stderr.pipeTo(new WritableStream());
  const text = await untilListening(child);
  return {
    text,
    base: /https?:\/\/[\d.:]+/.exec(text)?.[0] ?? "",
    /** Resolves to the exit status. */
    async stop(): Promise<number> {
      child.kill("SIGTERM");
      return await child.exited;
    },
  };
}
