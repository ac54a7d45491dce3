/** SIGHUP on a running `serve`: applied keys, keys that need a restart, and rejected files. */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { runCli, startCli, untilListening } from "../support/appliance/cli.ts";
import { eventually } from "../support/eventually.ts";
import { testCa } from "../support/net/test-ca.ts";
import { freePort } from "../support/store/sqld-server.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const HOST = "127.0.8.87";
const SIP_TLS_PORT = freePort(HOST);
const cwd = tempDir();
const file = join(cwd, "linevoice.toml");
const ca = testCa(tempDir());
let log = "";

function configure({ perMinute = 50, bind = `${HOST}:0`, level = "info" } = {}) {
  writeFileSync(
    file,
    `[server]
listen = "${HOST}:0"
metrics_listen = ""
tls_cert = "${cwd}/tls.crt"
tls_key = "${cwd}/tls.key"
[sip]
bind = "${bind}"
tls_bind = "${HOST}:${SIP_TLS_PORT}"
tls_cert = "${cwd}/sip.crt"
tls_key = "${cwd}/sip.key"
[limits]
requests_per_minute = ${perMinute}
[log]
level = "${level}"
`,
  );
}

function certify(name: string, of: "tls" | "sip" = "tls") {
  const { cert, key } = ca.issue([`DNS:${name}`]);
  writeFileSync(join(cwd, `${of}.crt`), cert);
  writeFileSync(join(cwd, `${of}.key`), key);
}

configure();
certify("first.example");
certify("sip-first.example", "sip");
const start = (words: string, listen = 0) =>
  startCli(cwd, `${words} --config ${file}`, {
    env: { LINEVOICE_SERVER__LISTEN: `${HOST}:${listen}` },
  });
const server = start("serve");
let port = 0;
let secret = "";

beforeAll(async () => {
  void server.stderr.pipeTo(
    new WritableStream({
      write(bytes) {
        log += new TextDecoder().decode(bytes);
      },
    }),
  );
  const text = await untilListening(server);
  port = Number(/https:\/\/[\d.]+:(\d+)/.exec(text)?.[1]);
  await start("tenant create --name N --email a@example.com").exited;
  const made = start("key create --tenant 1 --label l");
  secret = JSON.parse(await new Response(made.stdout).text()).secret;
});

const limit = async () => {
  const response = await fetch(`https://${HOST}:${port}/api/v1/tenant`, {
    headers: { authorization: `Bearer ${secret}` },
    tls: { rejectUnauthorized: false },
  });
  return response.headers.get("ratelimit-limit");
};

const handshake = (at = port) =>
  new Promise<TLSSocket>((resolve, reject) => {
    const target = { host: HOST, port: at, rejectUnauthorized: false };
    const socket = connect(target, () => resolve(socket));
    socket.once("error", reject);
  });

async function hangUp(line: string) {
  const from = log.length;
  server.kill("SIGHUP");
  await eventually(async () => log.slice(from).includes(line), line);
  return log.slice(from);
}

test("a changed limit takes effect immediately", async () => {
  expect(await limit()).toBe("50");
  configure({ perMinute: 70 });
  expect(await hangUp("config.reloaded")).toContain("limits.requests_per_minute");
  expect(await limit()).toBe("70");
});

test("keys that need a restart are reported until the restart, or until they have their old values", async () => {
  configure({ perMinute: 70, bind: `${HOST}:59871` });
  expect(await hangUp("config.restart_needed")).toMatch(/keys.*sip\.bind/);
  configure({ perMinute: 60, bind: `${HOST}:59871` });
  expect(await hangUp("config.restart_needed")).toMatch(/keys.*sip\.bind/);
  configure({ perMinute: 70 });
  expect(await hangUp("config.reloaded")).toContain('"need_restart":""');
});

test("ready finds a server with a certificate by a private authority, renewed or not", async () => {
  expect(await start("ready", port).exited).toBe(0);
  const { cert, key } = ca.issue(["DNS:first.example"]);
  writeFileSync(join(cwd, "tls.crt"), cert);
  writeFileSync(join(cwd, "tls.key"), key);
  expect(await start("ready", port).exited).toBe(0);
});

test("a certificate with another certificate's key changes nothing and is reported", async () => {
  certify("first.example");
  await hangUp("config.reloaded");
  writeFileSync(join(cwd, "tls.crt"), ca.issue(["DNS:other.example"]).cert);
  configure({ perMinute: 70, level: "error" });
  expect(await hangUp("config.reload_refused")).toContain("[server] tls_cert and tls_key");
  const fresh = await handshake();
  expect(fresh.getPeerCertificate().subjectaltname).toBe("DNS:first.example");
  fresh.destroy();
  const checked = start("config check");
  expect(await checked.exited).toBe(1);
  expect(await new Response(checked.stderr).text()).toContain("[server] tls_cert and tls_key");
  certify("first.example");
  configure({ perMinute: 70 });
  await hangUp("config.reloaded");
});

