/**
 * Checks for WebAssembly's vector instructions, which voice activity detection and the recogniser
 * need. The runtime has them on arm64, and on x64 only with AVX, which many virtual machines lack.
 */

/** `(module (func (result v128) (i8x16.splat (i32.const 0))))` */
const MODULE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15,
  11,
]);

export const hasVectorInstructions = (): boolean => WebAssembly.validate(MODULE);

export const NO_VECTOR_INSTRUCTIONS = {
  finding: "The processor has no AVX, without which nobody's speech can be heard.",
  remedy:
    "In a virtual machine choose the processor type host (or x86-64-v3); else take another machine.",
} as const;
