CREATE TABLE `legacy_endpoints` (
	`tenant_id` integer NOT NULL,
	`url` text NOT NULL,
	`failing_since` integer NOT NULL,
	`disabled_reason` text,
	PRIMARY KEY(`tenant_id`, `url`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `outbox_event` ON `outbox` (`event_id`);