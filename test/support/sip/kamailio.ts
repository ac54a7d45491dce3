/** Starts kamailio as a provider (registrar and proxy) on the given loopback address. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildRequest } from "../../../src/sip/message/index.ts";
import type { Certificate } from "../net/test-ca.ts";
import { peerPath } from "../peers.ts";

export interface Kamailio {
  readonly host: string;
  readonly port: number;
  /** Standard error so far. */
  log(): string;
  stop(): Promise<void>;
}

export interface KamailioOptions {
  /** Also TCP on port 5060. */
  readonly tcp?: boolean;
  /** Also TLS on port 5061, with this certificate. */
  readonly tls?: Certificate;
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64" };
const START_TIMEOUT_MS = 15_000;

export async function startKamailio(
  host: string,
  options: KamailioOptions = {},
): Promise<Kamailio> {
  const run = mkdtempSync(join(tmpdir(), "kamailio-"));
  const template = readFileSync(join(import.meta.dir, "peer-config/kamailio.cfg"), "utf8");
  const config = template
    .replace("@TCP@", options.tcp || options.tls ? STREAMS : "disable_tcp=yes")
    .replace("@LISTEN@", listenersOf(options))
    .replace("@TLS@", options.tls ? tlsModule(run, options.tls) : "")
    .replaceAll("@HOST@", host)
    .replaceAll("@ARCH@", ARCHITECTURES[process.arch] ?? "x86_64");
  const configPath = join(run, "kamailio.cfg");
  writeFileSync(configPath, config);
  const child = Bun.spawn(
    [peerPath("kamailio"), "-f", configPath, "-Y", run, "-m", "64", "-M", "8", "-DD", "-E"],
    { stdin: "ignore", stdout: "ignore", stderr: Bun.file(join(run, "log")) },
  );
  const log = () => readFileSync(join(run, "log"), "utf8");
  const stop = async () => {
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), 3000);
    await child.exited;
    clearTimeout(timer);
    rmSync(run, { recursive: true, force: true });
  };
  if (await answersWithin(host, START_TIMEOUT_MS, () => child.exitCode !== null)) {
    return { host, port: 5060, log, stop };
  }
  const text = log();
  await stop();
  throw new Error(`kamailio did not start: ${text.slice(-2000)}`);
}

const STREAMS = "tcp_children=1\ntcp_connection_lifetime=3605\ntcp_crlf_ping=yes";

function listenersOf({ tcp, tls }: KamailioOptions): string {
  const listeners = [
    tcp && "listen=tcp:@HOST@:5060",
    tls && "enable_tls=yes\nlisten=tls:@HOST@:5061",
  ];
  return listeners.filter(Boolean).join("\n");
}

function tlsModule(run: string, { cert, key }: Certificate): string {
  const [certPath, keyPath] = [join(run, "cert.pem"), join(run, "key.pem")];
  writeFileSync(certPath, cert);
  writeFileSync(keyPath, key);
  return [
    'loadmodule "tls.so"',
    'modparam("tls", "tls_method", "TLSv1.2+")',
    `modparam("tls", "certificate", "${certPath}")`,
    `modparam("tls", "private_key", "${keyPath}")`,
  ].join("\n");
}

/** Waits for the server: it answers a REGISTER without credentials with 401 as soon as it runs. */
async function answersWithin(
  host: string,
  timeoutMs: number,
  died: () => boolean,
): Promise<boolean> {
  let answered = false;
  const socket = await Bun.udpSocket({
    hostname: host,
    port: 0,
    socket: {
      data: () => {
        answered = true;
      },
      error: () => {},
    },
  });
  for (let waitedMs = 0; waitedMs < timeoutMs && !answered && !died(); waitedMs += 100) {
    const probe = buildRequest({
      method: "REGISTER",
      uri: "sip:provider.test",
      headers: [
        ["Via", `SIP/2.0/UDP ${host}:${socket.port};rport;branch=z9hG4bKprobe${waitedMs}`],
        ["Max-Forwards", 70],
        ["From", "<sip:probe@provider.test>;tag=probe"],
        ["To", "<sip:probe@provider.test>"],
        ["Call-ID", `probe-${socket.port}`],
        ["CSeq", "1 REGISTER"],
      ],
    });
    socket.send(probe, 5060, host);
    await Bun.sleep(100);
  }
  socket.close();
  return answered;
}
