CREATE TABLE `trunk_leases` (
	`trunk_id` integer PRIMARY KEY NOT NULL,
	`node` text NOT NULL,
	`beat` integer NOT NULL,
	`taken_at` integer NOT NULL,
	FOREIGN KEY (`trunk_id`) REFERENCES `trunks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `calls` ADD `node` text;--> statement-breakpoint
ALTER TABLE `schedules` ADD `lease_token` integer DEFAULT 0 NOT NULL;