/** Preloaded into the program: SIGUSR2 makes errors that nobody catches, one of each kind. */
process.on("SIGUSR2", () => {
  void Promise.reject(new Error("a stray rejection"));
  setTimeout(() => {
    throw new Error("a stray exception");
  }, 0);
});
