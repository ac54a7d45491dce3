/**
 * A certificate authority created with the openssl program, and server certificates issued by it.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface TestCa {
  /** The authority's certificate in PEM. */
  readonly caPem: string;
  /** `names`: `DNS:hooks.test`, `IP:127.0.0.1`, … `usage`: the only allowed usage. */
  issue(names: readonly string[], usage?: "clientAuth"): Certificate;
}

const EC = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** Leaves files in `directory`, which the caller removes. */
export function testCa(directory: string): TestCa {
  const path = (name: string) => join(directory, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  openssl(
    ...["req", "-x509", ...EC, "-days", "30", "-subj", "/CN=Linevoice test CA"],
    ...["-keyout", path("ca.key"), "-out", path("ca.pem")],
  );
  let issued = 0;
  return {
    caPem: readFileSync(path("ca.pem"), "utf8"),
    issue(names, usage) {
      const name = `server-${++issued}`;
      const [key, request, cert] = [`${name}.key`, `${name}.csr`, `${name}.pem`].map(path);
      const extensions = usage ? `extendedKeyUsage=${usage}\n` : "";
      writeFileSync(path(`${name}.ext`), `subjectAltName=${names.join(",")}\n${extensions}`);
      openssl("req", ...EC, "-subj", "/CN=server", "-keyout", `${key}`, "-out", `${request}`);
      openssl(
        ...["x509", "-req", "-in", `${request}`, "-out", `${cert}`, "-days", "30"],
        ...["-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-CAcreateserial"],
        ...["-extfile", path(`${name}.ext`)],
      );
      return { cert: readFileSync(`${cert}`, "utf8"), key: readFileSync(`${key}`, "utf8") };
    },
  };
}
