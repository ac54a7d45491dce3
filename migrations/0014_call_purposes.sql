CREATE TABLE `call_purposes` (
	`call_uuid` text PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`reason` text NOT NULL,
	`sensitive` integer DEFAULT false NOT NULL,
	`origin` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
