/**
 * WebAssembly that is made of espeak-ng's JavaScript says what the JavaScript says, sample by sample; and what
 * JavaScript and WebAssembly do differently, they do alike.
 */
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CreateModule, SpeechModule } from "@echogarden/espeak-ng-emscripten";
import { wasmFromJavaScript } from "../../../../scripts/wasm-from-javascript/module.ts";
import { loadEspeak } from "../../../../src/adapter/engine/embedded/speech/espeak-module.ts";
import { VOICE_VARIANTS } from "../../../../src/adapter/engine/embedded/speech/voices.ts";

const PACKAGE = join(import.meta.dir, "../../../../node_modules/@echogarden/espeak-ng-emscripten");
const VARIANT_FOLDER = "/usr/share/espeak-ng-data/voices/!v/";

const SENTENCES: readonly (readonly [voice: string, text: string])[] = [
  ["en-us", "What are your opening hours? We are open from nine to five, Monday to Friday."],
  ["en-us+m3", "The price is 12.50 euros; write to info@example.com, or call 370 600 00001."],
  ["en-us", "Dr. Smith's 2nd appointment, on 3 March 2026 at 14:30, costs $1,234.56. Really?!"],
  ["lt", "Labas rytas, kuo galiu padėti? Kaina yra dvylika eurų, Žvėrynas, 15."],
  ["lv", "Labrīt, kā es varu palīdzēt? Mēs strādājam no deviņiem līdz pieciem."],
  ["ru", "Здравствуйте, чем я могу помочь? Это стоит 1250 рублей и 50 копеек."],
];

type Speaker = InstanceType<SpeechModule["eSpeakNGWorker"]>;

/** The package as it is published, with its own data. */
async function publishedEspeak(): Promise<Speaker> {
  const script = readFileSync(join(PACKAGE, "espeak-ng.js"), "utf8");
  const body = script
    .replaceAll("import.meta.url", '"file:///espeak-ng.js"')
    .replace(/export default Module;\s*$/, "return Module;\n");
  const data = readFileSync(join(PACKAGE, "espeak-ng.data"));
  const createModule = (new Function(body) as () => CreateModule)();
  const module = await createModule({
    getPreloadedPackage: () =>
      data.buffer.slice(data.byteOffset, data.byteOffset + data.length) as ArrayBuffer,
    print() {},
    printErr() {},
  });
  for (const [name, definition] of Object.entries(VOICE_VARIANTS))
    module.FS.writeFile(VARIANT_FOLDER + name, definition);
  return new module.eSpeakNGWorker();
}

function spoken(speaker: Speaker): string[] {
  return SENTENCES.map(([voice, text]) => {
    const hash = createHash("sha256");
    let samples = 0;
    expect(speaker.set_voice(voice)).toBe(0);
    speaker.synthesize(text, (pcm, events) => {
      samples += pcm.length;
      hash.update(pcm).update(JSON.stringify(events));
      return false;
    });
    return `${samples} ${hash.digest("hex")}`;
  });
}

test("espeak-ng in WebAssembly makes the samples and events that its JavaScript makes", async () => {
  const [published, ours] = await Promise.all([publishedEspeak(), loadEspeak()]);
  ours.learn("ru");
  const expected = spoken(published);
  expect(spoken(ours)).toEqual(expected);
  expect(expected.every((one) => Number.parseInt(one, 10) > 22_050)).toBe(true);
}, 120_000);

/** A file as emscripten writes it with wasm2js, with these functions. */
const fileOf = (functions: string, names: readonly string[]) =>
  [
    "function instantiate(Ea){",
    'function r(s){n(g,1024,"AQIDBAUGBwg=")}',
    "function x(y){return u[y]}function z(y,A){u[y]=A}function B(){return w[0]}function C(A){w[0]=A}",
    'function D(){throw new Error("abort")}function E(A){v[2]=A}',
    "function Da(s){var F=new ArrayBuffer(131072);var G=new Int8Array(F);var H=new Int16Array(F);",
    "var I=new Int32Array(F);var J=new Uint8Array(F);var K=new Uint16Array(F);var L=new Uint32Array(F);",
    "var M=new Float32Array(F);var N=new Float64Array(F);var O=Math.imul;var P=Math.fround;var Q=Math.abs;",
    "var Y=s.a;var Z=Y.a;var ra=2048;",
    "// EMSCRIPTEN_START_ASM",
    "// EMSCRIPTEN_START_FUNCS",
    functions,
    "// EMSCRIPTEN_END_FUNCS",
    "g=J;r(s);var va=e([null,ta]);function wa(){return F.byteLength/65536|0}",
    "function Ba(Ca){Ca=Ca|0;var xa=0;if(xa){var za=new ArrayBuffer(O(xa,65536))}return xa}",
    "return{u:Object.create(Object.prototype,{grow:{value:Ba},buffer:{get:function(){return F}}}),",
    ...[names.map((name) => `${name}:${name}`).join(","), ",Ga:va}}return Da(Ea)}"],
    "// EMSCRIPTEN_END_ASM",
  ]
    .join("\n")
    .replace("}),\n", "}),")
    .replace("\n,Ga", ",Ga");

