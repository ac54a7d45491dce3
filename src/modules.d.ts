/** Files that the build embeds: text for SQL, a path for everything else. */
declare module "*.sql" {
  const text: string;
  export default text;
}
declare module "*.wasm" {
  const path: string;
  export default path;
}
declare module "*.onnx" {
  const path: string;
  export default path;
}
declare module "*.gz" {
  const path: string;
  export default path;
}
