/** Preloaded into the program: SIGUSR2 causes one uncaught error of each kind. */
process.on("SIGUSR2", () => {
  void Promise.reject(new Error("a stray rejection"));
  setTimeout(() => {
    throw new Error("a stray exception");
  }, 0);
});
