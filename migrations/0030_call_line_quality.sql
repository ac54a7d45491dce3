ALTER TABLE `calls` ADD `sent_packets_lost` integer;--> statement-breakpoint
ALTER TABLE `calls` ADD `sent_jitter_ms` real;--> statement-breakpoint
ALTER TABLE `calls` ADD `round_trip_ms` integer;--> statement-breakpoint
ALTER TABLE `calls` ADD `srtp` text;