/**
 * The float constants of an ONNX file by output name: initializers and Constant nodes, including
 * inner graphs. Implements only the needed part of protobuf
 * (https://protobuf.dev/programming-guides/encoding/) and onnx.proto.
 */
type Field = { readonly number: number; readonly value: number | Uint8Array };

const GRAPH_NODE = 1;
const GRAPH_INITIALIZER = 5;
const MODEL_GRAPH = 7;
const NODE_OUTPUT = 2;
const NODE_ATTRIBUTE = 5;
const ATTRIBUTE_TENSOR = 5;
const ATTRIBUTE_GRAPH = 6;
const TENSOR_TYPE = 2;
const TENSOR_FLOATS = 4;
const TENSOR_NAME = 8;
const TENSOR_RAW = 9;
const FLOAT = 1;

function* fields(bytes: Uint8Array): Generator<Field> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = () => {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = view.getUint8(at++);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const [number, wire] = [Math.floor(key / 8), key % 8];
    if (wire === 0) yield { number, value: varint() };
    else {
      const length = wire === 2 ? varint() : wire === 1 ? 8 : 4;
      yield { number, value: bytes.subarray(at, at + length) };
      at += length;
    }
  }
}

const text = (value: Field["value"]) =>
  value instanceof Uint8Array ? Buffer.from(value).toString() : "";
const inner = (value: Field["value"]) => (value instanceof Uint8Array ? value : new Uint8Array());

/** Returns null if it is not a float tensor. */
function tensor(bytes: Uint8Array): { name: string; values: Float32Array } | null {
  let [name, type] = ["", 0];
  let raw: Uint8Array | null = null;
  const single: Uint8Array[] = [];
  for (const { number, value } of fields(bytes)) {
    if (number === TENSOR_NAME) name = text(value);
    else if (number === TENSOR_TYPE && typeof value === "number") type = value;
    else if (number === TENSOR_RAW) raw = inner(value);
    else if (number === TENSOR_FLOATS) single.push(inner(value));
  }
  if (type !== FLOAT) return null;
  const data = raw ?? Buffer.concat(single);
  return { name, values: new Float32Array(Uint8Array.from(data).buffer) };
}

export function floatConstants(model: Uint8Array): ReadonlyMap<string, Float32Array> {
  const found = new Map<string, Float32Array>();
  function node(bytes: Uint8Array): void {
    let output = "";
    const attributes: Uint8Array[] = [];
    for (const { number, value } of fields(bytes)) {
      if (number === NODE_OUTPUT && output === "") output = text(value);
      if (number === NODE_ATTRIBUTE) attributes.push(inner(value));
    }
    for (const attribute of attributes)
      for (const { number, value } of fields(attribute)) {
        if (number === ATTRIBUTE_GRAPH) graph(inner(value));
        const made = number === ATTRIBUTE_TENSOR ? tensor(inner(value)) : null;
        if (made) found.set(output, made.values);
      }
  }
  function graph(bytes: Uint8Array): void {
    for (const { number, value } of fields(bytes)) {
      if (number === GRAPH_NODE) node(inner(value));
      const made = number === GRAPH_INITIALIZER ? tensor(inner(value)) : null;
      if (made) found.set(made.name, made.values);
    }
  }
  for (const { number, value } of fields(model)) if (number === MODEL_GRAPH) graph(inner(value));
  return found;
}
