DROP INDEX `calls_tenant_newest`;--> statement-breakpoint
CREATE INDEX `calls_tenant_newest` ON `calls` (`tenant_id`,`created_at`,`id`,`latency_p50_ms`,`latency_p95_ms`);