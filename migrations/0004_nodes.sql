CREATE TABLE `nodes` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`version` text NOT NULL,
	`weight` integer NOT NULL,
	`calls` integer NOT NULL,
	`beat` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`is_draining` integer DEFAULT false NOT NULL,
	`is_stopped` integer DEFAULT false NOT NULL
);
