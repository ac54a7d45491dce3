import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/adapter/store/schema/index.ts",
  out: "./migrations",
});
