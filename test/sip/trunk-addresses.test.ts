/** A trunk's own addresses over UDP, TCP and TLS, with and without a NAT. */
import { expect, test } from "bun:test";
import { silentLog } from "../../src/core/log.ts";
import { buildResponse, parseMessage } from "../../src/sip/message/index.ts";
import type { TransportName } from "../../src/sip/transport/flow.ts";
import { TrunkAddresses } from "../../src/sip/trunk-addresses.ts";

const HERE = "192.0.2.1";
const OUTSIDE = "198.51.100.7";

function addressesOf(transport: TransportName, externalIp: string, tlsPort: number | null) {
  const addresses = new TrunkAddresses({
    log: silentLog,
    externalIp,
    mapped: () => null,
    transport: () => transport,
    local: { host: HERE, port: 5060 },
    localTls: tlsPort === null ? null : { host: HERE, port: tlsPort },
  });
  if (transport !== "UDP") addresses.connected({ host: HERE, port: 40_123 });
  return addresses;
}

/** An answer to our REGISTER that reports this source. */
function seenFrom(host: string, port: number) {
  const text = [
    "REGISTER sip:provider.test SIP/2.0",
    `Via: SIP/2.0/TCP ${HERE};received=${host};rport=${port};branch=z9hG4bK1`,
    ...["From: <sip:a@b>;tag=1", "To: <sip:a@b>", "Call-ID: c", "CSeq: 1 REGISTER", "", ""],
  ].join("\r\n");
  const request = parseMessage(text);
  if (request.kind !== "request") throw new Error("no request");
  const response = parseMessage(buildResponse(request, { statusCode: 200, toTag: "t" }));
  if (response.kind !== "response") throw new Error("no response");
  return response;
}

test.each([
  ["TCP, no NAT", "TCP", "auto", null, HERE, `${HERE}:5060`],
  ["TCP, a NAT", "TCP", "auto", null, OUTSIDE, `${OUTSIDE}:40999`],
  ["TCP, a NAT that is configured", "TCP", OUTSIDE, null, OUTSIDE, `${OUTSIDE}:5060`],
  ["TLS with tls_bind, no NAT", "TLS", "auto", 5061, HERE, `${HERE}:5061`],
  ["TLS with tls_bind, a NAT", "TLS", "auto", 5061, OUTSIDE, `${OUTSIDE}:40999`],
  ["TLS with tls_bind, configured", "TLS", OUTSIDE, 5061, OUTSIDE, `${OUTSIDE}:5061`],
  ["TLS without tls_bind, no NAT", "TLS", "auto", null, HERE, `${HERE}:40999`],
  ["TLS without tls_bind, configured", "TLS", OUTSIDE, null, OUTSIDE, `${OUTSIDE}:40999`],
  ["UDP, a NAT", "UDP", "auto", null, OUTSIDE, `${OUTSIDE}:40999`],
] as const)("%s", (_, transport, externalIp, tlsPort, seen, wanted) => {
  const addresses = addressesOf(transport, externalIp, tlsPort);
  addresses.learn(seenFrom(seen, 40_999), transport);
  const { host, port } = addresses.public;
  expect(`${host}:${port}`).toBe(wanted);
});
