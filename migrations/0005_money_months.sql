CREATE TABLE `renewals` (
	`tenant_id` integer NOT NULL,
	`month` text NOT NULL,
	`item` text NOT NULL,
	`plan` text,
	`amount` integer NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`settled_at` integer,
	PRIMARY KEY(`tenant_id`, `month`, `item`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `renewals_due` ON `renewals` (`status`,`month`);--> statement-breakpoint
ALTER TABLE `calls` ADD `talk_clock_ms` integer;--> statement-breakpoint
ALTER TABLE `calls` ADD `talk_rtp_ms` integer;--> statement-breakpoint
ALTER TABLE `calls` ADD `talk_engine_ms` integer;--> statement-breakpoint
ALTER TABLE `calls` ADD `talk_difference_ms` integer;--> statement-breakpoint
ALTER TABLE `wallets` ADD `told_below` integer DEFAULT 0 NOT NULL;