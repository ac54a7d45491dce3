/**
 * Typed messages between two threads. A protocol is one map from a message's name to its arguments;
 * the receiver is an object with one method per name, and `dispatch` calls it. Plain data only
 * (structured clone).
 */
type Protocol<Map> = { readonly [Name in keyof Map]: readonly unknown[] };

export type MessageOf<Map extends Protocol<Map>> = {
  readonly [Name in keyof Map]: { readonly type: Name; readonly args: Map[Name] };
}[keyof Map];

export type HandlersOf<Map extends Protocol<Map>> = {
  [Name in keyof Map]: (...args: Map[Name]) => void;
};

/** Name the protocol: `dispatch<CallCommands>(session, command)`. */
export function dispatch<Map extends Protocol<Map>, Name extends keyof Map = keyof Map>(
  handlers: HandlersOf<Map>,
  message: { readonly type: Name; readonly args: Map[Name] },
): void {
  handlers[message.type](...message.args);
}
