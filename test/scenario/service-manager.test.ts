/**
 * `serve` as a process under a service manager: ready, alive, reloading, draining during a call, and a second
 * SIGTERM that ends the call politely; also a call placed and followed on the command line. Takes about 20
 * seconds: its calls are real.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Carrier, startCarrier } from "../../src/demo/carrier/carrier.ts";
import { createVoices } from "../../src/demo/voices.ts";
import { runCli, startCli } from "../support/appliance/cli.ts";
import { eventually } from "../support/eventually.ts";
import { createPhone, type Phone } from "../support/media/phone/phone.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(180_000);
const LIMIT_MS = 120_000;

const HOST = "127.0.8.111";
const OWN_NUMBER = "+37052000011";
const PERSON = "+37061000011";
const cwd = tempDir();
const socket = join(cwd, "notify");

/** The manager's side: the runtime has no unix datagram sockets, python3 has. */
const LISTENER = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("listening", flush=True)
while True:
    print(s.recv(4096).decode().replace(chr(10), " "), flush=True)
`;

let told = "";
let carrier: Carrier;
let person: Phone;
let listener: Bun.Subprocess<"ignore", "pipe", "inherit">;
let server: ReturnType<typeof startCli>;
let log = "";
let printed = "";

const linevoice = (line: string) => runCli(cwd, `${line} --config l.toml`);
const times = (what: string) => told.split(what).length - 1;

async function keep(stream: ReadableStream<Uint8Array>, take: (text: string) => void) {
  const decoder = new TextDecoder();
  for await (const bytes of stream) take(decoder.decode(bytes, { stream: true }));
}

function configure(level: string) {
  writeFileSync(
    join(cwd, "l.toml"),
    `[server]\nlisten = "${HOST}:8111"\nmetrics_listen = ""\n[sip]\nbind = "${HOST}:0"\nallow_networks = ["127.0.0.0/8"]\n[log]\nlevel = "${level}"\n`,
  );
}

beforeAll(async () => {
  configure("info");
  writeFileSync(join(cwd, "password"), "secret\n");
  carrier = await startCarrier({ host: HOST, domain: "carrier.test" });
  carrier.addSubscriber({ username: "clinic", password: "secret", numbers: [OWN_NUMBER] });
  const account = { username: PERSON, password: PERSON };
  carrier.addSubscriber({ ...account, numbers: [PERSON] });
  person = await createPhone({
    number: PERSON,
    domain: "carrier.test",
    host: HOST,
    proxy: carrier.address,
    account,
    speech: (await createVoices()).speaker("en-us"),
  });
  await person.register();
  await linevoice("tenant create --name Clinic --email clinic@example.com");
  await linevoice("credit --tenant 1 --eur 50 --note first");
  const { host, port } = carrier.address;
  await linevoice(
    `trunk set --tenant 1 --server ${host} --port ${port} --username clinic --password-file password --caller-id ${OWN_NUMBER}`,
  );
  listener = Bun.spawn(["python3", "-u", "-c", LISTENER, socket], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  void keep(listener.stdout, (text) => {
    told += text;
  });
  await eventually(() => told.includes("listening"), "the manager's socket", LIMIT_MS);
  server = startCli(cwd, "serve --config l.toml", {
    env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "3000000" },
  });
  void keep(server.stderr, (text) => {
    log += text;
  });
  void keep(server.stdout, (text) => {
    printed += text;
  });
});

afterAll(async () => {
  server?.kill("SIGKILL");
  listener?.kill("SIGKILL");
  await person?.close();
  carrier?.close();
});

async function api(path: string, body: unknown) {
  const { out } = await linevoice("key create --tenant 1 --label test");
  const response = await fetch(`http://${HOST}:8111/api/v1${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${JSON.parse(out).secret}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
}

test("sends READY once it can carry calls, and feeds the watchdog while it is healthy", async () => {
  await eventually(() => times("READY=1") === 1, `READY (${log} ${printed})`, LIMIT_MS);
  expect(told).toContain("STATUS=answering calls");
  await eventually(() => times("WATCHDOG=1") >= 2, "two signs of life", LIMIT_MS);
});

test("SIGHUP is reported as reloading, then ready again", async () => {
  configure("warn");
  server.kill("SIGHUP");
  await eventually(() => times("RELOADING=1") === 1 && times("READY=1") === 2, "both", LIMIT_MS);
  expect(told.indexOf("RELOADING=1")).toBeLessThan(told.lastIndexOf("READY=1"));
});

test("a call placed on the command line is followed, turn by turn, to its end", async () => {
  await carrier.registered("clinic", LIMIT_MS);
  await api("/agents", {
    name: "Reception",
    prompt: "You answer for a clinic.",
    language: "en",
    first_message: "Good afternoon, this is the clinic.",
  });
  person.onCall(async (call) => {
    await call.answer();
    await eventually(() => followed.includes('"turn"'), "the agent's words", LIMIT_MS);
    call.hangUp();
  });
  let followed = "";
  const child = startCli(cwd, `call --agent 1 --to ${PERSON} --follow --json --config l.toml`);
  await keep(child.stdout, (text) => {
    followed += text;
  });
  expect(await child.exited).toBe(0);
  const steps = followed
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(steps[0]).toMatchObject({ call_uuid: expect.any(String) });
  expect(steps.filter(({ type }) => type === "turn").length).toBeGreaterThan(0);
  expect(steps.at(-1)).toMatchObject({ type: "status", status: "completed" });
});

test("SIGTERM drains: the live call continues, the manager gets a longer time-out; a second one ends it politely", async () => {
  const gone = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  person.onCall(async (call) => {
    void call.ended.then(() => gone.resolve());
    await call.answer();
    answered.resolve();
  });
  expect((await linevoice(`call --agent 1 --to ${PERSON}`)).status).toBe(0);
  await answered.promise;
  server.kill("SIGTERM");
  await eventually(() => told.includes("EXTEND_TIMEOUT_USEC="), "the wish for time", LIMIT_MS);
  expect(told).toContain("STOPPING=1");
  expect(told).toMatch(/draining, 1 live calls/);
  const refused = await fetch(`http://${HOST}:8111/readyz`);
  expect(refused.status).toBe(503);
  expect(server.exitCode).toBeNull();
  server.kill("SIGTERM");
  await gone.promise;
  expect(await server.exited).toBe(0);
});