test.each([
  ["cut off", (cert: string) => `${cert}${ca.caPem.slice(0, 300)}`],
  ["empty", () => ""],
])("a chain that is %s changes nothing: the API keeps its certificate", async (_, chain) => {
  const { cert, key } = ca.issue(["DNS:other.example"]);
  writeFileSync(join(cwd, "tls.crt"), chain(cert));
  writeFileSync(join(cwd, "tls.key"), key);
  await hangUp("config.reload_refused");
  const fresh = await handshake();
  expect(fresh.getPeerCertificate().subjectaltname).toBe("DNS:first.example");
  fresh.destroy();
  certify("first.example");
  await hangUp("config.reloaded");
});

test("a secret in a world-readable file is reported with the command that fixes it", async () => {
  configure({ perMinute: 70 });
  appendFileSync(file, '[mail.smtp]\npassword = "hunter2"\n');
  chmodSync(cwd, 0o755);
  chmodSync(file, 0o644);
  expect(await hangUp("config.secrets_open")).toContain(`chmod o= ${file}`);
  chmodSync(file, 0o640);
  const told = await hangUp("config.reloaded");
  expect(told).not.toContain("config.secrets_open");
  configure({ perMinute: 70 });
});

test("an invalid configuration changes nothing and is reported with its line", async () => {
  configure({ perMinute: 0 });
  expect(await hangUp("config.reload_refused")).toMatch(/linevoice\.toml:\d+.*requests_per_minute/);
  expect(await limit()).toBe("70");
  configure({ perMinute: 70 });
});

test.each([
  ["a value out of bounds", "[limits]\nrequests_per_minute = 0\n", "requests_per_minute"],
  ["a mistake in TOML", '[sip]\nbind = "0.0.0.0\n', "not valid TOML"],
  ["a secret that is not there", '[mail.smtp]\npassword = { file = "gone" }\n', "cannot be read"],
])(
  "while the file has %s, ready reports the running server's state with a warning",
  async (_, end, told) => {
    const edited = join(cwd, "edited.toml");
    const ready = async (at: number) => {
      writeFileSync(
        edited,
        `[server]\nlisten = "${HOST}:${at}"\ntls_cert = "${cwd}/tls.crt"\n${end}`,
      );
      return await runCli(cwd, `ready --config ${edited}`);
    };
    const running = await ready(port);
    expect([running.status, running.out]).toEqual([
      0,
      expect.stringContaining("ready\n  warning: "),
    ]);
    expect(running.out).toContain(told);
    const gone = await ready(1);
    expect([gone.status, gone.err]).toEqual([2, expect.stringContaining(told)]);
    const missing = await runCli(cwd, "ready --config missing.toml");
    expect([missing.status, missing.err]).toEqual([2, expect.stringContaining("no such file")]);
  },
);

test("a renewed certificate is used for new connections; open ones continue", async () => {
  const open = await handshake();
  expect(open.getPeerCertificate().subjectaltname).toBe("DNS:first.example");
  certify("second.example");
  await hangUp("config.reloaded");
  const fresh = await handshake();
  expect(fresh.getPeerCertificate().subjectaltname).toBe("DNS:second.example");
  fresh.destroy();
  const answer = new Promise<string>((resolve) =>
    open.once("data", (data) => resolve(String(data))),
  );
  open.write(`GET /healthz HTTP/1.1\r\nhost: ${HOST}\r\n\r\n`);
  expect(await answer).toStartWith("HTTP/1.1 200");
  open.destroy();
});

test("a renewed SIP certificate is used too; a certificate with a wrong key is reported and changes nothing", async () => {
  const nameNow = async () => {
    const socket = await handshake(SIP_TLS_PORT);
    const { subjectaltname } = socket.getPeerCertificate();
    socket.destroy();
    return subjectaltname;
  };
  expect(await nameNow()).toBe("DNS:sip-first.example");
  certify("sip-second.example", "sip");
  expect(await hangUp("config.reloaded")).toMatch(/"of":"sip".*tls\.certificate_renewed/);
  expect(await nameNow()).toBe("DNS:sip-second.example");
  expect(await hangUp("config.reloaded")).not.toContain("tls.certificate_renewed");
  writeFileSync(join(cwd, "sip.crt"), ca.issue(["DNS:other.example"]).cert);
  expect(await hangUp("config.reload_refused")).toContain("[sip] tls_cert and tls_key");
  expect(await nameNow()).toBe("DNS:sip-second.example");
  certify("sip-second.example", "sip");
  await hangUp("config.reloaded");
});

test("turning TLS on or off waits for a restart", async () => {
  const written = readFileSync(file, "utf8");
  writeFileSync(file, written.replaceAll(/^tls_.*$/gm, ""));
  const told = await hangUp("config.restart_needed");
  expect(told).toContain('"applied":""');
  for (const key of ["server.tls_cert", "server.tls_key", "sip.tls_cert", "sip.tls_key"])
    expect(told).toMatch(new RegExp(`"need_restart":"[^"]*${key}`));
  writeFileSync(file, written);
  expect(await hangUp("config.reloaded")).toContain('"need_restart":""');
});
