CREATE TABLE `appliance_secrets` (
	`name` text PRIMARY KEY NOT NULL,
	`sealed` text NOT NULL
);
