/**
 * Creates a certificate authority for one run of the demo, and a server certificate for a loopback
 * address (RFC 5280, P-256). The appliance trusts the authority through `[http_client] ca_file` and
 * verifies the server as usual. Nothing of it leaves the machine or is kept after the run.
 */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { Random } from "../../core/random.ts";
import {
  bits,
  boolean,
  generalizedTime,
  implicit,
  integer,
  objectId,
  octets,
  sequence,
  setOf,
  tagged,
  utf8,
} from "./der.ts";

export interface DemoCertificates {
  /** PEM, for `ca_file`. */
  readonly authority: string;
  /** PEM of the server's certificate and key. */
  readonly certificate: string;
  readonly key: string;
}

const DAY_MS = 24 * 3600_000;
const ECDSA_WITH_SHA256 = sequence(objectId("1.2.840.10045.4.3.2"));
const COMMON_NAME = "2.5.4.3";
const BASIC_CONSTRAINTS = "2.5.29.19";
const KEY_USAGE = "2.5.29.15";
const SUBJECT_ALT_NAME = "2.5.29.17";
const SERVER_AUTH = sequence(objectId("1.3.6.1.5.5.7.3.1"));
const EXTENDED_KEY_USAGE = "2.5.29.37";

export function makeCertificates(ipv4: string, nowMs: number, random: Random): DemoCertificates {
  const authority = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const server = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const authorityName = nameOf("Linevoice demo authority");
  const authorityCertificate = certificateOf(
    {
      subject: authorityName,
      publicKey: authority.publicKey,
      extensions: [
        extension(BASIC_CONSTRAINTS, true, sequence(boolean(true))),
        // keyCertSign
        extension(KEY_USAGE, true, Buffer.of(0x03, 0x02, 0x02, 0x04)),
      ],
    },
    { name: authorityName, key: authority.privateKey, nowMs, random },
  );
  const serverCertificate = certificateOf(
    {
      subject: nameOf("demo company"),
      publicKey: server.publicKey,
      extensions: [
        extension(SUBJECT_ALT_NAME, false, sequence(implicit(7, Buffer.from(octetsOf(ipv4))))),
        extension(EXTENDED_KEY_USAGE, false, SERVER_AUTH),
      ],
    },
    { name: authorityName, key: authority.privateKey, nowMs, random },
  );
  return {
    authority: pem(authorityCertificate),
    certificate: pem(serverCertificate),
    key: server.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

interface Subject {
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

interface Issuer {
  readonly name: Buffer;
  readonly key: KeyObject;
  readonly nowMs: number;
  readonly random: Random;
}

function certificateOf({ subject, publicKey, extensions }: Subject, issuer: Issuer): Buffer {
  const version3 = tagged(0, integer(Buffer.of(2)));
  const serial = issuer.random.bytes(12);
  serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f);
  const validity = sequence(
    generalizedTime(issuer.nowMs - DAY_MS),
    generalizedTime(issuer.nowMs + 30 * DAY_MS),
  );
  const toBeSigned = sequence(
    version3,
    integer(serial),
    ECDSA_WITH_SHA256,
    issuer.name,
    validity,
    subject,
    publicKey.export({
      type: "spki",
      format: "der",
    }),
    tagged(3, sequence(...extensions)),
  );
  return sequence(toBeSigned, ECDSA_WITH_SHA256, bits(sign("sha256", toBeSigned, issuer.key)));
}

const nameOf = (commonName: string): Buffer =>
  sequence(setOf(sequence(objectId(COMMON_NAME), utf8(commonName))));

const extension = (id: string, critical: boolean, content: Uint8Array): Buffer =>
  sequence(objectId(id), ...(critical ? [boolean(true)] : []), octets(content));

const octetsOf = (ipv4: string): number[] => ipv4.split(".").map(Number);

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
