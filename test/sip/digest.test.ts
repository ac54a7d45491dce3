import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { seededRandom } from "../../src/core/random.ts";
import { TrunkCredentials } from "../../src/sip/credentials.ts";
import {
  answerChallenge,
  type Challenge,
  DigestClient,
  formatChallenge,
  parseChallenge,
  parseChallenges,
  parseCredentials,
  verifyCredentials,
} from "../../src/sip/digest.ts";
import { Headers } from "../../src/sip/message/index.ts";

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

  test("auth-int covers the body, and the session variants the nonces (RFC 7616 3.4.2, 3.4.3)", () => {
    const md5 = (text: string) => createHash("md5").update(text).digest("hex");
    const challenge = { ...RFC_7616, algorithm: "MD5-sess", qop: "auth-int" } as const;
    const { nonce, realm } = challenge;
    const account = md5(`${MUFASA.username}:${realm}:${MUFASA.password}`);
    const secret = md5(`${account}:${nonce}:${GET.cnonce}`);
    const target = md5(`GET:${GET.uri}:${md5("v=0")}`);
    const wanted = md5(`${secret}:${nonce}:00000001:${GET.cnonce}:auth-int:${target}`);
    const header = answerChallenge(challenge, MUFASA, { ...GET, body: "v=0" });
    expect(header).toContain(`response="${wanted}"`);
    const credentials = parseCredentials(header);
    if (!credentials) throw new Error("no credentials");
    expect(verifyCredentials(credentials, MUFASA.password, "GET", "v=0")).toBe(true);
    expect(verifyCredentials(credentials, MUFASA.password, "GET", "v=1")).toBe(false);
  });

  test("a challenge without qop gets an RFC 2617 answer (3.2.2.1)", () => {
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
      'Digest realm="r", nonce="n0", algorithm=AKAv1-MD5, qop="auth"',
      'Digest realm="r", nonce="n2", algorithm=SHA-256, qop="auth,auth-int"',
      'Basic realm="r"',
      'Digest realm="r", nonce="n3", qop="auth-int"',
      'Digest realm="r", nonce="n4", qop="token"',
    ];
    const nonces = parseChallenges(values).map((challenge) => challenge.nonce);
    expect(nonces).toEqual(["n2", "n1", "n3"]);
  });

  test.each([
    ['Basic realm="a, Digest b=c", Digest realm="r", nonce="n1"', ["n1"]],
    ['Digest realm="r", nonce="n1", qop="auth,auth-int", Basic realm="r"', ["n1"]],
    ['Negotiate, Digest nonce="n1", realm="r"', ["n1"]],
    [
      'Digest realm="r", nonce="n1",Digest realm="r", nonce="n2", algorithm=SHA-256, qop="auth"',
      ["n2", "n1"],
    ],
    [
      'Digest realm="r", nonce="n1", algorithm=SHA-512-256, Digest realm="r", nonce="n2", algorithm=AKAv1-MD5',
      ["n1"],
    ],
  ])("several in one header: %s", (value, nonces) => {
    expect(parseChallenges([value]).map(({ nonce }) => nonce)).toEqual(nonces);
  });

  test("of SHA-512-256 are answered (RFC 7616 3.9.2, the user's hash of erratum 4897)", () => {
    const account = { username: "Jäsøn Doe", password: "p" };
    const header = answerChallenge({ ...RFC_7616, algorithm: "SHA-512-256" }, account, GET);
    const credentials = parseCredentials(header);
    expect(credentials && verifyCredentials(credentials, "p", "GET")).toBe(true);
    const hash = createHash("sha512-256").update("Jäsøn Doe:api@example.org").digest("hex");
    expect(hash).toBe("793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b");
    expect(credentials?.response).toHaveLength(64);
  });

  test("survive writing and reading", () => {
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
  const account = { username: "u", password: "p" };
  const challenge = (realm: string, nonce = "n", stale = false) =>
    `Digest realm="${realm}", nonce="${nonce}", qop="auth"${stale ? ", stale=true" : ""}`;
  const challenged = (statusCode: 401 | 407, ...values: string[]) => {
    const field = statusCode === 401 ? "WWW-Authenticate" : "Proxy-Authenticate";
    return { statusCode, headers: Headers.from(values.map((value) => [field, value] as const)) };
  };
  const withRealm = (realm: string | null) =>
    new TrunkCredentials({ realm, ...account }, seededRandom(1));

  test("a configured realm is the only one answered", () => {
    const credentials = withRealm("ours");
    expect(credentials.pick(challenged(401, challenge("other")))).toBeUndefined();
    const both = challenged(407, challenge("other"), challenge("ours"));
    expect(credentials.pick(both)?.realm).toBe("ours");
  });

  test("without one, the first realm of the server and the first of a proxy are kept", () => {
    const credentials = withRealm(null);
    const answered = credentials.authorisation();
    for (const [code, kind, realm] of [
      [401, "server", "home"],
      [407, "proxy", "edge"],
    ] as const) {
      const first = credentials.pick(challenged(code, challenge(realm)));
      if (!first) throw new Error("no challenge");
      expect(answered.take(kind, first)).toBe(true);
    }
    expect(answered.headers("INVITE", "sip:r")).toHaveLength(2);
    expect(credentials.pick(challenged(401, challenge("elsewhere")))).toBeUndefined();
    expect(credentials.pick(challenged(407, challenge("home")))).toBeUndefined();
    expect(credentials.pick(challenged(407, challenge("edge")))?.realm).toBe("edge");
  });

  test("a registrar's new realm replaces the learnt ones, and no other does", () => {
    const credentials = withRealm(null);
    const answer = (realm: string) =>
      credentials.answersRegistrar(challenged(401, challenge(realm)), credentials.authorisation());
    const learn = (code: 401 | 407, realm: string) => {
      const authorisation = credentials.authorisation();
      const isAnswered = credentials.answers(challenged(code, challenge(realm)), authorisation);
      authorisation.headers("INVITE", "sip:r");
      return isAnswered;
    };
    expect([learn(401, "home"), learn(407, "edge")]).toEqual([true, true]);
    expect([learn(401, "other"), learn(407, "other")]).toEqual([false, false]);
    credentials.answersRegistrar(
      { statusCode: 403, headers: Headers.from([]) },
      credentials.authorisation(),
    );
    expect(learn(407, "other")).toBe(false);
    expect([answer("moved"), learn(407, "moved edge"), learn(407, "edge")]).toEqual([
      true,
      true,
      false,
    ]);
    const configured = withRealm("ours");
    const elsewhere = challenged(401, challenge("moved"));
    expect(configured.answersRegistrar(elsewhere, configured.authorisation())).toBe(false);
  });

  test("the same answer is not tried twice, a stale nonce is renewed, and retries are limited", () => {
    const credentials = withRealm(null);
    const authorisation = credentials.authorisation();
    const take = (nonce: string, stale = false) => {
      const found = credentials.pick(challenged(401, challenge("r", nonce, stale)));
      return found !== undefined && authorisation.take("server", found);
    };
    expect(take("one")).toBe(true);
    expect(take("one")).toBe(false);
    expect([take("two"), take("three")]).toEqual([true, false]);
    expect([take("four", true), take("five", true)]).toEqual([true, true]);
    expect(take("six", true)).toBe(false);
  });

  test("nonce counts continue over all requests of the trunk", () => {
    const credentials = withRealm(null);
    const counts = [1, 2].map(() => {
      const authorisation = credentials.authorisation();
      const found = credentials.pick(challenged(401, challenge("r")));
      if (found) authorisation.take("server", found);
      const [line] = authorisation.headers("INVITE", "sip:r");
      return parseCredentials(line?.[1] ?? "")?.nc;
    });
    expect(counts).toEqual(["00000001", "00000002"]);
  });
});

test.each([
  [9, "00000009"],
  [16, "00000010"],
  [31, "0000001f"],
])(
  "use %d of a nonce is counted in hexadecimal, and opaque is sent back (RFC 7616 3.4)",
  (n, nc) => {
    const header = answerChallenge(RFC_7616, MUFASA, { ...GET, nonceCount: n });
    expect(header).toContain(`nc=${nc}`);
    expect(header).toContain(`opaque="${RFC_7616.opaque}"`);
  },
);

test.each([
  ["realm", 'Digest nonce="n", algorithm=MD5'],
  ["nonce", 'Digest realm="r", algorithm=MD5'],
])("a challenge without %s is invalid", (_, value) => {
  expect(parseChallenge(value)).toBeUndefined();
});

test.each([
  ["user name", 'Digest realm="r", nonce="n", uri="sip:x", response="0"'],
  ["response", 'Digest username="u", realm="r", nonce="n", uri="sip:x"'],
  ["known algorithm", 'Digest username="u", realm="r", nonce="n", response="0", algorithm=X'],
])("credentials without a %s are invalid", (_, value) => {
  expect(parseCredentials(value)).toBeUndefined();
});
