CREATE INDEX `calls_transcript_kept` ON `calls` (`tenant_id`,`ended_at`) WHERE transcript_expired_at IS NULL AND ended_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `calls_recording_kept` ON `calls` (`ended_at`) WHERE recording_file IS NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_outbox` ON `deliveries` (`outbox_id`);--> statement-breakpoint
CREATE INDEX `deliveries_age` ON `deliveries` (`created_at`);--> statement-breakpoint
CREATE INDEX `events_age` ON `events` (`created_at`);--> statement-breakpoint
CREATE INDEX `mails_age` ON `mails` (`created_at`);