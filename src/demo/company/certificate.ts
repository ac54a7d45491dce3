/**
 * Creates a certificate authority for one run of the demo, and a server certificate for a loopback
 * address (RFC 5280, P-256). The appliance trusts the authority through `[http_client] ca_file` and
 * verifies the server as usual. Nothing of it leaves the machine or is kept after the run.
 */
import "reflect-metadata";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

export interface DemoCertificates {
  /** PEM, for `ca_file`. */
  readonly authority: string;
  /** PEM of the server's certificate and key. */
  readonly certificate: string;
  readonly key: string;
}

const DAY_MS = 24 * 3600_000;
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

export async function makeCertificates(ipv4: string, nowMs: number): Promise<DemoCertificates> {
  const [authorityKeys, serverKeys] = await Promise.all([newKeys(), newKeys()]);
  const terms = {
    notBefore: new Date(nowMs - DAY_MS),
    notAfter: new Date(nowMs + 30 * DAY_MS),
    signingAlgorithm: ALGORITHM,
  };
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...terms,
    name: "CN=Linevoice demo authority",
    keys: authorityKeys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    ],
  });
  const server = await X509CertificateGenerator.create({
    ...terms,
    subject: "CN=demo company",
    issuer: authority.subject,
    publicKey: serverKeys.publicKey,
    signingKey: authorityKeys.privateKey,
    extensions: [
      new SubjectAlternativeNameExtension([{ type: "ip", value: ipv4 }]),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    ],
  });
  const key = await crypto.subtle.exportKey("pkcs8", serverKeys.privateKey);
  return {
    authority: authority.toString("pem"),
    certificate: server.toString("pem"),
    key: PemConverter.encode(key, PemConverter.PrivateKeyTag),
  };
}

const newKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
