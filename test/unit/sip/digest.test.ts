import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import { TrunkCredentials } from "../../../src/sip/credentials.ts";
import {
  answerChallenge,
  type Challenge,
  DigestClient,
  formatChallenge,
  parseChallenge,
  parseChallenges,
  parseCredentials,
  verifyCredentials,
} from "../../../src/sip/digest.ts";

/** RFC 7616 3.9.1. */
const RFC_7616: Challenge = {
  realm: "http-auth@example.org",
  nonce: "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
  opaque: "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
  qop: "auth",
  algorithm: "MD5",
  stale: false,
};
const MUFASA = { username: "Mufasa", password: "Circle of Life" };
const GET = {
  method: "GET",
  uri: "/dir/index.html",
  nonceCount: 1,
  cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
};

describe("answerChallenge", () => {
  test("RFC 7616 3.9.1, MD5", () => {
    expect(answerChallenge(RFC_7616, MUFASA, GET)).toContain(
      'response="8ca523f5e9506fed4657c9700eebdbec"',
    );
  });

  test("RFC 7616 3.9.1, SHA-256", () => {
    const header = answerChallenge({ ...RFC_7616, algorithm: "SHA-256" }, MUFASA, GET);
    expect(header).toContain(
      'response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"',
    );
    expect(header).toContain("algorithm=SHA-256");
    expect(header).toContain("nc=00000001");
  });

  test("a challenge without qop is answered the old way (RFC 2617 3.2.2.1)", () => {
    const header = answerChallenge({ ...RFC_7616, qop: null }, MUFASA, GET);
    expect(header).not.toContain("cnonce");
    const credentials = parseCredentials(header);
    expect(credentials && verifyCredentials(credentials, MUFASA.password, "GET")).toBe(true);
  });
});

describe("challenges", () => {
  test("the strongest of several is first, unknown ones are left out", () => {
    const values = [
      'Digest realm="r", nonce="n1", algorithm=MD5, qop="auth"',
      'Digest realm="r", nonce="n0", algorithm=SHA-512-256, qop="auth"',
      'Digest realm="r", nonce="n2", algorithm=SHA-256, qop="auth,auth-int"',
      'Basic realm="r"',
      'Digest realm="r", nonce="n3", qop="auth-int"',
    ];
    expect(parseChallenges(values).map((challenge) => challenge.nonce)).toEqual(["n2", "n1"]);
  });

  test("writing and reading one changes nothing", () => {
    const challenge = { ...RFC_7616, realm: 'a "b" \\c', stale: true };
    expect(parseChallenge(formatChallenge(challenge))).toEqual(challenge);
  });
});

describe("verifyCredentials", () => {
  const credentialsFor = (password: string) => {
    const header = answerChallenge(RFC_7616, { ...MUFASA, password }, GET);
    const credentials = parseCredentials(header);
    if (!credentials) throw new Error("no credentials");
    return credentials;
  };

  test("accepts the right password and no other, for that method only", () => {
    const credentials = credentialsFor(MUFASA.password);
    expect(verifyCredentials(credentials, MUFASA.password, "GET")).toBe(true);
    expect(verifyCredentials(credentials, MUFASA.password, "REGISTER")).toBe(false);
    expect(verifyCredentials(credentialsFor("x"), MUFASA.password, "GET")).toBe(false);
    const short = { ...credentials, response: "8ca5" };
    expect(verifyCredentials(short, MUFASA.password, "GET")).toBe(false);
  });
});

describe("DigestClient", () => {
  test("counts the uses of each nonce", () => {
    const client = new DigestClient(MUFASA, seededRandom(1));
    const counts = ["n1", "n1", "n2", "n1"].map((nonce) => {
      const header = client.answer({ ...RFC_7616, nonce }, "REGISTER", "sip:r");
      return parseCredentials(header)?.nc;
    });
    expect(counts).toEqual(["00000001", "00000002", "00000001", "00000003"]);
  });
});

describe("TrunkCredentials", () => {
  const challenge = (realm: string) => `Digest realm="${realm}", nonce="n", qop="auth"`;

  test("a configured realm is the only one answered", () => {
    const settings = { realm: "ours", username: "u", password: "p" };
    const credentials = new TrunkCredentials(settings, seededRandom(1));
    expect(credentials.pick([challenge("other")])).toBeUndefined();
    expect(credentials.pick([challenge("other"), challenge("ours")])?.realm).toBe("ours");
  });

  test("without one, the first realm answered is kept", () => {
    const settings = { realm: null, username: "u", password: "p" };
    const credentials = new TrunkCredentials(settings, seededRandom(1));
    const first = credentials.pick([challenge("first")]);
    if (!first) throw new Error("no challenge");
    credentials.answer(first, "REGISTER", "sip:r");
    expect(credentials.pick([challenge("second")])).toBeUndefined();
  });
});
