/**
 * Creates a certificate authority for one run of the demo, and a server certificate for a loopback
 * address (RFC 5280, P-256). The appliance trusts the authority through `[http_client] ca_file` and
 * verifies the server as usual. The certificates stay on the machine and are deleted after the run.
 */

export interface DemoCertificates {
  /** PEM, for `ca_file`. */
  readonly authority: string;
  /** PEM of the server's certificate and key. */
  readonly certificate: string;
  readonly key: string;
}

const DAY_MS = 24 * 3600_000;
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** @peculiar/x509 needs reflect-metadata when it loads, so import that first. */
async function certificates() {
  await import("reflect-metadata");
  return await import("@peculiar/x509");
}

export async function makeCertificates(ipv4: string, nowMs: number): Promise<DemoCertificates> {
  const x509 = await certificates();
  const [authorityKeys, serverKeys] = await Promise.all([newKeys(), newKeys()]);
  const terms = {
    notBefore: new Date(nowMs - DAY_MS),
    notAfter: new Date(nowMs + 30 * DAY_MS),
    signingAlgorithm: ALGORITHM,
  };
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...terms,
    name: "CN=Linevoice demo authority",
    keys: authorityKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const server = await x509.X509CertificateGenerator.create({
    ...terms,
    subject: "CN=demo company",
    issuer: authority.subject,
    publicKey: serverKeys.publicKey,
    signingKey: authorityKeys.privateKey,
    extensions: [
      new x509.SubjectAlternativeNameExtension([{ type: "ip", value: ipv4 }]),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    ],
  });
  const key = await crypto.subtle.exportKey("pkcs8", serverKeys.privateKey);
  return {
    authority: authority.toString("pem"),
    certificate: server.toString("pem"),
    key: x509.PemConverter.encode(key, x509.PemConverter.PrivateKeyTag),
  };
}

const newKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
