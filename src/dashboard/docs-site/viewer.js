const dark = matchMedia("(prefers-color-scheme: dark)");
const chosen = localStorage.getItem("linevoice.theme");
const show = () =>
  document.documentElement.classList.toggle(
    "dark-mode",
    chosen === "dark" || (chosen !== "light" && dark.matches),
  );
show();
dark.addEventListener("change", show);
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  validatorUrl: null,
  supportedSubmitMethods: ["get", "post", "patch", "delete"],
});
