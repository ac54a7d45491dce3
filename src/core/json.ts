/** JSON as a type, for request bodies, tool arguments and worker messages. */

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}
