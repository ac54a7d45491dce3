CREATE VIRTUAL TABLE `search_index` USING fts5(`words`, content="", detail=none, columnsize=0, tokenize=ascii);
--> statement-breakpoint
INSERT INTO `search_index` (`search_index`, `rank`) VALUES ('automerge', 0), ('crisismerge', 1000), ('usermerge', 8);
--> statement-breakpoint
CREATE TABLE `search_words` (
	`id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`word` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `search_words_word` ON `search_words` (`tenant_id`,`word`);
--> statement-breakpoint
CREATE TABLE `search_endings` (
	`tenant_id` integer NOT NULL,
	`ending` text NOT NULL,
	`word_id` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `ending`, `word_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TRIGGER `search_words_insert` AFTER INSERT ON `search_words` BEGIN
  INSERT OR IGNORE INTO `search_endings` (`tenant_id`, `ending`, `word_id`)
  SELECT new.`tenant_id`, substr(new.`word`, `value`), new.`id`
  FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32]')
  WHERE `value` <= length(new.`word`);
END;
--> statement-breakpoint
CREATE TRIGGER `search_words_delete` AFTER DELETE ON `search_words` BEGIN
  DELETE FROM `search_endings` WHERE `tenant_id` = old.`tenant_id` AND `word_id` = old.`id` AND `ending` IN (
    SELECT substr(old.`word`, `value`)
    FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32]')
    WHERE `value` <= length(old.`word`)
  );
END;
--> statement-breakpoint
CREATE TABLE `search_documents` (
	`doc` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`call_id` integer NOT NULL,
	`newest_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `search_documents_call` ON `search_documents` (`call_id`);
--> statement-breakpoint
CREATE INDEX `search_documents_newest` ON `search_documents` (`tenant_id`,`newest_at`);
--> statement-breakpoint
CREATE TABLE `search_queue` (
	`tenant_id` integer NOT NULL,
	`call_id` integer NOT NULL,
	`due_at` integer,
	`revision` integer DEFAULT (abs(random() % 9007199254740991)) NOT NULL,
	PRIMARY KEY(`tenant_id`, `call_id`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `search_queue` (`tenant_id`, `call_id`, `due_at`) SELECT `tenant_id`, `id`, `ended_at` FROM `calls` ORDER BY `tenant_id`, `id`;
--> statement-breakpoint
CREATE INDEX `search_queue_due` ON `search_queue` (`due_at`) WHERE `due_at` IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `search_queue_tenant` ON `search_queue` (`tenant_id`,`due_at`) WHERE `due_at` IS NOT NULL;
--> statement-breakpoint
CREATE TRIGGER `search_call_inserted` AFTER INSERT ON `calls` BEGIN
  INSERT INTO `search_queue` (`tenant_id`, `call_id`, `due_at`) VALUES (new.`tenant_id`, new.`id`, new.`ended_at`);
END;
--> statement-breakpoint
CREATE TRIGGER `search_call_ended` AFTER UPDATE OF `ended_at` ON `calls`
WHEN old.`ended_at` IS NULL AND new.`ended_at` IS NOT NULL
BEGIN
  UPDATE `search_queue` SET `due_at` = new.`ended_at`, `revision` = abs(random() % 9007199254740991)
  WHERE `tenant_id` = new.`tenant_id` AND `call_id` = new.`id`;
END;
--> statement-breakpoint
CREATE TABLE `search_contact_changes` (
	`tenant_id` integer PRIMARY KEY NOT NULL,
	`changes` integer NOT NULL
);
--> statement-breakpoint
CREATE TRIGGER `search_contact_inserted` AFTER INSERT ON `contacts` BEGIN
  INSERT INTO `search_contact_changes` (`tenant_id`, `changes`) VALUES (new.`tenant_id`, 1) ON CONFLICT (`tenant_id`) DO UPDATE SET `changes` = `changes` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `search_contact_renamed` AFTER UPDATE OF `tenant_id`, `number_e164`, `first_name`, `last_name` ON `contacts` BEGIN
  INSERT INTO `search_contact_changes` (`tenant_id`, `changes`) VALUES (new.`tenant_id`, 1) ON CONFLICT (`tenant_id`) DO UPDATE SET `changes` = `changes` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `search_contact_deleted` AFTER DELETE ON `contacts` BEGIN
  INSERT INTO `search_contact_changes` (`tenant_id`, `changes`) VALUES (old.`tenant_id`, 1) ON CONFLICT (`tenant_id`) DO UPDATE SET `changes` = `changes` + 1;
END;
