/** Checks of the network: local ports, trunks, mail server, certificate. */
import { X509Certificate } from "node:crypto";
import { createSocket } from "node:dgram";
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { isoUtc } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import { type HostPort, parseHostPort, parsePortRange } from "../../platform/config/formats.ts";
import {
  type Check,
  type ExaminedAppliance,
  type Finding,
  failed,
  ok,
  skipped,
  warning,
} from "./check.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const DAY_MS = 86_400_000;
const CERTIFICATE_WARNING_DAYS = 14;

/** Null if the port can be bound, otherwise the reason. */
function bindTcp({ host, port }: HostPort): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(describeError(error)));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

function bindUdp({ host, port }: HostPort): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
    socket.once("error", (error) => resolve(describeError(error)));
    socket.bind(port, host, () => socket.close(() => resolve(null)));
  });
}

/** Null if the host accepts a connection, otherwise the reason. */
function checkConnectivity(
  { host, port }: HostPort,
  clock: ExaminedAppliance["clock"],
): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    const finish = (problem: string | null) => {
      timer.cancel();
      socket.destroy();
      resolve(problem);
    };
    const timer = clock.after(CONNECT_TIMEOUT_MS, () => finish("no answer within 5 s"));
    socket.once("connect", () => finish(null));
    socket.once("error", (error) => finish(describeError(error)));
  });
}

export const ports: Check = {
  name: "ports",
  async run({ config, trunks, clock }) {
    const http = parseHostPort(config.server.listen);
    const sip = parseHostPort(config.sip.bind);
    if (!http || !sip) return failed("An address is not host:port.", "linevoice config check");
    if (trunks !== null) {
      const problem = http.port === 0 ? null : await checkConnectivity(http, clock);
      return problem === null
        ? ok(`The server listens on ${config.server.listen} and ${config.sip.bind}.`)
        : failed(`No response on ${config.server.listen}: ${problem}`, "Restart the server.");
    }
    for (const [name, problem] of [
      [`[server] listen = "${config.server.listen}"`, await bindTcp(http)],
      [`[sip] bind = "${config.sip.bind}"`, await bindUdp(sip)],
    ] as const)
      if (problem !== null)
        return failed(
          `${name} cannot be bound: ${problem}`,
          "Find the program that uses it: ss -tulpn",
        );
    return ok("The server is not running; the HTTP and SIP ports are free.");
  },
};

export const rtpRange: Check = {
  name: "RTP ports",
  async run({ config, trunks }) {
    const range = parsePortRange(config.rtp.ports);
    if (!range) return failed("[rtp] ports is not a range.", "linevoice config check");
    const calls = Math.floor((range.last - range.first + 1) / 2);
    const { concurrent_calls: wanted } = config.limits;
    if (calls < wanted)
      return failed(
        `${config.rtp.ports} has room for ${calls} calls, but [limits] concurrent_calls allows ${wanted}.`,
        "Extend [rtp] ports to two ports per call, and open them in the firewall.",
      );
    const host = parseHostPort(config.sip.bind)?.host ?? "0.0.0.0";
    const problem = trunks === null ? await bindUdp({ host, port: range.first }) : null;
    if (problem !== null)
      return failed(
        `Port ${range.first} cannot be bound: ${problem}`,
        "Find the program that uses it: ss -ulpn",
      );
    return ok(`${config.rtp.ports} has room for ${calls} calls.`);
  },
};

export const trunkRegistrations: Check = {
  name: "trunks",
  run({ trunks }) {
    if (trunks === null) return skipped("The server is not running, so trunks are not registered.");
    if (trunks.length === 0) return warning("There is no trunk.", "linevoice trunk set --help");
    const bad = trunks.find(({ status }) => status === "failed");
    if (bad)
      return failed(
        `Trunk ${bad.id} (${bad.server}) is not registered: ${bad.explanation ?? bad.last_code}`,
        `linevoice trunk test ${bad.id}`,
      );
    const waiting = trunks.filter(({ status }) => !["registered", "not_required"].includes(status));
    const [first] = waiting;
    if (first)
      return warning(`Trunk ${first.id} is ${first.status}.`, `linevoice trunk test ${first.id}`);
    return ok(`All trunks are ready: ${trunks.length}.`);
  },
};

export const mailProvider: Check = {
  name: "mail",
  async run({ config: { mail }, dataDir, clock }) {
    if (mail.provider === "outbox") {
      const directory = join(dataDir, "outbox");
      if (!existsSync(directory))
        return skipped(`${directory} will be created at the first start.`);
      accessSync(directory, constants.W_OK);
      return ok(`Emails are not sent. They are stored in ${directory}.`);
    }
    const place =
      mail.provider === "smtp"
        ? { host: mail.smtp.host ?? "localhost", port: mail.smtp.port }
        : { host: "api.resend.com", port: 443 };
    const problem = await checkConnectivity(place, clock);
    const name = `${place.host}:${place.port}`;
    return problem === null
      ? ok(`${name} answers.`)
      : failed(
          `${name} cannot be reached: ${problem}`,
          `Check [mail] and: nc -vz ${place.host} ${place.port}`,
        );
  },
};

export const certificate: Check = {
  name: "TLS",
  run({ config: { server, sip }, clock }) {
    const certificates = [
      { of: "HTTP", file: server.tls_cert, renew: "systemctl reload linevoice" },
      { of: "SIP", file: sip.tls_cert, renew: "systemctl restart linevoice" },
    ];
    const findings = certificates.flatMap(({ of, file, renew }) =>
      file ? [judgeCertificate(of, file, renew, clock.now())] : [],
    );
    if (findings.length === 0) return skipped("No certificate is set for HTTP or SIP.");
    const worst = (["failed", "warning"] as const).flatMap((result) =>
      findings.filter((each) => each.result === result),
    );
    return worst[0] ?? ok(findings.map(({ finding }) => finding).join(" "));
  },
};

function judgeCertificate(of: string, file: string, renew: string, nowMs: number): Finding {
  const remedy = `Renew ${file}, then: ${renew}`;
  const { validFrom, validTo } = new X509Certificate(readFileSync(file));
  const endsMs = Date.parse(validTo);
  const days = Math.floor((endsMs - nowMs) / DAY_MS);
  if (days < 0) return failed(`The certificate of ${of} expired at ${isoUtc(endsMs)}.`, remedy);
  if (Date.parse(validFrom) > nowMs)
    return failed(
      `The certificate of ${of} is not valid before ${isoUtc(Date.parse(validFrom))}.`,
      `Check the clock: timedatectl; or: ${remedy}`,
    );
  if (days < CERTIFICATE_WARNING_DAYS)
    return warning(`The certificate of ${of} expires in ${days} days.`, remedy);
  return ok(`The certificate of ${of} is valid for ${days} days.`);
}
