CREATE TABLE `trial_days` (
	`tenant_id` integer NOT NULL,
	`day` text NOT NULL,
	`seconds` integer NOT NULL,
	`bought_seconds` integer NOT NULL,
	`charged` integer NOT NULL,
	`llm_input_tokens` integer NOT NULL,
	`llm_output_tokens` integer NOT NULL,
	`embedding_tokens` integer NOT NULL,
	`tts_characters` integer NOT NULL,
	`stt_seconds` real NOT NULL,
	`cost_of_goods` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `day`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
