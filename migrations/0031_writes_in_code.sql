DROP VIEW `settlements`;
--> statement-breakpoint
DROP VIEW `reported_events`;
--> statement-breakpoint
DROP VIEW `event_reports`;
--> statement-breakpoint
DROP VIEW `encoded_recordings`;