async function exportsOf(functions: string) {
  const names = [...functions.matchAll(/function ([\w$]+)\(/g)].map(([, name = ""]) => name);
  const heard: number[] = [];
  const bytes = wasmFromJavaScript(fileOf(functions, names));
  const { instance } = await WebAssembly.instantiate(bytes, {
    a: { a: (value: number) => heard.push(value) },
  });
  const call = (name: string, ...values: number[]) =>
    (instance.exports[name] as (...values: number[]) => number)(...values);
  return { call, heard };
}

describe("what the two do differently is done as JavaScript does it", () => {
  const TABLE = "function ta(a){a=a|0;return a+1|0}";

  test("a division by zero, and of the least integer by minus one", async () => {
    const { call } = await exportsOf(
      `${TABLE}function da(a,b){a=a|0;b=b|0;return(a|0)/(b|0)|0}function db(a,b){a=a|0;b=b|0;return(a>>>0)/(b>>>0)|0}function dc(a,b){a=a|0;b=b|0;return(a|0)%(b|0)|0}function dd(a,b){a=a|0;b=b|0;return(a>>>0)%(b>>>0)|0}`,
    );
    const values = [0, 1, -1, 7, -7, 2 ** 31 - 1, -(2 ** 31)];
    for (const a of values)
      for (const b of values) {
        expect(call("da", a, b)).toBe((a / b) | 0);
        expect(call("db", a, b)).toBe(((a >>> 0) / (b >>> 0)) | 0);
        expect(call("dc", a, b)).toBe((a % b) | 0);
        expect(call("dd", a, b)).toBe(((a >>> 0) % (b >>> 0)) | 0);
      }
  });

  test("a number that is too large for an integer", async () => {
    const { call } = await exportsOf(`${TABLE}function da(a){a=+a;return~~a|0}`);
    for (const a of [0, -0.9, 1.9, 2 ** 31, -(2 ** 31) - 1, 2 ** 32 + 5, 2 ** 52 + 3, Number.NaN])
      expect(call("da", a)).toBe(~~a);
  });

  test("loops, jumps, choices, memory, table, import and the halves of a double", async () => {
    const { call, heard } = await exportsOf(
      [
        TABLE,
        "function da(a){a=a|0;var b=0,c=0;a:{while(1){if((b|0)>=(a|0)){break a}b=b+1|0;if(b&1){continue}c=c+b|0;continue}}return c|0}",
        "function db(a){a=a|0;var b=0;a:{switch(a-3|0){case 0:b=1;case 1:b=b+10|0;break;case 4:b=7;break a;default:b=99}b=b+100|0}return b|0}",
        "function dc(a){a=a|0;I[a>>2]=-2;G[a+4|0]=200;return((J[a+4|0]+G[a+4|0]|0)+I[a>>2]|0)+J[1025]|0}",
        "function dd(a){a=a|0;Z(a|0)|0;return va[1](a)|0}",
        "function de(a){a=+a;C(+a);return x(1)|0}",
        "function df(a){a=+a;var b=0;b=P(a);M[256]=b;N[130]=+M[256]*.5;return+(N[130]>1?N[130]:+P(b-P(3)))}",
        "function dg(a){a=a|0;var b=0;do{b=b+1|0}while((b|0)<(a|0));return b|0}",
      ].join(""),
    );
    expect([0, 1, 6, 7].map((a) => call("da", a))).toEqual([0, 0, 12, 12]);
    expect([2, 3, 4, 5, 7, 8].map((a) => call("db", a))).toEqual([199, 111, 110, 199, 7, 199]);
    expect(call("dc", 64)).toBe(200 - 56 - 2 + 2);
    expect(call("dd", 41)).toBe(42);
    expect(heard).toEqual([41]);
    expect(call("de", 1.5)).toBe(0x3ff80000);
    expect([call("df", 3.25), call("df", 0.1)]).toEqual([1.625, Math.fround(Math.fround(0.1) - 3)]);
    expect([call("dg", 0), call("dg", 5)]).toEqual([1, 5]);
  });

  test("what wasm2js does not write is refused with its place", () => {
    const made = (functions: string) => () => wasmFromJavaScript(fileOf(functions, ["ta"]));
    expect(made(`${TABLE}function da(a){a=a|0;a++}`)).toThrow("no type for a++");
    expect(made(`${TABLE}function da(a){for(;;){}}`)).toThrow("no statement of wasm2js: for(;;)");
    expect(made(`${TABLE}function da(a,b){a=a|0;b=b|0;return(a>>>0)<(b|0)|0}`)).toThrow(
      "both signs",
    );
    expect(() => wasmFromJavaScript("function instantiate(){}")).toThrow("no file of wasm2js");
  });
});
