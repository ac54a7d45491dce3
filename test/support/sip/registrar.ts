/**
 * A small scriptable registrar with digest on loopback: tests choose its responses except the
 * challenge. Responses are idempotent, so that repeats over a lossy network do no harm.
 */
import {
  type Challenge,
  formatChallenge,
  parseCredentials,
  verifyCredentials,
} from "../../../src/sip/digest.ts";
import {
  buildResponse,
  formatVia,
  parseMessage,
  type ResponseParts,
  responseDestination,
  type SipRequest,
  stampSource,
} from "../../../src/sip/message/index.ts";

export interface RegistrarOptions {
  readonly host: string;
  readonly password: (username: string) => string;
  readonly algorithm?: "MD5" | "SHA-256";
  /** The response to a REGISTER with correct credentials. Default: 200 with its Contact. */
  readonly accept?: (request: SipRequest) => ResponseParts;
  /** Called first; undefined: continue with the challenge. */
  readonly intercept?: (request: SipRequest) => ResponseParts | undefined;
}

export interface Registrar {
  readonly host: string;
  readonly port: number;
  /** Every received REGISTER, including repeats. */
  readonly requests: SipRequest[];
  close(): void;
}

const REALM = "registrar.test";

export async function startRegistrar(options: RegistrarOptions): Promise<Registrar> {
  const requests: SipRequest[] = [];
  const challenge: Challenge = {
    realm: REALM,
    nonce: "nonce-of-the-test",
    opaque: null,
    qop: "auth",
    algorithm: options.algorithm ?? "MD5",
    stale: false,
  };
  const answerTo = (request: SipRequest): ResponseParts => {
    const intercepted = options.intercept?.(request);
    if (intercepted) return intercepted;
    const credentials = parseCredentials(request.headers.get("authorization") ?? "");
    const proven =
      credentials?.nonce === challenge.nonce &&
      verifyCredentials(credentials, options.password(credentials.username), "REGISTER");
    if (!proven) {
      return { statusCode: 401, headers: [["WWW-Authenticate", formatChallenge(challenge)]] };
    }
    return options.accept?.(request) ?? acceptedWithContact(request);
  };
  const socket = await Bun.udpSocket({
    hostname: options.host,
    port: 0,
    socket: {
      data: (own, bytes, port, host) => {
        const message = parseMessage(bytes.toString());
        if (message.kind !== "request") return;
        requests.push(message);
        const via = stampSource(message.via, { host, port });
        message.headers.setFirst("via", formatVia(via));
        const answer = buildResponse(message, { toTag: "registrar", ...answerTo(message) });
        const destination = responseDestination(via);
        own.send(answer, destination.port, destination.host);
      },
      error: () => {},
    },
  });
  return { host: options.host, port: socket.port, requests, close: () => socket.close() };
}

export function acceptedWithContact(request: SipRequest): ResponseParts {
  return { statusCode: 200, headers: [["Contact", request.headers.get("contact") ?? "*"]] };
}
