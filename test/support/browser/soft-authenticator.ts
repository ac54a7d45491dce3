/**
 * A software passkey: ES256, "none" attestation, asks the person each time (WebAuthn level 3, 6.5).
 */
import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest();
const base64url = (data: string | Uint8Array) => Buffer.from(data).toString("base64url");

/** User present, user verified; with a new key: attested credential data. */
const FLAGS = 0x05;
const FLAGS_UNVERIFIED = 0x01;
const FLAGS_WITH_KEY = 0x45;
const FLAGS_WITH_KEY_UNVERIFIED = 0x41;

/** An authenticator for one site and one person. `origin`: https and a name. */
export function softAuthenticator(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(16);
  const coseKey = Buffer.concat([
    Buffer.from("a5010203262001215820", "hex"),
    Buffer.from(x, "base64url"),
    Buffer.from("225820", "hex"),
    Buffer.from(y, "base64url"),
  ]);
  let counter = 0;

  function authenticatorData(flags: number): Buffer {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags, 0);
    head.writeUInt32BE(++counter, 1);
    return Buffer.concat([sha256(new URL(origin).hostname), head]);
  }

  const clientData = (type: string, challenge: string) =>
    JSON.stringify({ type, challenge, origin, crossOrigin: false });

  const answer = (response: object) => ({
    id: base64url(id),
    rawId: base64url(id),
    type: "public-key",
    response,
    clientExtensionResults: {},
  });

  return {
    /**
     * `challenge`: base64url, as in the options. `isVerified`: the person was verified by
     * fingerprint or PIN.
     */
    register(challenge: string, { isVerified = true } = {}) {
      const length = Buffer.from([0, id.length]);
      const flags = isVerified ? FLAGS_WITH_KEY : FLAGS_WITH_KEY_UNVERIFIED;
      const data = [authenticatorData(flags), Buffer.alloc(16), length, id, coseKey];
      const authData = Buffer.concat(data);
      const attestation = Buffer.concat([
        Buffer.from("a363666d74646e6f6e656761747453746d74a0686175746844617461", "hex"),
        Buffer.from([0x58, authData.length]),
        authData,
      ]);
      return answer({
        clientDataJSON: base64url(clientData("webauthn.create", challenge)),
        attestationObject: base64url(attestation),
      });
    },

    signIn(challenge: string, { isVerified = true } = {}) {
      const data = authenticatorData(isVerified ? FLAGS : FLAGS_UNVERIFIED);
      const client = clientData("webauthn.get", challenge);
      const signed = createSign("sha256").update(data).update(sha256(client));
      return answer({
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(signed.sign(privateKey)),
      });
    },
  };
}
