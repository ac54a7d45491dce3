/** JSON as a type: what a request body, a tool's arguments or a worker message may hold. */

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}
