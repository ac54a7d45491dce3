/** Writes ONNX models (protobuf, onnx.proto). Only the parts that tests and benchmarks use. */

type Field = Uint8Array<ArrayBuffer>;

const FLOAT = 1;
const INT64 = 7;
const IR_VERSION = 8;
const OPSET = 17;
/** AttributeProto.type. */
const [A_NUMBER, A_NUMBERS] = [2, 7];

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}

const joined = (parts: readonly Uint8Array[]): Field => new Uint8Array(Buffer.concat(parts));
const number = (field: number, value: number) =>
  Uint8Array.from([...varint(field * 8), ...varint(value)]);
const bytes = (field: number, content: Uint8Array) =>
  joined([Uint8Array.from([...varint(field * 8 + 2), ...varint(content.length)]), content]);
const text = (field: number, content: string) => bytes(field, Buffer.from(content));
const message = (field: number, ...parts: readonly Uint8Array[]) => bytes(field, joined(parts));

/** Names of input tensors, names of output tensors, integers as attributes. */
export function node(
  operator: string,
  inputs: readonly string[],
  output: string,
  attributes: Readonly<Record<string, number | readonly number[]>> = {},
): Field {
  return message(
    1,
    ...inputs.map((name) => text(1, name)),
    text(2, output),
    text(4, operator),
    ...Object.entries(attributes).map(([name, value]) =>
      typeof value === "number"
        ? message(5, text(1, name), number(3, value), number(20, A_NUMBER))
        : message(5, text(1, name), ...value.map((each) => number(8, each)), number(20, A_NUMBERS)),
    ),
  );
}

/** A constant of the model. */
export function constant(
  name: string,
  values: Float32Array | BigInt64Array,
  shape: readonly number[],
): Field {
  const type = values instanceof Float32Array ? FLOAT : INT64;
  const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const dims = shape.map((size) => number(1, size));
  return message(5, ...dims, number(2, type), text(8, name), bytes(9, raw));
}

/** A dimension with a name has any size. */
function value(field: number, name: string, type: number, shape: readonly (number | string)[]) {
  const dims = shape.map((size) =>
    message(1, typeof size === "number" ? number(1, size) : text(2, size)),
  );
  return message(
    field,
    text(1, name),
    message(2, message(1, number(1, type), message(2, ...dims))),
  );
}
export const integersIn = (name: string, shape: readonly (number | string)[]) =>
  value(11, name, INT64, shape);
export const floatsIn = (name: string, shape: readonly (number | string)[]) =>
  value(11, name, FLOAT, shape);
export const floatsOut = (name: string, shape: readonly (number | string)[]) =>
  value(12, name, FLOAT, shape);

/** `parts`: nodes in execution order, constants, inputs and outputs. */
export const model = (parts: readonly Field[]): Field =>
  joined([
    number(1, IR_VERSION),
    message(8, number(2, OPSET)),
    message(7, ...parts, text(2, "graph")),
  ]);
